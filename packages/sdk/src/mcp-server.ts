/** `McpServer` of the official SDK, 1.x and 2.x. `createEdgeway` serves it. */
import { findContext } from '../../../src/context/index.ts'
import type { ListedFields } from '../../../src/protocol/content.ts'
import type { ToolAnnotations } from '../../../src/protocol/primitives.ts'
import {
  type McpServer as EdgewayServer,
  type ServerSource,
  TO_SERVER,
} from '../../../src/server/mcp-server.ts'
import type { ToolDeprecation } from '../../../src/server/tool.ts'
import {
  type Arguments,
  type ErasedHandler,
  type PromptCallback,
  type PromptConfig,
  type ReadResourceCallback,
  type ReadResourceTemplateCallback,
  RegisteredPrompt,
  RegisteredResource,
  RegisteredResourceTemplate,
  RegisteredTool,
  Registrations,
  type ToolCallback,
  type ToolConfig,
} from './registrations.ts'
import type { ResourceTemplate } from './resource-template.ts'
import { isShape, type ZodRawShape } from './schema.ts'
import type { RequiredScopes } from './scopes.ts'
import {
  buildServer,
  isServed,
  type Kind,
  Server,
  type ServerInfo,
  type ServerOptions,
} from './server.ts'
import { ExperimentalMcpServerTasks } from './tool-tasks.ts'
import { translate } from './translate.ts'
import type { LoggingMessageParams, ResourceMetadata } from './types.ts'

export type McpServerOptions = ServerOptions

/** The parts of a configuration that every overload of `registerTool` shares. */
export type SharedConfig = ListedFields & RequiredScopes

export class McpServer implements ServerSource {
  readonly server: Server
  readonly experimental = {
    tasks: new ExperimentalMcpServerTasks((...tool) => this.#addTool(...tool)),
  }
  readonly #options: McpServerOptions
  readonly #isServed = () => isServed(this.server)
  readonly #tools = new Registrations<RegisteredTool>('Tool', this.#isServed)
  readonly #prompts = new Registrations<RegisteredPrompt>('Prompt', this.#isServed)
  readonly #resources = new Registrations<RegisteredResource>('Resource', this.#isServed)
  readonly #templates = new Registrations<RegisteredResourceTemplate>(
    'Resource template',
    this.#isServed,
  )

  /** @throws {TypeError} for the option `taskStore` */
  constructor(info: ServerInfo, options: McpServerOptions = {}) {
    this.#options = options
    this.server = new Server(info, options)
  }

