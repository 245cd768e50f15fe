/**
 * What a `subscriptions/listen` asks to hear, and the part of it that is honoured.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#notification-filter
 */
import {
  type Change,
  type ChangeKind,
  LIST_CHANGED_METHODS,
  type ListChangeKind,
} from '../../ports/change-bus.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import type { RequestMessage } from '../../protocol/json-rpc.ts'
import { normaliseUri } from '../../protocol/uri.ts'
import { Refusal } from '../refusals.ts'

/** URIs in one filter. */
export const MAX_RESOURCE_SUBSCRIPTIONS = 1000

/** All URIs of one filter together, in UTF-16 code units: they are held as long as the stream. */
const MAX_URIS_LENGTH = 64 * 1024

/** Longest URI of a filter, in UTF-16 code units: longer ones cannot be read either. */
const MAX_URI_LENGTH = 8192

const LIST_FIELDS = {
  tools_list_changed: 'toolsListChanged',
  prompts_list_changed: 'promptsListChanged',
  resources_list_changed: 'resourcesListChanged',
} as const satisfies Record<ListChangeKind, string>

const LIST_KINDS = Object.keys(LIST_FIELDS) as readonly ListChangeKind[]

interface AskedFilter {
  readonly lists: readonly ListChangeKind[]
  /** Undefined where the member was absent. */
  readonly uris: readonly string[] | undefined
}

/**
 * Reads the filter of a request. Members that this revision does not define are ignored.
 *
 * @throws {Refusal} `params-malformed`
 */
export function readListenFilter({ id, params }: RequestMessage): AskedFilter {
  const refuse = (text: string) => new Refusal('params-malformed', text, { id })
  const filter = params?.notifications
  if (!isJsonObject(filter)) throw refuse('params.notifications must be an object')
  const lists = LIST_KINDS.filter((kind) => {
    const value = filter[LIST_FIELDS[kind]]
    if (value !== undefined && typeof value !== 'boolean') {
      throw refuse(`params.notifications.${LIST_FIELDS[kind]} must be a boolean`)
    }
    return value === true
  })
  const uris = filter.resourceSubscriptions
  if (uris === undefined) return { lists, uris }
  const name = 'params.notifications.resourceSubscriptions'
  if (!Array.isArray(uris)) throw refuse(`${name} must be an array`)
  if (uris.length > MAX_RESOURCE_SUBSCRIPTIONS) {
    throw refuse(`${name} must have at most ${MAX_RESOURCE_SUBSCRIPTIONS} items`)
  }
  const wrong = uris.findIndex((uri) => !isUri(uri))
  if (wrong !== -1) {
    throw refuse(`${name}[${wrong}] must be a URI of at most ${MAX_URI_LENGTH} characters`)
  }
  const texts = uris as readonly string[]
  if (texts.reduce((sum, uri) => sum + uri.length, 0) > MAX_URIS_LENGTH) {
    throw refuse(`${name} must have at most ${MAX_URIS_LENGTH} characters together`)
  }
  return { lists, uris: texts }
}

function isUri(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_URI_LENGTH && URL.canParse(value)
}

/** The filter that a stream keeps to, from its acknowledgement to its end. */
export class HonouredFilter {
  readonly #lists: readonly ListChangeKind[]
  /** From the normalised URI to the client's own spelling; undefined where none is honoured. */
  readonly #uris: ReadonlyMap<string, string> | undefined

  /**
   * @param offered what the server declares
   * @param mayRead a resource that the caller may not read must look like one that never changes
   */
  constructor(
    asked: AskedFilter,
    offered: readonly ChangeKind[],
    mayRead: (uri: string) => boolean,
  ) {
    this.#lists = asked.lists.filter((kind) => offered.includes(kind))
    if (asked.uris === undefined || !offered.includes('resource_updated')) return
    const uris = new Map<string, string>()
    for (const uri of asked.uris) {
      const key = normaliseUri(uri)
      if (!uris.has(key) && mayRead(uri)) uris.set(key, uri)
    }
    this.#uris = uris
  }

  /** What must be heard of for it. */
  get kinds(): readonly ChangeKind[] {
    const updated = this.#uris !== undefined && this.#uris.size > 0
    return updated ? [...this.#lists, 'resource_updated'] : this.#lists
  }

  /** As the acknowledgement spells it. */
  toWire(): JsonObject {
    const lists = this.#lists.map((kind) => [LIST_FIELDS[kind], true] as const)
    return {
      ...Object.fromEntries(lists),
      ...(this.#uris && { resourceSubscriptions: [...this.#uris.values()] }),
    }
  }

  /** The notification that tells of a change, or undefined where nobody asked for it. */
  notificationFor(change: Change): { readonly method: string; readonly uri?: string } | undefined {
    if (change.kind === 'resource_updated') {
      const uri = this.#uris?.get(normaliseUri(change.uri))
      return uri === undefined ? undefined : { method: 'notifications/resources/updated', uri }
    }
    const kind = this.#lists.find((list) => list === change.kind)
    return kind === undefined ? undefined : { method: LIST_CHANGED_METHODS[kind] }
  }
}
