/** One attempt to deliver one row of the outbox, up to the answer of the callback. */

import { utf8Length } from '../../../../../src/platform/utf8.ts'
import { type CallbackFault, MAX_EVENT_BYTES } from '../../../../../src/protocol/events.ts'
import { checkCallback } from '../callback-rules.ts'
import { formatCursor } from '../cursor.ts'
import { askCallback } from './callback-post.ts'
import { type Answer, type AttemptOutcome, outcomeOf } from './decide-attempt.ts'
import { watermarkOf } from './decide-watermark.ts'
import { type Content, contentOf } from './delivery-content.ts'
import type { Place } from './isolate-places.ts'
import { hasCursors, policyOf, type SubscriberParts } from './parts.ts'
import type { PendingKey, SubscriptionRow } from './schema.ts'
import { signingKeys } from './secrets.ts'
import { signMessage } from './signature.ts'
import { isPending, oldestPending, pendingOf, subscriptionIn } from './statements.ts'

export type Attempt =
  | Exclude<Content, { kind: 'ready' }>
  | {
      readonly kind: AttemptOutcome
      readonly reason: CallbackFault | undefined
      /** It is counted for the callback. */
      readonly isAnswer: true
    }

const answered = (answer: Answer): Attempt => ({
  kind: outcomeOf(answer),
  reason: answer.fault,
  isAnswer: true,
})

/**
 * Undefined when the event must not be delivered any more. Rejects when the keyring is unreachable.
 *
 * @param place learns when the request is sent
 */
export async function sendEvent(
  parts: SubscriberParts,
  key: PendingKey,
  place: Pick<Place, 'sent'>,
): Promise<Attempt | undefined> {
  const { sql } = parts
  const row = deliverable(parts, key)
  const pending = pendingOf(sql, key)
  if (row === undefined || pending === undefined) return undefined
  const content = await contentOf(parts, row, pending)
  if (content.kind !== 'ready') return content
  const checked = await checkCallback(row.url, policyOf(parts))
  if (!checked.ok) return answered({ status: undefined, fault: 'connection_refused' })
  for (;;) {
    const signer = deliverable(parts, key)
    if (signer === undefined) return undefined
    const body = content.write(cursorOf(parts, row, key))
    if (utf8Length(body) > MAX_EVENT_BYTES) return { kind: 'dropped', reason: 'too_large' }
    const keys = await signingKeys(parts, signer)
    if (keys.length === 0) return { kind: 'failed', reason: 'secret_unreadable' }
    const message = { id: key.event_id, subscription: row.id, body }
    const signed = await signMessage(message, keys, parts.now)
    // Nothing is awaited from here to the request: what has ended meanwhile receives nothing.
    const latest = deliverable(parts, key)
    if (latest === undefined) return undefined
    if (hasSameSecrets(latest, signer)) {
      place.sent()
      return answered(await askCallback(parts, { ...signed, url: row.url }))
    }
  }
}

/** The subscription of a row that may be sent now. */
function deliverable({ sql, now }: SubscriberParts, key: PendingKey) {
  const row = subscriptionIn(sql, key.registration)
  if (row?.state !== 'active' || !isPending(sql, key)) return undefined
  return row.expires_at !== null && row.expires_at <= now ? undefined : row
}

/** A refresh has replaced them while the message was signed. */
function hasSameSecrets(one: SubscriptionRow, other: SubscriptionRow): boolean {
  return one.secret === other.secret && one.previous_secret === other.previous_secret
}

function cursorOf(parts: SubscriberParts, { type }: SubscriptionRow, key: PendingKey) {
  if (!hasCursors(parts, type)) return null
  const { registration, log, position } = key
  const oldest = oldestPending(parts.sql, registration, log, key)
  return formatCursor({ log, position: watermarkOf(position, oldest) })
}
