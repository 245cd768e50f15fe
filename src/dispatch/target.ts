/**
 * What a request is for: its method, and the tool, prompt, resource or template that it names. Found once, where the
 * request is served, so that the author's `visible` runs once for a call.
 */

import type { AuthInfo } from '../protocol/auth-info.ts'
import { isJsonObject, type JsonObject } from '../protocol/json.ts'
import type {
  Definition,
  PromptDefinition,
  ResourceDefinition,
  TemplateDefinition,
  ToolDefinition,
} from '../server/definition.ts'
import type { Variables } from '../server/uri-template/match.ts'
import { hasScopes, isVisible } from './access.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { Forwarded } from './extensions.ts'
import type { MethodEntry } from './methods/method.ts'

/** How the params of a method name a definition: `tool` and `prompt` by `name`, `uri` by `uri`, `ref` by a reference. */
export type NamedBy = 'tool' | 'prompt' | 'uri' | 'ref'

/** A definition that a request names. A template has the variables of the URI, unless a reference names it. */
export type Named =
  | { readonly kind: 'tool'; readonly definition: ToolDefinition }
  | { readonly kind: 'prompt'; readonly definition: PromptDefinition }
  | { readonly kind: 'resource'; readonly definition: ResourceDefinition }
  | {
      readonly kind: 'template'
      readonly definition: TemplateDefinition
      readonly variables?: Variables
    }

/** A request before its method has checked its params. */
export interface TargetedRequest {
  readonly method: string
  readonly params: JsonObject | undefined
}

/** A tool parameter that clients repeat in a header. */
export interface MirroredParam {
  /** Lower case. */
  readonly header: string
  /** The keys from the arguments to the value. */
  readonly path: readonly string[]
}

const NO_PARAMS: readonly MirroredParam[] = []

type Sees = (definition: Named['definition']) => boolean

const everyone: Sees = () => true

export class Target {
  readonly dispatcher: Dispatcher
  readonly method: string
  /** Undefined for a method that the revision or the app does not have. */
  readonly entry: MethodEntry | undefined
  /** Those of the call that the request stands for, where one tool calls another. */
  readonly params: JsonObject | undefined
  readonly #auth: AuthInfo | undefined
  readonly #isForwarded: boolean
  /** Null for nothing that the caller sees; undefined before it was looked for. */
  #named: Named | null | undefined

  /** @param forwarded the call that the request stands for */
  constructor(
    dispatcher: Dispatcher,
    { method, params }: TargetedRequest,
    entry: MethodEntry | undefined,
    auth: AuthInfo | undefined,
    forwarded: Forwarded | undefined,
  ) {
    this.dispatcher = dispatcher
    this.method = method
    this.entry = entry
    this.params = forwarded?.params ?? params
    this.#auth = auth
    this.#isForwarded = forwarded !== undefined
    this.#named = forwarded && { kind: 'tool', definition: forwarded.tool }
  }

  /** The definition that the request names; undefined if there is none that the caller sees. */
  get named(): Named | undefined {
    this.#named ??= this.#find((guarded) => isVisible(guarded, this.#auth)) ?? null
    return this.#named ?? undefined
  }

  /** The tool that it calls; undefined for any other request, and for a tool that the caller does not see. */
  get tool(): ToolDefinition | undefined {
    return toolOf(this.named)
  }

  /** Whether the caller sees what it names and has its scopes, or a handler of the author decides about it. */
  get isAllowed(): boolean {
    const { named } = this
    return (
      this.#isAnsweredByAuthor || (named !== undefined && hasScopes(named.definition, this.#auth))
    )
  }

  /** Whether the caller may call the tool or prompt that it names: a run may resume under another definition. */
  get isOffered(): boolean {
    const { names } = this.entry ?? {}
    if (names !== 'tool' && names !== 'prompt') return true
    return this.#isAnsweredByAuthor || this.named !== undefined
  }

