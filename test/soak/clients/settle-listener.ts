/** Waits for the changes that a listener is promised, and records those that do not come. */
import { delay } from '../../faults/sessions/delay.ts'
import type { TopicListener } from '../ledger/topics.ts'

/** Far longer than a change takes on a busy machine, and a kill for which a client is held, in milliseconds. */
const TIMEOUT_MS = 150_000

export async function settleListener(listener: TopicListener): Promise<void> {
  const until = performance.now() + TIMEOUT_MS
  while (!listener.isComplete && performance.now() < until) await delay(20)
  listener.settle()
}
