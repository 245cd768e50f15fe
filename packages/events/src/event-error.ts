/** The errors of the extension as JSON-RPC errors. */
import { eventErrorObject, forbidden } from '../../../src/protocol/event-errors.ts'
import type { EventError, EventProfile } from '../../../src/protocol/events.ts'
import { ProtocolError } from '../../../src/protocol/protocol-error.ts'

export function eventError(error: EventError, profile: EventProfile): ProtocolError {
  const { code, message, data } = eventErrorObject(error, profile)
  return new ProtocolError(code, message, data)
}

/** Forbidden, answered with the challenge by which a client asks for the scopes. */
export function missingEventScopes(missingScopes: readonly string[], profile: EventProfile) {
  const reason = `The token needs the scopes ${missingScopes.join(' ')}`
  const { code, message, data } = eventErrorObject(forbidden(reason), profile)
  return new ProtocolError(code, message, data, { missingScopes })
}