  /** Whether it may run again after an interruption: anything but a tool with effects, also one that the caller does not see. */
  get isRepeatable(): boolean {
    if (this.entry?.names !== 'tool') return true
    const tool = toolOf(this.#find(everyone))
    return tool !== undefined && (tool.isResumable === true || isRepeatable(tool))
  }

  /** The job of its tool, also of one that the caller does not see; undefined for a tool without one. */
  get job(): ToolDefinition['job'] {
    return toolOf(this.#find(everyone))?.job
  }

  /**
   * The name of what it is for, as the author registered it: of a tool or prompt, the URI of a resource or a URI template.
   * A text of the client is never returned.
   */
  get name(): string | undefined {
    const found = this.#named ?? this.#find(everyone)
    return found && nameOf(found)
  }

  /** The parameters that the request must repeat in headers; none if the caller does not see the tool. */
  get mirroredParams(): readonly MirroredParam[] {
    return this.#isForwarded ? NO_PARAMS : (this.tool?.paramHeaders ?? NO_PARAMS)
  }

  get #isAnsweredByAuthor(): boolean {
    const { handlers }: { handlers: ReadonlyMap<string, unknown> } = this.dispatcher.definition
    return handlers.has(this.method)
  }

  #find(sees: Sees): Named | undefined {
    const names = this.entry?.names
    return names && FIND[names](this.dispatcher.definition, this.params ?? {}, sees)
  }
}

/** Whether the handler of a tool may run twice. */
export function isRepeatable({ info }: ToolDefinition): boolean {
  const { readOnlyHint, idempotentHint } = info.annotations ?? {}
  return readOnlyHint === true || idempotentHint === true
}

const toolOf = (named: Named | undefined) => (named?.kind === 'tool' ? named.definition : undefined)

function nameOf(named: Named): string {
  switch (named.kind) {
    case 'resource':
      return named.definition.info.uri
    case 'template':
      return named.definition.info.uriTemplate
    default:
      return named.definition.info.name
  }
}

type Find = (definition: Definition, params: JsonObject, sees: Sees) => Named | undefined

const FIND: Readonly<Record<NamedBy, Find>> = {
  tool: ({ tools }, { name }, sees) => seen('tool', textIn(tools, name), sees),
  prompt: ({ prompts }, { name }, sees) => seen('prompt', textIn(prompts, name), sees),
  uri: findUri,
  ref: ({ prompts, templates, resources }, { ref }, sees) => {
    const { type, name, uri } = isJsonObject(ref) ? ref : {}
    if (type === 'ref/prompt') return seen('prompt', textIn(prompts, name), sees)
    if (type !== 'ref/resource') return undefined
    const template = templates.find(({ info }) => info.uriTemplate === uri)
    return seen('template', template, sees) ?? seen('resource', textIn(resources, uri), sees)
  },
}

/** A client may send anything, and `String()` of an object of a client throws when its `toString` is no function. */
const textIn = <T>(all: ReadonlyMap<string, T>, key: unknown): T | undefined =>
  typeof key === 'string' ? all.get(key) : undefined

function seen<Kind extends Named['kind']>(
  kind: Kind,
  definition: Extract<Named, { kind: Kind }>['definition'] | undefined,
  sees: Sees,
): Named | undefined {
  return definition !== undefined && sees(definition) ? ({ kind, definition } as Named) : undefined
}

/** The resource of a URI, or the first template that matches it. */
function findUri(
  { resources, templates }: Definition,
  { uri }: JsonObject,
  sees: Sees,
): Named | undefined {
  if (typeof uri !== 'string' || !URL.canParse(uri)) return undefined
  const { href } = new URL(uri)
  const resource = seen('resource', resources.get(uri) ?? resources.get(href), sees)
  if (resource !== undefined) return resource
  for (const definition of templates) {
    // The normalised URI, so that a handler receives the URI that was matched.
    const variables = definition.template.match(href)
    if (variables !== undefined && sees(definition))
      return { kind: 'template', definition, variables }
  }
  return undefined
}
