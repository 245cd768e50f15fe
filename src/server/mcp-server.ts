/** `McpServer`: registers tools, resources and prompts. */

import { VIEW_SCHEME } from '../protocol/apps.ts'
import type { GrantProps } from '../protocol/auth-info.ts'
import type { DeclaredCapabilities } from '../protocol/capabilities.ts'
import type { Implementation } from '../protocol/content.ts'
import { isJsonObject } from '../protocol/json.ts'
import type { Context, MembersBy, NoMembers } from './context.ts'
import type { DefaultEnv } from './default-env.ts'
import { checkIcons, checkTtl, defined } from './define/checks.ts'
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
import type { AnyPromptConfig, PromptArguments, PromptConfig, PromptHandler } from './prompt.ts'
import type { ReadResource, ReadTemplate, ResourceConfig } from './resource.ts'
import type { ResourceTemplate } from './resource-template.ts'
import type { Schema } from './schema/standard-schema.ts'
import { DEFINE_SKILL, type SkillValue } from './skill.ts'
import type {
  AnyToolConfig,
  FilesOption,
  JobArguments,
  ToolConfig,
  ToolHandler,
  ToolReturn,
} from './tool.ts'
import type { ApiBy, BroughtBy, UsedValue } from './uses.ts'
import { DEFINE } from './view.ts'

