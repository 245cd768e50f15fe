/**
 * The errors of MCP Events and their numbers: those of SEP-3415 for a client that has declared the extension, and those
 * of the sketch before it for any other. The message of each is its name.
 *
 * @see https://github.com/modelcontextprotocol/ext-events
 */

import { type ClientCapabilities, hasCapability } from './capabilities.ts'
import type { ErrorCode } from './error-codes.ts'
import {
  type CallbackFault,
  EVENTS_EXTENSION,
  type EventError,
  type EventErrorName,
  type EventProfile,
} from './events.ts'
import type { JsonObject } from './json.ts'

/** Those of SEP-3415. */
const CODES = {
  NotFound: -32023,
  Forbidden: -32024,
  ResourceExhausted: -32025,
  Unsupported: -32026,
  CallbackEndpointError: -32027,
} as const satisfies Record<EventErrorName, number>

/** Those of the sketch are in the same order: -32011 to -32015. */
const OFFSETS = { sep: 0, sketch: 12 } as const satisfies Record<EventProfile, number>

export function eventErrorProfile(capabilities: ClientCapabilities): EventProfile {
  return hasCapability(capabilities, ['extensions', EVENTS_EXTENSION]) ? 'sep' : 'sketch'
}

export function eventErrorCode(name: EventErrorName, profile: EventProfile): ErrorCode {
  return (CODES[name] + OFFSETS[profile]) as ErrorCode
}

/** Undefined for the number of another error. */
export function eventErrorName(code: number): EventErrorName | undefined {
  const names = Object.keys(CODES) as readonly EventErrorName[]
  return names.find((name) => code === CODES[name] || code === CODES[name] + OFFSETS.sketch)
}

/** The error as a control envelope and a notification have it. */
export function eventErrorObject({ name, data }: EventError, profile: EventProfile) {
  return { code: eventErrorCode(name, profile), message: name, data }
}

export const unknownEvent: EventError = { name: 'NotFound', data: { kind: 'event' } }
export const unknownSubscription: EventError = { name: 'NotFound', data: { kind: 'subscription' } }

export function forbidden(reason: string): EventError {
  return { name: 'Forbidden', data: { reason } }
}

export function unsupported(feature: string, rest: JsonObject): EventError {
  return { name: 'Unsupported', data: { feature, ...rest } }
}

export function unsupportedMode(value: unknown): EventError {
  return unsupported('deliveryMode', { value } as JsonObject)
}

export function exhausted(limit: string, max?: number): EventError {
  return { name: 'ResourceExhausted', data: max === undefined ? { limit } : { limit, max } }
}

/** @param reason a fault of the server itself has no word of its own */
export function callbackError(reason: CallbackFault | 'internal_error'): EventError {
  return { name: 'CallbackEndpointError', data: { reason } }
}
