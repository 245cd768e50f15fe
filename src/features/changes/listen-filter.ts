/**
 * Reads the filter of `subscriptions/listen`, and reduces it to the part that the server honours.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#notification-filter
 */
import {
  type Change,
  type ChangeKind,
  LIST_CHANGED_METHODS,
  type ListChangeKind,
} from '../../ports/change-bus.ts'
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

const LIST_FIELDS = {
  tools_list_changed: 'toolsListChanged',
  prompts_list_changed: 'promptsListChanged',
  resources_list_changed: 'resourcesListChanged',
  events_list_changed: 'eventsListChanged',
} as const satisfies Record<ListChangeKind, string>

const LIST_KINDS = Object.keys(LIST_FIELDS) as readonly ListChangeKind[]

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
  const lists = LIST_KINDS.filter((kind) => {
    const value = filter[LIST_FIELDS[kind]]
    if (value !== undefined && typeof value !== 'boolean') {
      throw refuse(`params.notifications.${LIST_FIELDS[kind]} must be a boolean`)
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
  readonly #lists: readonly ListChangeKind[]
  /** Maps normalised URIs to the client's spelling; undefined when URIs were not requested or are not offered. */
  readonly #uris: ReadonlyMap<string, string> | undefined
  /** Maps the names of task objects to the ids that the client sent; undefined when none were requested. */
  readonly #tasks: ReadonlyMap<string, string> | undefined

  /**
   * @param offered the kinds of change that the server declares
   * @param mayRead whether the caller may read a resource. A URI that it may not read is left out, as
   *   if the resource never changed
   * @param tasks the requested tasks that the caller may access
   */
  constructor(
    requested: RequestedFilter,
    offered: readonly ChangeKind[],
    mayRead: (uri: string) => boolean,
    tasks: ReadonlyMap<string, string> | undefined,
  ) {
    this.#tasks = tasks
    this.#lists = requested.lists.filter((kind) => offered.includes(kind))
    if (requested.uris === undefined || !offered.includes('resource_updated')) return
    const uris = new Map<string, string>()
    for (const uri of requested.uris) {
      const key = normaliseUri(uri)
      if (!uris.has(key) && mayRead(uri)) uris.set(key, uri)
    }
    this.#uris = uris
  }

  /** The kinds of change to subscribe to. */
  get kinds(): readonly ChangeKind[] {
    const updated = this.#uris !== undefined && this.#uris.size > 0
    return [
      ...this.#lists,
      ...(updated ? (['resource_updated'] as const) : []),
      ...(this.#tasks?.size ? (['task_updated'] as const) : []),
    ]
  }

  /** Returns the filter as the acknowledgement spells it. */
  toWire(): JsonObject {
    const lists = this.#lists.map((kind) => [LIST_FIELDS[kind], true] as const)
    return {
      ...Object.fromEntries(lists),
      ...(this.#uris && { resourceSubscriptions: [...this.#uris.values()] }),
      ...(this.#tasks && { taskIds: [...this.#tasks.values()] }),
    }
  }

  /** The name of the task that a change concerns, if the filter has it. */
  taskOf(change: Change): string | undefined {
    return change.kind === 'task_updated' && this.#tasks?.has(change.task) ? change.task : undefined
  }

  /** Returns the notification of a change; undefined if the change does not pass the filter. */
  notificationFor(change: Change): { readonly method: string; readonly uri?: string } | undefined {
    if (change.kind === 'resource_updated') {
      const uri = this.#uris?.get(normaliseUri(change.uri))
      return uri === undefined ? undefined : { method: 'notifications/resources/updated', uri }
    }
    const kind = this.#lists.find((list) => list === change.kind)
    return kind === undefined ? undefined : { method: LIST_CHANGED_METHODS[kind] }
  }
}
