/** The errors of the extension as JSON-RPC errors. */
import { eventErrorObject, forbidden } from '../../protocol/event-errors.ts'
import type { EventError, EventProfile } from '../../protocol/events.ts'
import { InsufficientScopeError, ProtocolError } from '../../protocol/protocol-error.ts'

export function eventError(error: EventError, profile: EventProfile): ProtocolError {
  const { code, message, data } = eventErrorObject(error, profile)
  return new ProtocolError(code, message, data)
}

/** Forbidden, answered with the challenge by which a client asks for the scopes. */
export class MissingEventScopes extends InsufficientScopeError {
  constructor(scopes: readonly string[], profile: EventProfile) {
    const reason = `The token needs the scopes ${scopes.join(' ')}`
    super(scopes, eventErrorObject(forbidden(reason), profile))
  }
}
