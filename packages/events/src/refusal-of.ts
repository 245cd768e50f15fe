/** Why `events/subscribe` was refused, for the log of the operator: a client shows its person no reason. */
import type { EventRefusal } from '../../../src/ports/request-observer.ts'
import { ErrorCode } from '../../../src/protocol/error-codes.ts'
import { eventErrorName } from '../../../src/protocol/event-errors.ts'
import type { CallbackFault } from '../../../src/protocol/events.ts'
import { isJsonObject } from '../../../src/protocol/json.ts'
import { ProtocolError } from '../../../src/protocol/protocol-error.ts'

export function refusalOf(error: unknown): EventRefusal {
  if (!(error instanceof ProtocolError)) return { reason: 'internal-error', message: '' }
  const { code, message, data } = error
  if (code === ErrorCode.invalidParams) return { reason: 'InvalidParams', message }
  const name = eventErrorName(code)
  const given = isJsonObject(data) && typeof data.reason === 'string' ? data.reason : ''
  if (name === undefined) return { reason: 'internal-error', message: '' }
  if (name !== 'CallbackEndpointError') return { reason: name, message: given }
  return { reason: FAULTS.find((fault) => fault === given) ?? 'internal-error', message: '' }
}

const FAULTS: readonly CallbackFault[] = [
  'challenge_failed',
  'connection_refused',
  'http_4xx',
  'http_5xx',
  'timeout',
  'tls_error',
]
