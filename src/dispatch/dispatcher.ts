/** Dispatches a call to its method: one call in, the JSON text of one result out, under one revision. */

import type { TelemetrySink } from '../ports/telemetry.ts'
import type { AuthInfo } from '../protocol/auth-info.ts'
import type { ServerCapabilities } from '../protocol/capabilities.ts'
import type { Codec } from '../protocol/codec/codec.ts'
import { ErrorCode } from '../protocol/error-codes.ts'
import { isJsonObject, type JsonObject } from '../protocol/json.ts'
import type { ListMethod, Tool } from '../protocol/primitives.ts'
import { excerpt, ProtocolError } from '../protocol/protocol-error.ts'
import type { Revision } from '../protocol/revisions.ts'
import type { Definition, ToolDefinition } from '../server/definition.ts'
import { guardVisibility, hasScopes, isVisible, listedTools, sentInfo } from './access.ts'
import type { Call, ResultText } from './call.ts'
import { calledName } from './called-name.ts'
import type { CodecOf } from './codecs.ts'
import type { Extensions } from './extensions.ts'
import { combineViews, type ListClient } from './listing/list-view.ts'
import { type Listed, StaticList } from './listing/static-list.ts'
import { withAuthorMethods } from './methods/author-methods.ts'
import type { MethodEntry, RevisionContext } from './methods/method.ts'
import { findReadable } from './methods/resources-read.ts'

/** A tool parameter that clients repeat in a header. */
export interface MirroredParam {
  /** Lower case. */
  readonly header: string
  /** The keys from the arguments to the value. */
  readonly path: readonly string[]
}

const NONE: readonly MirroredParam[] = []

interface RevisionTable {
  readonly context: RevisionContext
  readonly methods: ReadonlyMap<string, MethodEntry>
}

/** Whether the handler of a tool may run twice. */
export function isRepeatable({ info }: ToolDefinition): boolean {
  const { readOnlyHint, idempotentHint } = info.annotations ?? {}
  return readOnlyHint === true || idempotentHint === true
}

export class Dispatcher {
  readonly #definition: Definition
  readonly #codecOf: CodecOf
  readonly #extensions: Extensions
  /** Created with the first call of each revision. */
  readonly #tables = new Map<Revision, RevisionTable>()

  constructor(
    registered: Definition,
    codecOf: CodecOf,
    report: TelemetrySink,
    extensions: Extensions,
  ) {
    this.#extensions = extensions
    this.#definition = guardVisibility(registered, report)
    this.#codecOf = codecOf
  }

  /** Its `visible` callbacks never throw. */
  get definition(): Definition {
    return this.#definition
  }

  /** The codec of a revision, which names the server. */
  codecOf(revision: Revision): Codec {
    return this.#tableOf(revision).context.codec
  }

  /** Whether a revision has the method and the server declares the capability that the method needs. */
  has(revision: Revision, method: string): boolean {
    const { methods, context } = this.#tableOf(revision)
    const entry = methods.get(method)
    return (
      entry !== undefined &&
      (entry.needs === undefined || context.capabilities[entry.needs] !== undefined) &&
      (entry.extension === undefined ||
        context.capabilities.extensions?.[entry.extension] !== undefined) &&
      (entry.feature === undefined || revision.features[entry.feature])
    )
  }

  /** The capabilities of the definition under a revision, before those that depend on the caller. */
  capabilities(revision: Revision): ServerCapabilities {
    return this.#tableOf(revision).context.capabilities
  }

