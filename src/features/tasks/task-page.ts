/** One page of a list of tasks. Its cursor names the last task of the page before. */

import { badCursor, encodeCursor, readCursor } from '../../dispatch/listing/cursor.ts'
import type { TaskPosition, TaskSnapshot, Tasks } from '../../ports/tasks.ts'
import type { JsonObject } from '../../protocol/json.ts'

/** Tasks on one page: each costs a call of its object. */
const PAGE_SIZE = 20

/** Pages that are read for one answer. Those of a caller with few scopes may contain none of its tasks. */
const MAX_PAGES = 5

const SOURCE = 'tasks'

export interface TaskPageSnapshots {
  readonly snapshots: readonly TaskSnapshot[]
  /** Undefined on the last page. */
  readonly nextCursor: string | undefined
}

export interface TaskQuery {
  readonly subject: string
  /** Absent: the tasks of all principals of the subject. */
  readonly principal?: string
  /** The last task of the page before. */
  readonly after: TaskPosition | undefined
  /** Whether the states have no result and no error. */
  readonly isBrief: boolean
  /** Whether a task is in the list. Absent: every task is. */
  readonly mayAccess?: (task: TaskSnapshot) => boolean
}

/**
 * Reads the states of a page of tasks. Those that were deleted since, and those that the caller may not access,
 * are left out.
 */
export async function readTaskPage(
  tasks: Tasks,
  { subject, principal, after, isBrief, mayAccess = () => true }: TaskQuery,
): Promise<TaskPageSnapshots> {
  const snapshots: TaskSnapshot[] = []
  let last = after
  for (let pages = 1; ; pages++) {
    const page = await tasks.list(subject, principal, last, PAGE_SIZE)
    const found = await Promise.all(page.map(({ name }) => tasks.read(name, isBrief)))
    for (const [index, snapshot] of found.entries()) {
      if (snapshot === undefined || !mayAccess(snapshot)) continue
      snapshots.push(snapshot)
      last = page[index]
      // The cursor names a task that is in the list, and none that was left out after it.
      if (snapshots.length === PAGE_SIZE) return { snapshots, nextCursor: last && cursorOf(last) }
    }
    if (page.length < PAGE_SIZE) return { snapshots, nextCursor: undefined }
    last = page.at(-1)
    if (pages === MAX_PAGES) return { snapshots, nextCursor: last && cursorOf(last) }
  }
}

function cursorOf({ name, createdAt }: TaskPosition): string {
  return encodeCursor({ source: SOURCE, after: name, inner: String(createdAt) })
}

/** @throws {ProtocolError} invalidParams for a cursor of another list */
export function positionOf(params: JsonObject | undefined): TaskPosition | undefined {
  const position = readCursor(params)
  if (position === undefined) return undefined
  const { source, after, inner } = position
  const createdAt = Number(inner)
  if (source !== SOURCE || after === undefined || !Number.isSafeInteger(createdAt))
    throw badCursor()
  return { name: after, createdAt }
}
