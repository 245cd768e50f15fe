/** `McpServer`: registers tools, resources and prompts. */

import type { GrantProps } from '../protocol/auth-info.ts'
import type { DeclaredCapabilities } from '../protocol/capabilities.ts'
import type { Implementation } from '../protocol/content.ts'
import { isJsonObject } from '../protocol/json.ts'
import { checkIcons, checkTtl } from './define/checks.ts'
import { announceDeprecated } from './define/deprecated.ts'
import { assertNewTemplate, included } from './define/include.ts'
import { definePrompt } from './define/prompt.ts'
import { defineResource, defineTemplate } from './define/resource.ts'
import { defineTool, portabilityWarnings } from './define/tool.ts'
import type {
  Definition,
  DefinitionWarning,
  PromptDefinition,
  ResourceDefinition,
  SkillDefinition,
  TemplateDefinition,
  ToolDefinition,
} from './definition.ts'
import type { JobHandler } from './job.ts'
import type { AuthorMethod, MethodHandler } from './method-handler.ts'
import { applyMiddleware, type Middleware } from './middleware.ts'
import type { PromptArguments, PromptConfig, PromptHandler } from './prompt.ts'
import type { ReadResource, ReadTemplate, ResourceConfig } from './resource.ts'
import type { ResourceTemplate } from './resource-template.ts'
import type { Schema } from './schema/standard-schema.ts'
import { DEFINE_SKILL, type SkillValue } from './skill.ts'
import type { FilesOption, JobArguments, ToolConfig, ToolHandler, ToolReturn } from './tool.ts'
import { DEFINE } from './view.ts'

export interface McpServerOptions {
  /** Instructions for the model; clients add them to its context. */
  readonly instructions?: string
  /** Maximum number of items on one page of a list. Default 100. */
  readonly pageSize?: number
  /** How long clients may cache lists that do not depend on the caller, in milliseconds. Default 300 000. */
  readonly listTtlMs?: number
  /**
   * What a client receives of an error that a handler throws, other than a `ToolError`. `reference`: only
   * that it failed, with a reference under which telemetry receives the error. `message`: the message of
   * the error, or why the result cannot be sent, as the official SDK does. Messages of libraries may contain secrets. Default `reference`.
   */
  readonly errors?: 'reference' | 'message'
}

/** @throws {TypeError} that begins with the subject */
export function checkInfo(subject: string, info: unknown): asserts info is Implementation {
  if (!isJsonObject(info) || typeof info.name !== 'string' || typeof info.version !== 'string') {
    throw new TypeError(`${subject} needs { name, version }`)
  }
  checkIcons(subject, info.icons)
}

/** The member by which `createEdgeway` serves a server of another API, such as that of `edgeway/sdk`. */
export const TO_SERVER: unique symbol = Symbol('edgeway.server')

/** A server of another API, which becomes an {@link McpServer} when it is served. */
export interface ServerSource {
  readonly [TO_SERVER]: () => McpServer
}

/**
 * Ends registration and returns the definition. Internal: not part of the public API.
 *
 * @throws {TypeError} for a value that is no server
 */
export let sealDefinition: <Env, Props>(source: McpServer<Env, Props> | ServerSource) => Definition

/** Lets the author answer a method. Internal: not part of the public API. */
export let answerMethod: (server: McpServer, method: AuthorMethod, handler: MethodHandler) => void

/** Adds a warning to the definition. Internal: not part of the public API. */
export let addWarning: (server: McpServer, warning: DefinitionWarning) => void

/** Declares what no registration shows. Internal: not part of the public API. */
export let declareCapabilities: (server: McpServer, declared: DeclaredCapabilities) => void

/**
 * The definition of a server. Register everything at module scope: registration after
 * `createEdgeway(server)` throws.
 *
 * A malformed registration throws a `TypeError` that names the tool, resource or prompt and the fault.
 *
 * @typeParam Env the type of the Worker's bindings (`ctx.env`)
 * @typeParam Props the type of the data that `hooks.onIssue` attaches to a grant (`ctx.auth.props`)
 */
