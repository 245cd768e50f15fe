/**
 * The errors of MCP Events and their numbers: those of SEP-3415 for a client that has declared the extension, and those
 * of the sketch before it for any other. The message of each is its name.
 *
 * @see https://github.com/modelcontextprotocol/ext-events
 */

import { type ClientCapabilities, hasCapability } from './capabilities.ts'
import {
  type CallbackFault,
  EVENTS_EXTENSION,
  type EventError,
  type EventErrorName,
  type EventProfile,
} from './events.ts'
import type { JsonObject } from './json.ts'

const CODES = {
  NotFound: { sep: -32023, sketch: -32011 },
  Forbidden: { sep: -32024, sketch: -32012 },
  ResourceExhausted: { sep: -32025, sketch: -32013 },
  Unsupported: { sep: -32026, sketch: -32014 },
  CallbackEndpointError: { sep: -32027, sketch: -32015 },
} as const satisfies Record<EventErrorName, Record<EventProfile, number>>

export type EventErrorCode = (typeof CODES)[EventErrorName][EventProfile]

export function eventErrorProfile(capabilities: ClientCapabilities): EventProfile {
  return hasCapability(capabilities, ['extensions', EVENTS_EXTENSION]) ? 'sep' : 'sketch'
}

export function eventErrorCode(name: EventErrorName, profile: EventProfile): EventErrorCode {
  return CODES[name][profile]
}

/** Undefined for the number of another error. */
export function eventErrorName(code: number): EventErrorName | undefined {
  const names = Object.keys(CODES) as readonly EventErrorName[]
  return names.find((name) => Object.values(CODES[name]).includes(code as never))
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
