/** The cursor of a list of tasks: it names the last task of the page before. */
import type { TaskPosition } from '../../ports/tasks.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { badCursor, encodeCursor, readCursor } from './cursor.ts'

/** Tasks on one page: each costs a call of its object. */
export const PAGE_SIZE = 20

const SOURCE = 'tasks'

export function cursorOf({ name, createdAt }: TaskPosition): string {
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
