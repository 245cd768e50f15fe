/** `events/poll`: reads the log, without anything that is kept between two polls but the lease of an upstream. */

import type { EventOccurrence, PollResult } from '../../../src/protocol/events.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { type Admitted, admit } from './admit.ts'
import type { EventCaller, EventServer } from './event-caller.ts'
import { readEventParams, readInteger, startOf } from './event-params.ts'
import { reportFailure } from './failure.ts'
import { leaseUpstream } from './lease-upstream.ts'
import { formatCursor } from './objects/cursor.ts'
import type { LogPage, LogStart } from './objects/port.ts'
import { occurrenceFor } from './occurrence-for.ts'

const DEFAULT_EVENTS = 100
const MAX_EVENTS = 500

/** Occurrences that one read of the log examines, those for others included, and reads of one poll. */
const PAGE = 200
const MAX_READS = 10

/** What one result has at most. */
export interface PollBounds {
  readonly events: number
  /** UTF-16 code units of the data. The event that exceeds them is the last one. */
  readonly length: number
}

const BOUNDS: PollBounds = { events: MAX_EVENTS, length: 1024 * 1024 }

/** @throws {ProtocolError} */
export async function poll(
  server: EventServer,
  asking: EventCaller,
  params: JsonObject | undefined,
  bounds = BOUNDS,
): Promise<PollResult> {
  const read = readEventParams(params)
  const maxEvents = readInteger(params ?? {}, 'maxEvents', 1) ?? DEFAULT_EVENTS
  const admitted = await admit(server, asking, read, 'poll')
  const { type } = admitted
  await leaseUpstream(asking, admitted, server.limits)
  const result = {
    events: [],
    cursor: null,
    truncated: false,
    hasMore: false,
    nextPollMs: server.limits.pollMs,
  }
  if (type.historyMs === 0) return result
  const start = startOf(type, read)
  const { events, length } = bounds
  const page = { events: Math.min(maxEvents, events), length }
  return { ...result, ...(await collect(asking, admitted, read.arguments, start, page)) }
}

async function collect(
  asking: EventCaller,
  { type, log, subject }: Admitted,
  args: JsonObject,
  start: LogStart,
  bounds: PollBounds,
): Promise<Omit<PollResult, 'nextPollMs'>> {
  const events: EventOccurrence[] = []
  let from = start
  let truncated = false
  let length = 0
  for (let reads = 1; ; reads++) {
    const page: LogPage = await asking.objects.read(log, { ...from, subject, limit: PAGE })
    truncated ||= page.truncated
    let position = page.position
    let isFull = false
    for (const [index, occurrence] of page.occurrences.entries()) {
      // One whose `match` or `transform` throws is missing, and the events after it can still be polled.
      const event = await occurrenceFor(type, asking, args, occurrence).catch((error) => {
        reportFailure(error, `Event ${type.name}`, asking.report)
        return 'gap' as const
      })
      if (event === 'gap') truncated = true
      else if (event !== undefined) {
        events.push(event)
        length += occurrence.data.length
      }
      isFull = events.length >= bounds.events || length > bounds.length
      if (isFull && index < page.occurrences.length - 1) {
        position = occurrence.position
        break
      }
    }
    const hasMore = position < page.position || page.hasMore
    const after = { log: page.log, position }
    if (isFull || !hasMore || reads === MAX_READS) {
      return { events, cursor: formatCursor(after), truncated, hasMore }
    }
    from = { after, maxAgeMs: undefined }
  }
}
