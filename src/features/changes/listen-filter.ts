/**
 * Reads the filter of `subscriptions/listen`, and reduces it to the part that the server honours.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#notification-filter
 */
import {
  CHANGE_KINDS,
  CHANGES,
  type Change,
  type ChangeKind,
  isListChangeKind,
  type ListChangeKind,
} from '../../ports/change-kinds.ts'
import { isJsonObject, isTextList, type JsonObject } from '../../protocol/json.ts'
import type { RequestMessage } from '../../protocol/json-rpc.ts'
import { normaliseUri } from '../../protocol/uri.ts'
import { Refusal } from '../../transport/refusal.ts'

/** Maximum number of URIs in one filter. */
export const MAX_RESOURCE_SUBSCRIPTIONS = 1000

/** Maximum number of tasks in one filter: each costs a call of its object. */
const MAX_TASKS = 100

/** Maximum length of all URIs of one filter, in UTF-16 code units: the stream holds them in memory. */
const MAX_URIS_LENGTH = 64 * 1024

/** Maximum length of one URI, in UTF-16 code units: `resources/read` accepts no longer ones either. */
const MAX_URI_LENGTH = 8192

interface RequestedFilter {
  readonly lists: readonly ListChangeKind[]
  /** Undefined if the member is absent. */
  readonly uris: readonly string[] | undefined
  /** Undefined if the member is absent. @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md#task-status-notifications */
  readonly taskIds: readonly string[] | undefined
}

/**
 * Reads the filter of a request. Ignores members that this revision does not define.
 *
 * @throws {Refusal} `params-malformed`
 */
export function readListenFilter({ id, params }: RequestMessage): RequestedFilter {
  const refuse = (text: string) => new Refusal('params-malformed', text, { id })
  const filter = params?.notifications
  if (!isJsonObject(filter)) throw refuse('params.notifications must be an object')
  const lists = CHANGE_KINDS.filter(isListChangeKind).filter((kind) => {
    const { filter: member } = CHANGES[kind]
    const value = filter[member]
    if (value !== undefined && typeof value !== 'boolean') {
      throw refuse(`params.notifications.${member} must be a boolean`)
    }
    return value === true
  })
  const taskIds = readTaskIds(filter.taskIds, refuse)
  const uris = filter.resourceSubscriptions
  if (uris === undefined) return { lists, uris, taskIds }
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
  return { lists, uris: texts, taskIds }
}

function readTaskIds(
  taskIds: unknown,
  refuse: (text: string) => Refusal,
): readonly string[] | undefined {
  if (taskIds === undefined) return undefined
  const name = 'params.notifications.taskIds'
  if (!isTextList(taskIds)) {
    throw refuse(`${name} must be an array of strings`)
  }
  if (taskIds.length > MAX_TASKS) throw refuse(`${name} must have at most ${MAX_TASKS} items`)
  return taskIds
}

function isUri(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_URI_LENGTH && URL.canParse(value)
}

/** The filter of one stream, from its acknowledgement to its end. */
export class HonouredFilter {
  /** What the client named, by the member of a change that names it; undefined where it named nothing of this sort. */
  readonly #named: {
    /** Maps normalised URIs to the client's spelling. */
    readonly uri: ReadonlyMap<string, string> | undefined
    /** Maps the names of task objects to the ids that the client sent. */
    readonly task: ReadonlyMap<string, string> | undefined
    readonly elicitationId?: undefined
  }
  /** The kinds that the client asked for and the server declares. */
  readonly #asked: readonly ChangeKind[]

  /**
   * @param offered the kinds of change that the server declares
   * @param mayRead whether the caller may read a resource. A URI that it may not read is left out, as
   *   if the resource never changed
   * @param tasks the requested tasks that the caller may access
   */
  constructor(
    { lists, uris }: RequestedFilter,
    offered: readonly ChangeKind[],
    mayRead: (uri: string) => boolean,
    tasks: ReadonlyMap<string, string> | undefined,
  ) {
    this.#named = { uri: uris && readableUris(uris, mayRead), task: tasks }
    this.#asked = CHANGE_KINDS.filter((kind) => {
      if (!offered.includes(kind)) return false
      return isListChangeKind(kind) ? lists.includes(kind) : this.#namedOf(kind) !== undefined
    })
  }

  #namedOf(kind: ChangeKind): ReadonlyMap<string, string> | undefined {
    const { about } = CHANGES[kind]
    return about && this.#named[about]
  }

  /** The kinds of change to subscribe to. */
  get kinds(): readonly ChangeKind[] {
    return this.#asked.filter((kind) => this.#namedOf(kind)?.size !== 0)
  }

  /** Returns the filter as the acknowledgement spells it. */
  toWire(): JsonObject {
    const members = this.#asked.map((kind) => {
      const named = this.#namedOf(kind)
      return [CHANGES[kind].filter, named === undefined ? true : [...named.values()]]
    })
    return Object.fromEntries(members)
  }

  /** Returns the notification of a change and what it is about; undefined if the change does not pass the filter. */
  notificationFor(change: Change): PassedChange | undefined {
    const { method } = CHANGES[change.kind]
    if (!this.#asked.includes(change.kind)) return undefined
    if ('task' in change)
      return this.#named.task?.has(change.task) ? { method, task: change.task } : undefined
    if (!('uri' in change)) return { method }
    const uri = this.#named.uri?.get(normaliseUri(change.uri))
    return uri === undefined ? undefined : { method, uri }
  }
}

interface PassedChange {
  readonly method: string
  /** As the client spelled it. */
  readonly uri?: string
  /** The name of its object. */
  readonly task?: string
}

/** Maps the normalised form of each URI that may be read to its first spelling. */
function readableUris(
  uris: readonly string[],
  mayRead: (uri: string) => boolean,
): ReadonlyMap<string, string> {
  const spellings = new Map<string, string>()
  for (const uri of uris) {
    const key = normaliseUri(uri)
    if (!spellings.has(key) && mayRead(uri)) spellings.set(key, uri)
  }
  return spellings
}
