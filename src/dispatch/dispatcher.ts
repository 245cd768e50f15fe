/** Dispatches a call to its method: one call in, the JSON text of one result out, under one revision. */

import type { TelemetrySink } from '../ports/telemetry.ts'
import type { AuthInfo } from '../protocol/auth-info.ts'
import type { ServerCapabilities } from '../protocol/capabilities.ts'
import type { Codec } from '../protocol/codec/codec.ts'
import { ErrorCode } from '../protocol/error-codes.ts'
import type { ListMethod, Tool } from '../protocol/primitives.ts'
import { excerpt, ProtocolError } from '../protocol/protocol-error.ts'
import { REVISIONS, type Revision } from '../protocol/revisions.ts'
import type { Definition } from '../server/definition.ts'
import { guardVisibility, listedTools, sentInfo } from './access.ts'
import type { Call, ResultText } from './call.ts'
import type { CodecOf } from './codecs.ts'
import type { Extensions, Forward } from './extensions.ts'
import { combineViews, type ListClient } from './listing/list-view.ts'
import { type Listed, StaticList } from './listing/static-list.ts'
import { withAuthorMethods } from './methods/author-methods.ts'
import type { MethodEntry, RevisionContext } from './methods/method.ts'
import { Target, type TargetedRequest } from './target.ts'

/** A definition under every revision. Each dispatcher is created with the first request of its revision. */
export class Dispatchers {
  /** Its `visible` callbacks never throw. */
  readonly definition: Definition
  readonly #codecOf: CodecOf
  readonly #extensions: Extensions
  readonly #known = new Map<Revision, Dispatcher>()

  constructor(
    registered: Definition,
    codecOf: CodecOf,
    report: TelemetrySink,
    extensions: Extensions,
  ) {
    this.#extensions = extensions
    this.definition = guardVisibility(registered, report)
    this.#codecOf = codecOf
  }

  under(revision: Revision): Dispatcher {
    const known = this.#known.get(revision)
    if (known !== undefined) return known
    const created = new Dispatcher(this.definition, this.#codecOf(revision), this.#extensions)
    this.#known.set(revision, created)
    return created
  }
}

export class Dispatcher implements RevisionContext {
  readonly definition: Definition
  readonly codec: Codec
  /** Those of the definition, before those that depend on the caller. */
  readonly capabilities: ServerCapabilities
  readonly lists: RevisionContext['lists']
  /** The methods that the revision has, and whose capability the server declares. */
  readonly methods: ReadonlyMap<string, MethodEntry>
  readonly #forwards: readonly Forward[]

  constructor(definition: Definition, codec: Codec, extensions: Extensions) {
    this.definition = definition
    this.codec = codec
    this.capabilities = extensions.capabilitiesOf(definition)
    this.lists = createLists(definition, codec, extensions)
    this.#forwards = extensions.tools.flatMap(({ forward = [] }) => forward)
    const { modernMethods, sessionMethods } = extensions
    const ofEra = codec.revision.era === 'modern' ? modernMethods : sessionMethods
    const all = withAuthorMethods(ofEra, definition.handlers)
    this.methods = new Map([...all].filter(([, entry]) => this.#has(entry)))
  }

  /** Finds what a request is for. */
  resolve(request: TargetedRequest, auth: AuthInfo | undefined): Target {
    const entry = this.methods.get(request.method)
    const forwarded = entry?.names === 'tool' ? this.#forwarded(request, auth) : undefined
    return new Target(this, request, entry, auth, forwarded)
  }

  /** @throws {ProtocolError} for a failure that is answered as a JSON-RPC error */
  dispatch(call: Call): ResultText | Promise<ResultText> {
    const { entry, method } = call.target
    if (entry === undefined) {
      throw new ProtocolError(ErrorCode.methodNotFound, `Method not found: ${excerpt(method)}`)
    }
    return entry.run(this, call)
  }

  #forwarded({ params }: TargetedRequest, auth: AuthInfo | undefined) {
    if (params === undefined) return undefined
    for (const forward of this.#forwards) {
      const forwarded = forward(this.definition, params, auth)
      if (forwarded !== undefined) return forwarded
    }
    return undefined
  }

  #has({ needs, extension, feature }: MethodEntry): boolean {
    return (
      (needs === undefined || this.capabilities[needs] !== undefined) &&
      (extension === undefined || this.capabilities.extensions?.[extension] !== undefined) &&
      (feature === undefined || this.codec.revision.features[feature])
    )
  }
}

function createLists(
  definition: Definition,
  codec: Codec,
  extensions: Extensions,
): RevisionContext['lists'] {
  const { tools, prompts, resources, templates } = definition
  const list = <M extends ListMethod>(method: M, entries: Iterable<Listed<M>>) =>
    new StaticList(method, entries, definition, codec)
  const listed = [...new Set(resources.values())].filter(({ isListed }) => isListed)
  return {
    'tools/list': new StaticList(
      'tools/list',
      listedTools(tools),
      definition,
      codec,
      toolView(definition, codec.revision, extensions),
    ),
    'prompts/list': list('prompts/list', prompts.values()),
    'resources/list': list('resources/list', listed),
    'resources/templates/list': list('resources/templates/list', templates),
  }
}

const toolView = (definition: Definition, revision: Revision, { tools }: Extensions) =>
  combineViews(tools.flatMap(({ viewOf }) => viewOf?.(definition, revision) ?? []))

/** The tools in the lists of some clients, for callers that see all of them: each as the first client has it. */
export function toolsListedTo(
  clients: readonly ListClient[],
  definition: Definition,
  extensions: Extensions,
): readonly Tool[] {
  const views = clients.map((client) => {
    const revision = REVISIONS.find(({ era }) => era === client.era)
    const view = revision && toolView(definition, revision, extensions)
    const variant = view?.variantOf(client) ?? ''
    return (tool: Tool) => (variant === '' ? tool : view?.listed(tool, variant))
  })
  return listedTools(definition.tools).flatMap((tool) => {
    const listed = views.map((view) => view(sentInfo(tool)))
    return listed.find((each) => each !== undefined) ?? []
  })
}