  /** Ends registration. Internal. */
  [TO_SERVER](): EdgewayServer {
    return buildServer(this.server, (server) => {
      translate(server, {
        tools: this.#tools.entries,
        prompts: this.#prompts.entries,
        resources: this.#resources.entries,
        templates: this.#templates.entries,
        verifyState: this.#options.requestState?.verify,
      })
      const kinds: readonly (readonly [Kind, ReadonlyMap<string, object>])[] = [
        ['tools', this.#tools.entries],
        ['prompts', this.#prompts.entries],
        ['resources', this.#resources.entries],
        ['resources', this.#templates.entries],
      ]
      return kinds.flatMap(([kind, { size }]) => (size > 0 ? [kind] : []))
    })
  }

  tool(name: string, cb: ToolCallback): RegisteredTool
  tool(name: string, description: string, cb: ToolCallback): RegisteredTool
  tool<Args extends ZodRawShape>(
    name: string,
    paramsSchemaOrAnnotations: Args | ToolAnnotations,
    cb: ToolCallback<Args>,
  ): RegisteredTool
  tool<Args extends ZodRawShape>(
    name: string,
    description: string,
    paramsSchemaOrAnnotations: Args | ToolAnnotations,
    cb: ToolCallback<Args>,
  ): RegisteredTool
  tool<Args extends ZodRawShape>(
    name: string,
    paramsSchema: Args,
    annotations: ToolAnnotations,
    cb: ToolCallback<Args>,
  ): RegisteredTool
  tool<Args extends ZodRawShape>(
    name: string,
    description: string,
    paramsSchema: Args,
    annotations: ToolAnnotations,
    cb: ToolCallback<Args>,
  ): RegisteredTool
  /** @throws {Error} for a name that is already registered, and for arguments that are not understood */
  tool(name: string, ...rest: unknown[]): RegisteredTool {
    const config: ToolConfig = {}
    if (typeof rest[0] === 'string') config.description = rest.shift() as string
    if (isShape(rest[0])) config.inputSchema = rest.shift() as ZodRawShape
    if (rest.length > 1) {
      const annotations = rest.shift()
      if (Object.values(annotations as object).some((value) => typeof value === 'object')) {
        throw new TypeError(
          `Tool ${name} expected a schema or annotations, but received an unrecognized object`,
        )
      }
      config.annotations = annotations as ToolAnnotations
    }
    return this.#addTool(name, config, rest[0])
  }

  registerTool<Output extends Arguments = undefined, Input extends Arguments = undefined>(
    name: string,
    config: SharedConfig & {
      inputSchema?: Input
      outputSchema?: Output
      annotations?: ToolAnnotations
      /** Of Edgeway: announces that the tool is going to be removed. */
      deprecated?: ToolDeprecation
    },
    cb: ToolCallback<Input>,
  ): RegisteredTool {
    return this.#addTool(name, config, cb)
  }

  #addTool(name: string, config: ToolConfig, handler: unknown): RegisteredTool {
    // A JavaScript config may have other members, which must not become those of the registration.
    const { title, description, inputSchema, outputSchema, annotations, ...rest } = config
    const { icons, _meta, deprecated, task, scopes, scopeChallenge } = rest
    const callback = asHandler(`Tool ${name}`, handler)
    const schemas = { title, description, inputSchema, outputSchema, annotations }
    const access = { scopes, scopeChallenge }
    const own = { ...schemas, icons, _meta, deprecated, task, ...access, handler: callback }
    return this.#tools.add(name, new RegisteredTool(this.#tools, name, own))
  }

  prompt(name: string, cb: PromptCallback): RegisteredPrompt
  prompt(name: string, description: string, cb: PromptCallback): RegisteredPrompt
  prompt<Args extends ZodRawShape>(
    name: string,
    argsSchema: Args,
    cb: PromptCallback<Args>,
  ): RegisteredPrompt
  prompt<Args extends ZodRawShape>(
    name: string,
    description: string,
    argsSchema: Args,
    cb: PromptCallback<Args>,
  ): RegisteredPrompt
  /** @throws {Error} for a name that is already registered */
  prompt(name: string, ...rest: unknown[]): RegisteredPrompt {
    const config: PromptConfig = {}
    if (typeof rest[0] === 'string') config.description = rest.shift() as string
    if (rest.length > 1) config.argsSchema = rest.shift() as ZodRawShape
    return this.#addPrompt(name, config, rest[0])
  }

  registerPrompt<Args extends Arguments = undefined>(
    name: string,
    config: SharedConfig & { argsSchema?: Args },
    cb: PromptCallback<Args>,
  ): RegisteredPrompt {
    return this.#addPrompt(name, config, cb)
  }

  #addPrompt(name: string, config: PromptConfig, handler: unknown): RegisteredPrompt {
    const { title, description, argsSchema, icons, _meta, scopes, scopeChallenge } = config
    const callback = asHandler(`Prompt ${name}`, handler)
    const shown = { title, description, argsSchema, icons, _meta }
    const fields = { ...shown, scopes, scopeChallenge, callback }
    return this.#prompts.add(name, new RegisteredPrompt(this.#prompts, name, fields))
  }

  resource(name: string, uri: string, cb: ReadResourceCallback): RegisteredResource
  resource(
    name: string,
    uri: string,
    metadata: ResourceMetadata,
    cb: ReadResourceCallback,
  ): RegisteredResource
  resource(
    name: string,
    template: ResourceTemplate,
    cb: ReadResourceTemplateCallback,
  ): RegisteredResourceTemplate
  resource(
    name: string,
    template: ResourceTemplate,
    metadata: ResourceMetadata,
    cb: ReadResourceTemplateCallback,
  ): RegisteredResourceTemplate
  /** @throws {Error} for a URI, or the name of a template, that is already registered */
  resource(
    name: string,
    target: string | ResourceTemplate,
    ...rest: unknown[]
  ): RegisteredResource | RegisteredResourceTemplate {
    const metadata = typeof rest[0] === 'object' ? (rest.shift() as ResourceMetadata) : {}
    return this.#addResource(name, target, metadata, rest[0])
  }

  registerResource(
    name: string,
    uri: string,
    config: ResourceMetadata,
    cb: ReadResourceCallback,
  ): RegisteredResource
  registerResource(
    name: string,
    template: ResourceTemplate,
    config: ResourceMetadata,
    cb: ReadResourceTemplateCallback,
  ): RegisteredResourceTemplate
  /** @throws {Error} for a URI, or the name of a template, that is already registered */
  registerResource(
    name: string,
    target: string | ResourceTemplate,
    config: ResourceMetadata,
    cb: unknown,
  ): RegisteredResource | RegisteredResourceTemplate {
    return this.#addResource(name, target, config, cb)
  }

  #addResource(
    name: string,
    target: string | ResourceTemplate,
    metadata: ResourceMetadata,
    handler: unknown,
  ): RegisteredResource | RegisteredResourceTemplate {
    const fields = { metadata, readCallback: asHandler(`Resource ${name}`, handler) }
    if (typeof target === 'string') {
      const resource = new RegisteredResource(this.#resources, target, { ...fields, name })
      return this.#resources.add(target, resource)
    }
    const own = { ...fields, resourceTemplate: target }
    return this.#templates.add(name, new RegisteredResourceTemplate(this.#templates, name, own))
  }

  /** Whether a handler is running, so that its client can be reached. */
  isConnected(): boolean {
    return findContext() !== undefined
  }

  /** @throws {TypeError} always: `createEdgeway(server)` serves it */
  connect(transport: unknown): Promise<never> {
    return this.server.connect(transport)
  }

  /** Has no effect: a server has no connection of its own. */
  close(): Promise<void> {
    return this.server.close()
  }

  sendLoggingMessage(params: LoggingMessageParams, sessionId?: string): Promise<void> {
    return this.server.sendLoggingMessage(params, sessionId)
  }

  /** Like the other two it has no effect outside of a handler. */
  sendResourceListChanged(): void {
    findContext()?.waitUntil(this.server.sendResourceListChanged())
  }

  sendToolListChanged(): void {
    findContext()?.waitUntil(this.server.sendToolListChanged())
  }

  sendPromptListChanged(): void {
    findContext()?.waitUntil(this.server.sendPromptListChanged())
  }
}

function asHandler(subject: string, handler: unknown): ErasedHandler {
  if (typeof handler !== 'function') throw new TypeError(`${subject} needs a handler`)
  return handler as ErasedHandler
}
