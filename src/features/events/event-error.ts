/** The errors of the extension as JSON-RPC errors. */
import { eventErrorObject, forbidden } from '../../protocol/event-errors.ts'
import type { EventError, EventProfile } from '../../protocol/events.ts'
import { insufficientScope, ProtocolError } from '../../protocol/protocol-error.ts'

export function eventError(error: EventError, profile: EventProfile): ProtocolError {
  const { code, message, data } = eventErrorObject(error, profile)
  return new ProtocolError(code, message, data)
}

/** Forbidden, answered with the challenge by which a client asks for the scopes. */
export function missingEventScopes(
  scopes: readonly string[],
  profile: EventProfile,
): ProtocolError {
  const reason = `The token needs the scopes ${scopes.join(' ')}`
  return insufficientScope(scopes, eventErrorObject(forbidden(reason), profile))
}