export class McpServer<Env = unknown, Props = GrantProps> {
  readonly #info: Implementation
  readonly #options: McpServerOptions
  readonly #registered = {
    tools: new Map<string, ToolDefinition>(),
    prompts: new Map<string, PromptDefinition>(),
    resources: new Map<string, ResourceDefinition>(),
    templates: [] as TemplateDefinition[],
  }
  readonly #skills = new Map<string, SkillDefinition>()
  readonly #warnings: DefinitionWarning[] = []
  readonly #middleware: Middleware[] = []
  readonly #handlers = new Map<AuthorMethod, MethodHandler>()
  #declared: DeclaredCapabilities = {}
  #sealed: Definition | undefined
  /** What is sealed, with its deprecated tools announced: an including server announces them itself. */
  #served: Definition | undefined

  static {
    answerMethod = (server, method, handler) => {
      server.#assertOpen()
      server.#handlers.set(method, handler)
    }
    addWarning = (server, warning) => server.#warnings.push(warning)
    declareCapabilities = (server, declared) => {
      server.#declared = declared
    }
    sealDefinition = (source) => {
      const server = source instanceof McpServer ? source : source?.[TO_SERVER]?.()
      if (!(server instanceof McpServer)) {
        throw new TypeError('createEdgeway needs an McpServer, or a factory that returns one')
      }
      const definition = server.#seal()
      server.#served ??= { ...definition, tools: announceDeprecated(definition.tools) }
      return server.#served
    }
  }

  constructor(info: Implementation, options: McpServerOptions = {}) {
    checkInfo('McpServer', info)
    const { pageSize = 100, listTtlMs = 300_000, errors = 'reference' } = options
    if (!Number.isSafeInteger(pageSize) || pageSize < 1) {
      throw new TypeError('pageSize must be an integer of at least 1')
    }
    checkTtl('McpServer', 'listTtlMs', listTtlMs)
    if (errors !== 'reference' && errors !== 'message') {
      throw new TypeError('errors must be "reference" or "message"')
    }
    this.#info = info
    this.#options = options
  }

  /** @throws {TypeError} if the tool is malformed or its name or its view is already registered */
  registerTool<
    Input extends Schema | undefined = undefined,
    Output extends Schema | undefined = undefined,
    const Scopes extends readonly string[] = readonly string[],
    Files extends FilesOption | undefined = undefined,
  >(
    name: string,
    config: ToolConfig<Input, Output, Props, Env, Scopes, Files>,
    handler: ToolHandler<Input, Output, Env, Props, Scopes, Files>,
  ): this {
    return this.#registerTool(name, config, handler)
  }

  /**
   * Registers a tool whose work runs elsewhere: `externalJob` or `workflowJob` is in the place of a handler.
   *
   * @throws {TypeError} if the tool is malformed or its name or its view is already registered
   */
  registerJob<
    Input extends Schema | undefined = undefined,
    Output extends Schema | undefined = undefined,
  >(
    name: string,
    config: ToolConfig<Input, Output, Props, Env>,
    job: JobHandler<JobArguments<Input>, ToolReturn<Output>, Env, Props>,
  ): this {
    return this.#registerTool(name, config, job)
  }

  #registerTool(
    name: string,
    config: Parameters<typeof defineTool>[1],
    handler: Parameters<typeof defineTool>[2],
  ): this {
    this.#assertOpen()
    const tool = defineTool(name, config, handler)
    const view = config.ui?.[DEFINE].resource(name, config)
    if (this.#registered.tools.has(name))
      throw new TypeError(`Tool "${name}" is already registered`)
    if (view !== undefined) this.#addResource(view)
    this.#registered.tools.set(name, tool)
    this.#warnings.push(...portabilityWarnings(tool))
    return this
  }

  /** @throws {TypeError} if the resource is malformed or its URI or template is already registered */
  registerResource<const Scopes extends readonly string[] = readonly string[]>(
    name: string,
    uri: string,
    config: ResourceConfig<Props, Scopes>,
    read: ReadResource<Env, Props, Scopes>,
  ): this
  registerResource<const Scopes extends readonly string[] = readonly string[]>(
    name: string,
    template: ResourceTemplate<Env, Props>,
    config: ResourceConfig<Props, Scopes>,
    read: ReadTemplate<Env, Props, Scopes>,
  ): this
  registerResource(
    name: string,
    target: string | ResourceTemplate<Env, Props>,
    config: ResourceConfig<Props>,
    read: ReadResource<Env, Props> | ReadTemplate<Env, Props>,
  ): this {
    this.#assertOpen()
    if (typeof target === 'object') {
      const template = target as unknown as ResourceTemplate
      assertNewTemplate(this.#registered.templates, template.uriTemplate.source)
      this.#registered.templates.push(
        defineTemplate(name, template, config, read as ReadTemplate<unknown>),
      )
      return this
    }
    const resource = defineResource(name, target, config, read as ReadResource<unknown>)
    this.#addResource(resource)
    return this
  }

  /** @throws {TypeError} if the prompt is malformed or its name is already registered */
  registerPrompt<
    Args extends PromptArguments | undefined = undefined,
    const Scopes extends readonly string[] = readonly string[],
  >(
    name: string,
    config: PromptConfig<Args, Env, Props, Scopes>,
    handler: PromptHandler<Args, Env, Props, Scopes>,
  ): this {
    this.#assertOpen()
    const prompt = definePrompt(name, config, handler)
    if (this.#registered.prompts.has(name))
      throw new TypeError(`Prompt "${name}" is already registered`)
    this.#registered.prompts.set(name, prompt)
    return this
  }

  /**
   * Registers a skill: instructions for agents, with their files. Each file is a resource.
   *
   * @throws {TypeError} if the skill is malformed, or one of its files is already registered
   * @see https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx
   */
  registerSkill(skill: SkillValue<Env, Props>): this {
    this.#assertOpen()
    const define = skill?.[DEFINE_SKILL]
    if (define === undefined) throw new TypeError('registerSkill needs the value of skill({ … })')
    const defined = define()
    const taken = defined.resources.find(({ info }) => this.#registered.resources.has(info.uri))
    if (taken !== undefined) {
      throw new TypeError(`Resource ${taken.info.uri} is already registered`)
    }
    const { uri, frontmatter } = defined.skill
    const isNameTaken = [...this.#skills.values()].some(
      (other) => other.frontmatter.name === frontmatter.name,
    )
    if (isNameTaken) {
      this.#warnings.push({
        subject: `Skill ${uri}`,
        message: `another skill is named "${frontmatter.name}" too; some hosts offer one of them`,
      })
    }
    for (const resource of defined.resources)
      this.#registered.resources.set(resource.info.uri, resource)
    this.#skills.set(uri, defined.skill)
    return this
  }

  /**
   * Registers middleware around the handlers of this server, also of those that are registered later.
   * The first one is the outermost.
   *
   * @throws {TypeError} if it is not a function
   */
  use(middleware: Middleware<Env, Props>): this {
    this.#assertOpen()
    if (typeof middleware !== 'function') {
      throw new TypeError('use() takes a function: async (call, next) => next()')
    }
    this.#middleware.push(middleware as Middleware)
    return this
  }

  /**
   * Registers everything that another server has registered, with that server's middleware. Its name,
   * instructions and options are not used. Nothing can be registered at the other server afterwards.
   *
   * @param options.prefix precedes the names of tools and prompts; URIs stay as they are
   * @throws {TypeError} for a name or URI that is already registered, or a name that becomes malformed;
   *   then nothing was registered
   */
  include(server: McpServer<Env, Props>, { prefix = '' }: { readonly prefix?: string } = {}): this {
    this.#assertOpen()
    if (server === (this as McpServer<Env, Props>))
      throw new TypeError('A server cannot include itself')
    const { skills, warnings, ...registered } = server.#seal()
    const { tools, prompts, resources, templates } = included(registered, this.#registered, prefix)
    const own = this.#registered
    for (const [name, tool] of tools) own.tools.set(name, tool)
    for (const [name, prompt] of prompts) own.prompts.set(name, prompt)
    for (const [uri, resource] of resources) own.resources.set(uri, resource)
    own.templates.push(...templates)
    for (const [uri, skill] of skills) this.#skills.set(uri, skill)
    this.#warnings.push(...warnings)
    return this
  }

  #addResource(resource: ResourceDefinition): void {
    const { uri } = resource.info
    const { href } = new URL(uri)
    if (this.#registered.resources.has(uri) || this.#registered.resources.has(href)) {
      throw new TypeError(`Resource ${uri} is already registered`)
    }
    this.#registered.resources.set(uri, resource)
    this.#registered.resources.set(href, resource)
  }

  #assertOpen(): void {
    if (this.#sealed !== undefined) {
      throw new TypeError(
        'The server is already served: register tools, resources and prompts before createEdgeway(server), or before the factory returns it',
      )
    }
  }

  #seal(): Definition {
    const { instructions, pageSize = 100, listTtlMs = 300_000, errors } = this.#options
    this.#sealed ??= {
      info: this.#info,
      instructions,
      pageSize,
      listTtlMs,
      isPrivate: false,
      showsErrors: errors === 'message',
      ...applyMiddleware(this.#registered, this.#middleware),
      skills: this.#skills,
      handlers: this.#handlers,
      warnings: this.#warnings,
      declared: this.#declared,
    }
    return this.#sealed
  }
}
