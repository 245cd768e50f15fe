/** Reads the params that `events/poll`, `events/stream` and `events/subscribe` share. */

import { isJsonObject, type JsonObject } from '../../../src/protocol/json.ts'
import { invalidParams } from '../../../src/protocol/protocol-error.ts'
import type { CompiledEventType } from './compiled-event-type.ts'
import { parseCursor } from './objects/cursor.ts'
import type { LogPosition, LogStart } from './objects/port.ts'

export interface EventParams {
  readonly name: string
  readonly arguments: JsonObject
  /** Undefined: from now. `unknown`: a text that no log of this server has issued. */
  readonly cursor: LogPosition | 'unknown' | undefined
  readonly maxAgeMs: number | undefined
}

/** A cursor that no log has issued: the position of none. */
const UNKNOWN: LogPosition = { log: '', position: 0 }

/** Where a request begins in the log. A type without history has no cursors, and always begins now. */
export function startOf(
  { historyMs }: Pick<CompiledEventType, 'historyMs'>,
  { cursor, maxAgeMs }: EventParams,
): LogStart {
  if (cursor === undefined || historyMs === 0) return { after: undefined, maxAgeMs: undefined }
  return { after: cursor === 'unknown' ? UNKNOWN : cursor, maxAgeMs }
}

/** Most UTF-16 code units of the canonical text of arguments: each subscription stores them twice. */
export const MAX_ARGUMENTS_LENGTH = 8192

/** @throws {ProtocolError} invalidParams */
export function readEventParams(params: JsonObject = {}): EventParams {
  return {
    ...readTarget(params),
    cursor: readCursor(params.cursor),
    maxAgeMs: readInteger(params, 'maxAgeMs', 0),
  }
}

/**
 * Name and arguments alone, which identify a subscription.
 *
 * @throws {ProtocolError} invalidParams
 */
export function readTarget(params: JsonObject): Pick<EventParams, 'name' | 'arguments'> {
  const { name, arguments: args = {} } = params
  if (typeof name !== 'string' || name === '') {
    throw invalidParams('params.name must be the name of an event type')
  }
  if (!isJsonObject(args)) throw invalidParams('params.arguments must be an object')
  return { name, arguments: args }
}

/**
 * Undefined for an absent member and for null.
 *
 * @throws {ProtocolError} invalidParams
 */
export function readInteger(
  params: JsonObject,
  member: string,
  minimum: number,
): number | undefined {
  const value = params[member]
  if (value === undefined || value === null) return undefined
  if (Number.isSafeInteger(value) && (value as number) >= minimum) return value as number
  throw invalidParams(`params.${member} must be an integer of at least ${minimum}`)
}

function readCursor(cursor: unknown): EventParams['cursor'] {
  if (cursor === undefined || cursor === null) return undefined
  if (typeof cursor !== 'string') throw invalidParams('params.cursor must be a string or null')
  return parseCursor(cursor) ?? 'unknown'
}
