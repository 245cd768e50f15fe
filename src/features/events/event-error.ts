/** The errors of the extension as JSON-RPC errors. */
import { eventErrorCode } from '../../protocol/event-errors.ts'
import type { EventError, EventProfile } from '../../protocol/events.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { InsufficientScopeError, ProtocolError } from '../../protocol/protocol-error.ts'

export function eventError({ name, data }: EventError, profile: EventProfile): ProtocolError {
  return new ProtocolError(eventErrorCode(name, profile), name, data)
}

export const unknownEvent: EventError = { name: 'NotFound', data: { kind: 'event' } }
export const unknownSubscription: EventError = { name: 'NotFound', data: { kind: 'subscription' } }

export function forbidden(reason: string): EventError {
  return { name: 'Forbidden', data: { reason } }
}

export function unsupportedMode(value: unknown): EventError {
  return { name: 'Unsupported', data: { feature: 'deliveryMode', value } as JsonObject }
}

/** Forbidden, answered with the challenge by which a client asks for the scopes. */
export class MissingEventScopes extends InsufficientScopeError {
  constructor(scopes: readonly string[], profile: EventProfile) {
    const reason = `The token needs the scopes ${scopes.join(' ')}`
    super(scopes, {
      code: eventErrorCode('Forbidden', profile),
      message: 'Forbidden',
      data: { reason },
    })
  }
}
