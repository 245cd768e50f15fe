/** What ends the waits of a run: the delivery of a value, now or before the handler waits, or a time. */
import { misfitOf } from '../../src/features/asks/journal/event-misfit.ts'
import type { Delivery, DeliveryRefusal } from '../../src/ports/tasks.ts'
import type { JsonValue } from '../../src/protocol/json.ts'
import type { AskResponse } from './run-state.ts'

/** Maximum length of a delivered value, in UTF-16 code units of JSON text. */
const MAX_VALUE_LENGTH = 256 * 1024

/** Delivered values that no wait has used yet, of one run. */
const MAX_KEPT_VALUES = 100

/** What a wait for a time or an event receives when its time is over. */
export function responseAt(kind: string, key: string): AskResponse {
  if (kind !== 'event') return { kind: 'fresh', value: {} }
  return { kind: 'refusal', value: `Nothing was delivered to "${key}" in time.` }
}

interface Wait {
  /** The schema of its value, as JSON text. */
  readonly detail: string | null
  /** Epoch milliseconds; null for a wait without end. */
  readonly until: number | null
}

/** A run as a delivery sees it. */
export interface Recipient {
  /** The wait of a key; undefined before the handler waits. */
  readonly waitOf: (key: string) => Wait | undefined
  /** The kind of the journal's entry for a key. */
  readonly entryOf: (key: string) => string | undefined
  /** The number of recorded values that no handler has read. */
  readonly countUnread: () => number
  readonly give: (key: string, response: AskResponse) => void
}

export async function deliver(
  find: () => Recipient | 'unknown' | 'over',
  key: string,
  text: string,
): Promise<Delivery> {
  if (text.length > MAX_VALUE_LENGTH) return { kind: 'too-large', limit: MAX_VALUE_LENGTH }
  const value = JSON.parse(text) as JsonValue
  const recipient = find()
  if (typeof recipient === 'string') return { kind: recipient }
  const detail = recipient.waitOf(key)?.detail
  const misfit = detail && misfitOf({ kind: 'event', schema: JSON.parse(detail) }, value)
  if (misfit) return { kind: 'misfit', detail: misfit }
  const refusal = deliveryRefusal(recipient, key)
  if (refusal !== undefined) return { kind: refusal }
  recipient.give(key, { kind: 'fresh', value: { value } })
  return { kind: 'kept' }
}

/** Returns why no value of a key would be kept now; undefined if one would be. */
export function deliveryRefusal(
  recipient: Recipient | 'unknown' | 'over',
  key: string,
): DeliveryRefusal | undefined {
  if (typeof recipient === 'string') return recipient
  const entry = recipient.entryOf(key)
  if (entry === 'refusal') return 'late'
  if (entry !== undefined && entry !== 'wait') return 'delivered'
  const wait = recipient.waitOf(key)
  if (wait === undefined) return recipient.countUnread() >= MAX_KEPT_VALUES ? 'full' : undefined
  // The alarm that ends the wait may be late.
  return wait.until !== null && wait.until <= Date.now() ? 'late' : undefined
}
