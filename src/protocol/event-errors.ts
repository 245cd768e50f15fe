/** The numbers of the errors of MCP Events. The message of each is its name. */
import type { EventError, EventErrorName, EventProfile } from './events.ts'
import type { JsonObject } from './json.ts'

const CODES: Readonly<Record<EventErrorName, Readonly<Record<EventProfile, number>>>> = {
  NotFound: { sep: -32023, sketch: -32011 },
  Forbidden: { sep: -32024, sketch: -32012 },
  ResourceExhausted: { sep: -32025, sketch: -32013 },
  Unsupported: { sep: -32026, sketch: -32014 },
  CallbackEndpointError: { sep: -32027, sketch: -32015 },
}

export interface EventErrorObject {
  readonly code: number
  readonly message: EventErrorName
  readonly data: JsonObject
}

/** The error as a client of this profile receives it. */
export function eventErrorObject(
  { name, data }: EventError,
  profile: EventProfile,
): EventErrorObject {
  return { code: CODES[name][profile], message: name, data }
}
