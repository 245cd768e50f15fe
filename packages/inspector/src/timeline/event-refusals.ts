/** Why `events/subscribe` was refused, in plain words: the client shows its person only that it failed. */
import type { EventRefusalReason } from '../../../../src/ports/event-refusal.ts'
import type { EventRefusal } from '../../../../src/ports/request-observer.ts'
import type { StepEvent } from '../objects/log/port.ts'
import { safeReason } from './safe-text.ts'

const SENTENCES: Readonly<Record<EventRefusalReason, string>> = {
  Forbidden: 'The caller may not subscribe',
  InvalidParams: 'The URL, the secret or the arguments are not valid',
  NotFound: 'The caller has no event type with this name',
  ResourceExhausted: 'The caller has reached a limit of subscriptions or challenges',
  Unsupported: 'The event type does not offer webhook',
  challenge_failed: 'The callback did not echo the challenge',
  connection_refused: 'The callback cannot be reached',
  http_4xx: 'The callback refused the challenge (4xx, or a redirect)',
  http_5xx: 'The callback failed at the challenge (5xx)',
  'internal-error': 'The log of the server has the error',
  timeout: 'The callback did not answer the challenge in time',
  tls_error: 'The certificate of the callback is not valid',
}

export function eventRefusal({ reason, message }: EventRefusal): StepEvent {
  const why = message === '' ? '' : `: ${message}`
  return { type: 'refusal', name: reason, message: safeReason(SENTENCES[reason] + why) }
}