export interface McpServerOptions {
  /**
   * The features whose members handlers find in their context: `uses: [asks(), state()]` brings `ctx.elicit` and `ctx.state`.
   * The app has them, with their options. A feature that no handler names, such as `sessions()`, is passed to `createEdgeway`.
   */
  readonly uses?: readonly UsedValue[]
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

/** The name and the options of a server. */
export type ServerConfig<Used extends readonly UsedValue[] = readonly UsedValue[]> =
  Implementation & McpServerOptions & { readonly uses?: Used }

/** Creates a server whose handlers have the members of what it uses in their context. */
export interface CreateServer<Env, Props> {
  /** @throws {TypeError} for a malformed name or option */
  <const Used extends readonly UsedValue[] = readonly []>(
    config: ServerConfig<Used>,
  ): McpServer<Env, Props, MembersBy<BroughtBy<Used>>, ApiBy<Used>>
  /** The same for another environment than the one of `wrangler types`, and for props: `createServer.for<Env, Props>()({ … })`. */
  for<OtherEnv, OtherProps = GrantProps>(): CreateServer<OtherEnv, OtherProps>
}

/** The context of the handlers of a server: `ContextOf<typeof server>`. */
export type ContextOf<Server> =
  Server extends McpServer<infer Env, infer Props, infer Members, infer _>
    ? Context<Env, Props, Members>
    : never

/** Refuses a server whose handlers need more than the one which includes it has. */
type Included<InnerEnv, Inner, Env, Members> = [Env] extends [InnerEnv]
  ? [Members] extends [Inner]
    ? unknown
    : { readonly uses: 'The included server uses more: add it to uses of this server' } & Inner
  : { readonly env: 'The included server has another environment' }

/** The member by which `createEdgeway` serves a server of another API, such as that of `edgeway/sdk`. */
export const TO_SERVER: unique symbol = Symbol('edgeway.server')

/** A server of another API, which becomes an {@link McpServer} when it is served. */
export interface ServerSource {
  readonly [TO_SERVER]: () => UntypedServer
}

/** A server of any type parameters: what they type, handlers close over. */
// biome-ignore lint/suspicious/noExplicitAny: handlers consume these types, so `unknown` excludes every server
export type UntypedServer = McpServer<any, any, any, any>

export type AnyServer = UntypedServer | ServerSource

/**
 * Ends registration and returns the definition. Internal: not part of the public API.
 *
 * @throws {TypeError} for a value that is no server
 */
export let sealDefinition: (source: AnyServer) => Definition

/** The values of `uses`. Internal: not part of the public API. */
export let usesOf: (source: unknown) => readonly UsedValue[]

/** Lets the author answer a method. Internal: not part of the public API. */
export let answerMethod: (
  server: UntypedServer,
  method: AuthorMethod,
  handler: MethodHandler,
) => void

/** Adds a warning to the definition. Internal: not part of the public API. */
export let addWarning: (server: UntypedServer, warning: DefinitionWarning) => void

/** Declares what no registration shows. Internal: not part of the public API. */
export let declareCapabilities: (server: UntypedServer, declared: DeclaredCapabilities) => void

declare const BROUGHT: unique symbol

/**
 * The definition of a server. Register everything at module scope: registration after
 * `createEdgeway(server)` throws.
 *
 * A malformed registration throws a `TypeError` that names the tool, resource or prompt and the fault.
 *
 * @typeParam Env the type of the Worker's bindings (`ctx.env`)
 * @typeParam Props the type of the data that `hooks.onIssue` attaches to a grant (`ctx.auth.props`)
 * @typeParam Members what the features bring to the context that it uses
 * @typeParam Api what they bring to `edgeway`
 */
export class McpServer<Env = DefaultEnv, Props = GrantProps, Members = NoMembers, Api = object> {
  /** For the compiler alone. */
  declare readonly [BROUGHT]: Api
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
    usesOf = (source) => (source instanceof McpServer ? (source.#options.uses ?? []) : [])
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
    config: ToolConfig<Input, Output, Props, Env, Scopes, Files, Members>,
    handler: ToolHandler<Input, Output, Env, Props, Scopes, Files, Members>,
  ): this {
    return this.#registerTool(name, config as unknown as AnyToolConfig, handler)
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
    return this.#registerTool(name, config as unknown as AnyToolConfig, job)
  }

  #registerTool(
    name: string,
    config: AnyToolConfig,
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
    read: ReadResource<Env, Props, Scopes, Members>,
  ): this
  registerResource<const Scopes extends readonly string[] = readonly string[]>(
    name: string,
    template: ResourceTemplate<Env, Props, Members>,
    config: ResourceConfig<Props, Scopes>,
    read: ReadTemplate<Env, Props, Scopes, Members>,
  ): this
  registerResource(
    name: string,
    target: string | object,
    config: ResourceConfig<Props>,
    read: unknown,
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
    config: PromptConfig<Args, Env, Props, Scopes, Members>,
    handler: PromptHandler<Args, Env, Props, Scopes, Members>,
  ): this {
    this.#assertOpen()
    const prompt = definePrompt(name, config as unknown as AnyPromptConfig, handler)
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
  registerSkill(skill: SkillValue<Env, Props, Members>): this {
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
  use(middleware: Middleware<Env, Props, Members>): this {
    this.#assertOpen()
    if (typeof middleware !== 'function') {
      throw new TypeError('use() takes a function: async (call, next) => next()')
    }
    this.#middleware.push(middleware as unknown as Middleware)
    return this
  }

  /**
   * Registers everything that another server has registered, with that server's middleware. Its name,
   * instructions and options are not used. Nothing can be registered at the other server afterwards.
   *
   * @param options.prefix precedes the names of tools and prompts; URIs stay as they are
   * @throws {TypeError} for a name or URI that is already registered, a name that becomes malformed, or a server that uses
   *   more than this one; then nothing was registered
   */
  include<InnerEnv, Inner>(
    server: McpServer<InnerEnv, Props, Inner> & Included<InnerEnv, Inner, Env, Members>,
    { prefix = '' }: { readonly prefix?: string } = {},
  ): this {
    this.#assertOpen()
    if ((server as unknown) === this) throw new TypeError('A server cannot include itself')
    this.#assertUses(usesOf(server))
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
      const advice = uri.startsWith(VIEW_SCHEME)
        ? `: a second tool names it by ui: view({ uri: '${uri}' })`
        : ''
      throw new TypeError(`Resource ${uri} is already registered${advice}`)
    }
    this.#registered.resources.set(uri, resource)
    this.#registered.resources.set(href, resource)
  }

  #assertUses(values: readonly UsedValue[]): void {
    const own = usesOf(this)
    for (const value of values) {
      if (!value || own.some((each) => each && each.name === value.name)) continue
      throw new TypeError(
        `The included server uses ${value.name}(): add it to uses of the including one`,
      )
    }
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
      uses: usesOf(this),
    }
    return this.#sealed
  }
}

/**
 * Creates a server: `createServer({ name: 'notes', version: '1.0.0', uses: [asks()] })`. The environment of its handlers is
 * that of `wrangler types`.
 */
export const createServer = /* @__PURE__ */ Object.assign(create, {
  for: () => createServer,
}) as unknown as CreateServer<DefaultEnv, GrantProps>

function create(config: ServerConfig) {
  if (!isJsonObject(config)) throw new TypeError('createServer needs { name, version }')
  const { uses, instructions, pageSize, listTtlMs, errors, ...info } = config
  return new McpServer(info, defined({ uses, instructions, pageSize, listTtlMs, errors }))
}
