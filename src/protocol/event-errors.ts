/**
 * The errors of MCP Events and their numbers: those of SEP-3415 for a client that has declared the extension, and those
 * of the sketch before it for any other. The message of each is its name.
 *
 * @see https://github.com/modelcontextprotocol/ext-events
 */
import { EVENTS_EXTENSION, type EventError, type EventErrorName } from './events.ts'
import { type ClientCapabilities, hasCapability } from './capabilities.ts'
import type { JsonObject } from './json.ts'

/** Which numbers a client knows. */
export type EventErrorProfile = 'sep' | 'sketch'

const CODES = {
  NotFound: { sep: -32023, sketch: -32011 },
  Forbidden: { sep: -32024, sketch: -32012 },
  ResourceExhausted: { sep: -32025, sketch: -32013 },
  Unsupported: { sep: -32026, sketch: -32014 },
  CallbackEndpointError: { sep: -32027, sketch: -32015 },
} as const satisfies Record<EventErrorName, Record<EventErrorProfile, number>>

export type EventErrorCode = (typeof CODES)[EventErrorName][EventErrorProfile]

export function eventErrorProfile(capabilities: ClientCapabilities): EventErrorProfile {
  return hasCapability(capabilities, ['extensions', EVENTS_EXTENSION]) ? 'sep' : 'sketch'
}

export function eventErrorCode(name: EventErrorName, profile: EventErrorProfile): EventErrorCode {
  return CODES[name][profile]
}

/** The error as a control envelope and a notification have it. */
export function eventErrorBody({ name, data }: EventError, profile: EventErrorProfile): JsonObject {
  return { code: eventErrorCode(name, profile), message: name, data }
}
