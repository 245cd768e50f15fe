/** The results of `events/poll`. */
import { isJsonObject } from '../../../../../../src/protocol/json.ts'
import { quoted } from '../../../../../text/src/quoted.ts'
import { answered, type Detected, detected } from '../../detected.ts'
import type { PollObservation } from '../../probes/events/poll.ts'
import { occurrenceFault } from './occurrence.ts'

export function pollFaults(poll: PollObservation | undefined): Detected[] {
  const { type, first, next } = poll ?? {}
  for (const reply of [first, next]) {
    if (reply !== undefined && reply.kind !== 'result') {
      return [answered('events-poll-failed', `events/poll of ${quoted(type)}`, reply)]
    }
    const fault = reply && resultFault(reply.result, type)
    if (fault !== undefined) {
      return [detected('events-poll-invalid', `The result of events/poll ${fault}`)]
    }
  }
  const events =
    first?.kind === 'result' && isJsonObject(first.result) ? first.result.events : undefined
  return Array.isArray(events) && events.length > 0
    ? [detected('events-poll-replays', `It returns ${events.length} of ${quoted(type)}`)]
    : []
}

function resultFault(result: unknown, type: string | undefined): string | undefined {
  if (!isJsonObject(result)) return `is ${quoted(result)}`
  const { events, cursor, truncated, hasMore, nextPollMs } = result
  const wrong = Object.entries({
    events: Array.isArray(events),
    cursor: cursor === null || typeof cursor === 'string',
    truncated: typeof truncated === 'boolean',
    hasMore: typeof hasMore === 'boolean',
    nextPollMs: typeof nextPollMs === 'number' && nextPollMs >= 0,
  }).find(([, isRight]) => !isRight)
  if (wrong !== undefined) return `has the ${wrong[0]} ${quoted(result[wrong[0]])}`
  const faults = (events as readonly unknown[]).map((event) => occurrenceFault(event, type))
  return faults.find((fault) => fault !== undefined)
}
