/** The operations of the admin API on the connection timeline. The author's code uses `edgeway.timeline(env)`. */

import { Refusal } from '../../../../../src/internal.ts'
import type { TimelineControl } from '../../timeline/timeline-control.ts'
import type { TimelineConnection, TimelineSummary } from '../../timeline/views.ts'

/**
 * The connections without their steps, or one whole.
 *
 * @throws {Refusal} when no such connection is stored
 */
export async function readTimeline(
  timeline: TimelineControl | undefined,
  id: string | undefined,
): Promise<
  { readonly connections: readonly TimelineSummary[] } | { readonly connection: TimelineConnection }
> {
  const control = existing(timeline)
  if (id === undefined) return { connections: (await control.connections()).map(summaryOf) }
  const connection = await control.connection(id)
  if (connection === undefined) throw malformed('No such connection is stored')
  return { connection }
}

const MINUTE_MS = 60_000
const MAX_MINUTES = 24 * 60

/** @returns until when production is recorded, in epoch milliseconds @throws {Refusal} for another time */
export async function switchTimelineOn(
  timeline: TimelineControl | undefined,
  text = '',
): Promise<{ readonly endsAt: number }> {
  const control = existing(timeline)
  const minutes = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (minutes < 1 || minutes > MAX_MINUTES) {
    throw malformed(`minutes must be a whole number from 1 to ${MAX_MINUTES}`)
  }
  const endsAt = Date.now() + minutes * MINUTE_MS
  await control.switchOn({ forMs: minutes * MINUTE_MS })
  return { endsAt }
}

export async function switchTimelineOff(
  timeline: TimelineControl | undefined,
): Promise<{ readonly ended: true }> {
  await existing(timeline).switchOff()
  return { ended: true }
}

/** @throws {Refusal} without a timeline */
function existing(timeline: TimelineControl | undefined): TimelineControl {
  if (timeline !== undefined) return timeline
  throw malformed(
    'This server has no timeline: pass timeline() in features, and add the binding MCP_OBJECTS',
  )
}

const malformed = (message: string) => new Refusal('params-malformed', message)

function summaryOf(connection: TimelineConnection): TimelineSummary {
  const { id, client, networks, beganAt, lastAt, verdict } = connection
  const { state, summary, missing } = verdict
  return {
    id,
    client,
    networks,
    beganAt,
    lastAt,
    verdict: { state, summary, ...(missing !== undefined && { missing }) },
  }
}
