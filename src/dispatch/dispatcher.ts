/** A request against a definition: one call in, the JSON text of one result out, under one revision. */

import type { ChangeKind } from '../ports/change-bus.ts'
import type { TelemetrySink } from '../ports/telemetry.ts'
import type { AuthInfo } from '../protocol/auth-info.ts'
import type { Codec } from '../protocol/codec/codec.ts'
import { createModernCodec } from '../protocol/codec/modern.ts'
import { createSessionCodec } from '../protocol/codec/session.ts'
import { ErrorCode } from '../protocol/error-codes.ts'
import type { JsonObject } from '../protocol/json.ts'
import { excerpt, ProtocolError } from '../protocol/protocol-error.ts'
import { REVISIONS, type Revision } from '../protocol/revisions.ts'
import type { Definition } from '../server/definition.ts'
import { guardVisibility, hasScopes, isVisible } from './access.ts'
import type { Call, ResultText } from './call.ts'
import { capabilitiesOf, changeKinds } from './capabilities.ts'
import { StaticList } from './listing/static-list.ts'
import type { RevisionContext } from './methods/method.ts'
import { type MethodEntry, MODERN_METHODS, SESSION_METHODS } from './methods/registry.ts'
import { findReadable } from './methods/resources-read.ts'

/** A parameter that clients repeat in a header. */
export interface MirroredParam {
  /** Lower case. */
  readonly header: string
  /** From the arguments to the value. */
  readonly path: readonly string[]
}

const NONE: readonly MirroredParam[] = []

interface Spoken {
  readonly vocabulary: RevisionContext
  readonly methods: ReadonlyMap<string, MethodEntry>
}

export class Dispatcher {
  readonly #definition: Definition
  readonly #spoken: ReadonlyMap<Revision, Spoken>

  constructor(written: Definition, report: TelemetrySink) {
    const definition = guardVisibility(written, report)
    this.#definition = definition
    this.#spoken = new Map(REVISIONS.map((revision) => [revision, speak(definition, revision)]))
  }

  codec(revision: Revision): Codec {
    return this.#speaking(revision).vocabulary.codec
  }

  /** Whether a revision has a method here. */
  has(revision: Revision, method: string): boolean {
    const { methods, vocabulary } = this.#speaking(revision)
    const entry = methods.get(method)
    return (
      entry !== undefined &&
      (entry.needs === undefined || vocabulary.capabilities[entry.needs] !== undefined)
    )
  }

  /** The kinds of change that this server may tell of. */
  changeKinds(revision: Revision): readonly ChangeKind[] {
    return changeKinds(this.#speaking(revision).vocabulary.capabilities)
  }

  /** Whether a caller may read a resource, as far as its definition says. */
  mayRead(uri: string, auth: AuthInfo | undefined): boolean {
    if (!URL.canParse(uri)) return false
    const readable = findReadable(this.#definition, uri, auth)
    return readable !== undefined && hasScopes(readable, auth)
  }

  /** Whether a request may be run again when it was cut off: it only reads, or says that it may. */
  isRepeatable(method: string, params: JsonObject | undefined): boolean {
    if (method !== 'tools/call') return true
    const tool = this.#definition.tools.get(String(params?.name))
    const { readOnlyHint, idempotentHint } = tool?.info.annotations ?? {}
    return readOnlyHint === true || idempotentHint === true
  }

  /** What a call of a tool must repeat in headers; nothing for a tool the caller does not see. */
  mirroredParams(name: unknown, auth: AuthInfo | undefined): readonly MirroredParam[] {
    const tool = typeof name === 'string' ? this.#definition.tools.get(name) : undefined
    return tool !== undefined && isVisible(tool, auth) ? tool.paramHeaders : NONE
  }

  /** @throws {ProtocolError} for what is answered as a JSON-RPC error */
  dispatch(revision: Revision, call: Call): ResultText | Promise<ResultText> {
    const { method } = call.request
    const { methods, vocabulary } = this.#speaking(revision)
    const entry = this.has(revision, method) ? methods.get(method) : undefined
    if (entry === undefined) {
      throw new ProtocolError(ErrorCode.methodNotFound, `Method not found: ${excerpt(method)}`)
    }
    return entry.run(vocabulary, call)
  }

  #speaking(revision: Revision): Spoken {
    const spoken = this.#spoken.get(revision)
    if (spoken === undefined) throw new TypeError(`Revision ${revision.id} is not in the table`)
    return spoken
  }
}

function speak(definition: Definition, revision: Revision): Spoken {
  const modern = revision.era === 'modern'
  const codec = modern ? createModernCodec(definition.info) : createSessionCodec(revision)
  const { tools, prompts, resources, templates } = definition
  const lists: RevisionContext['lists'] = {
    'tools/list': new StaticList(
      'tools/list',
      tools.values(),
      (tool) => tool.name,
      definition,
      codec,
    ),
    'prompts/list': new StaticList(
      'prompts/list',
      prompts.values(),
      ({ name }) => name,
      definition,
      codec,
    ),
    'resources/list': new StaticList(
      'resources/list',
      new Set(resources.values()),
      ({ uri }) => uri,
      definition,
      codec,
    ),
    'resources/templates/list': new StaticList(
      'resources/templates/list',
      templates,
      ({ uriTemplate }) => uriTemplate,
      definition,
      codec,
    ),
  }
  return {
    vocabulary: { definition, codec, capabilities: capabilitiesOf(definition), lists },
    methods: modern ? MODERN_METHODS : SESSION_METHODS,
  }
}
