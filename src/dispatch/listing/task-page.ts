/** One page of a list of tasks. Its cursor names the last task of the page before. */
import type { TaskPosition, TaskSnapshot, Tasks } from '../../ports/tasks.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { badCursor, encodeCursor, readCursor } from './cursor.ts'

/** Tasks on one page: each costs a call of its object. */
const PAGE_SIZE = 20

const SOURCE = 'tasks'

export interface TaskPageSnapshots {
  readonly snapshots: readonly TaskSnapshot[]
  /** Undefined on the last page. */
  readonly nextCursor: string | undefined
}

/** Reads the states of a page of tasks. Those that were deleted since are left out. */
export async function readTaskPage(
  tasks: Tasks,
  subject: string,
  principal: string | undefined,
  after: TaskPosition | undefined,
): Promise<TaskPageSnapshots> {
  const page = await tasks.list(subject, principal, after, PAGE_SIZE)
  const found = await Promise.all(page.map(({ name }) => tasks.read(name)))
  const last = page.length < PAGE_SIZE ? undefined : page.at(-1)
  return {
    snapshots: found.filter((snapshot) => snapshot !== undefined),
    nextCursor: last && cursorOf(last),
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