  /** Whether a caller sees a resource and has its scopes. */
  mayRead(uri: string, auth: AuthInfo | undefined): boolean {
    if (!URL.canParse(uri)) return false
    // The author's handler of `resources/subscribe` decides who is notified.
    if (this.#definition.handlers.has('resources/read')) return true
    const readable = findReadable(this.#definition, uri, auth)
    return readable !== undefined && hasScopes(readable, auth)
  }

  /**
   * Whether an interrupted request may run again: the tool is read-only, idempotent or resumable, or the method is not
   * `tools/call`.
   */
  isRepeatable(method: string, params: JsonObject | undefined): boolean {
    if (method !== 'tools/call') return true
    const tool = this.#calledTool(params)
    return tool !== undefined && (tool.isResumable === true || isRepeatable(tool))
  }

  /** Whether a caller may call what a request names: a run may resume under another definition. */
  offers(method: string, params: JsonObject | undefined, auth: AuthInfo | undefined): boolean {
    const { tools, prompts, handlers } = this.#definition
    if (method !== 'tools/call' && method !== 'prompts/get') return true
    if (handlers.has(method)) return true
    const name = calledName(params)
    if (name === undefined) return false
    const named = method === 'tools/call' ? tools.get(name) : prompts.get(name)
    return named !== undefined && isVisible(named, auth)
  }

  /** The registered name of what a request is for: a tool, a prompt, a resource or a URI template. */
  nameOf(method: string, params: JsonObject | undefined): string | undefined {
    return registeredName(this.#definition, method, params)
  }

  /** The job of the tool that a request names; undefined for a tool without one. */
  jobOf(params: JsonObject | undefined): ToolDefinition['job'] {
    return this.#calledTool(params)?.job
  }

  /** The parameters that a call of the tool must repeat in headers; none if the caller does not see the tool. */
  mirroredParams(name: unknown, auth: AuthInfo | undefined): readonly MirroredParam[] {
    return this.#visibleTool(name, auth)?.paramHeaders ?? NONE
  }

  /** The params of the call that a call stands for: its own, unless a tool of a feature calls another one. */
  forwarded(
    method: string,
    params: JsonObject | undefined,
    auth: AuthInfo | undefined,
  ): JsonObject | undefined {
    const { tools } = this.#extensions
    if (method !== 'tools/call' || params === undefined || tools.length === 0) return params
    for (const { forward } of tools) {
      const target = forward?.(this.#definition, params, auth)
      if (target !== undefined) return target
    }
    return params
  }

  /** The class of rate limits that counts calls of the tool; undefined if the caller does not see the tool. */
  limitClass(name: unknown, auth: AuthInfo | undefined): string | undefined {
    return this.#visibleTool(name, auth)?.limitClass
  }

  /** @throws {ProtocolError} for a failure that is answered as a JSON-RPC error */
  dispatch(revision: Revision, call: Call): ResultText | Promise<ResultText> {
    const { method } = call.request
    const { methods, context } = this.#tableOf(revision)
    const entry = this.has(revision, method) ? methods.get(method) : undefined
    if (entry === undefined) {
      throw new ProtocolError(ErrorCode.methodNotFound, `Method not found: ${excerpt(method)}`)
    }
    return entry.run(context, call)
  }

  #calledTool(params: JsonObject | undefined): ToolDefinition | undefined {
    const name = calledName(params)
    return name === undefined ? undefined : this.#definition.tools.get(name)
  }

  #visibleTool(name: unknown, auth: AuthInfo | undefined): ToolDefinition | undefined {
    const tool = typeof name === 'string' ? this.#definition.tools.get(name) : undefined
    return tool !== undefined && isVisible(tool, auth) ? tool : undefined
  }

  #tableOf(revision: Revision): RevisionTable {
    const known = this.#tables.get(revision)
    if (known !== undefined) return known
    const table = createRevisionTable(this.#definition, revision, this.#codecOf, this.#extensions)
    this.#tables.set(revision, table)
    return table
  }
}

function createRevisionTable(
  definition: Definition,
  revision: Revision,
  codecOf: CodecOf,
  extensions: Extensions,
): RevisionTable {
  const codec = codecOf(revision)
  const { tools, prompts, resources, templates, handlers } = definition
  const { modernMethods, sessionMethods, capabilitiesOf } = extensions
  const methods = revision.era === 'modern' ? modernMethods : sessionMethods
  const list = <M extends ListMethod>(method: M, entries: Iterable<Listed<M>>) =>
    new StaticList(method, entries, definition, codec)
  const listed = [...new Set(resources.values())].filter(({ isListed }) => isListed)
  const lists: RevisionContext['lists'] = {
    'tools/list': new StaticList(
      'tools/list',
      listedTools(tools),
      definition,
      codec,
      toolView(definition, extensions),
    ),
    'prompts/list': list('prompts/list', prompts.values()),
    'resources/list': list('resources/list', listed),
    'resources/templates/list': list('resources/templates/list', templates),
  }
  return {
    context: { definition, codec, capabilities: capabilitiesOf(definition), lists },
    methods: withAuthorMethods(methods, handlers),
  }
}

const toolView = (definition: Definition, { tools }: Extensions) =>
  combineViews(tools.flatMap(({ viewOf }) => viewOf?.(definition) ?? []))

/** The tools in the list of a client, for callers that see all of them. */
export function toolsListedTo(
  client: ListClient,
  definition: Definition,
  extensions: Extensions,
): readonly Tool[] {
  const view = toolView(definition, extensions)
  const variant = view?.variantOf(client) ?? ''
  const all = listedTools(definition.tools).map(sentInfo)
  return variant === '' ? all : all.flatMap((tool) => view?.listed(tool, variant) ?? [])
}

/**
 * Returns the name of what a request is for, as the author registered it: of a tool or prompt, the URI of a resource
 * or a URI template; undefined for any other. A text of the client is never returned.
 */
function registeredName(
  definition: Definition,
  method: string,
  params: JsonObject | undefined,
): string | undefined {
  const { tools, prompts } = definition
  const named = (all: Definition['tools'] | Definition['prompts']) => {
    const name = calledName(params)
    return name === undefined ? undefined : all.get(name)?.info.name
  }
  switch (method) {
    case 'tools/call':
      return named(tools)
    case 'prompts/get':
      return named(prompts)
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return registeredUri(definition, params?.uri)
    case 'completion/complete': {
      const { name, uri } = isJsonObject(params?.ref) ? params.ref : {}
      if (typeof name === 'string') return prompts.get(name)?.info.name
      return definition.templates.find(({ info }) => info.uriTemplate === uri)?.info.uriTemplate
    }
    default:
      return undefined
  }
}

function registeredUri({ resources, templates }: Definition, uri: unknown): string | undefined {
  if (typeof uri !== 'string' || !URL.canParse(uri)) return undefined
  const { href } = new URL(uri)
  const resource = resources.get(uri) ?? resources.get(href)
  if (resource !== undefined) return resource.info.uri
  return templates.find(({ template }) => template.match(href) !== undefined)?.info.uriTemplate
}
