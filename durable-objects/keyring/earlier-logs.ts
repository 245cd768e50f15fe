/** The steps and entries that an earlier version has stored in the keyring: read and deleted, and not added to. */
import type { TimelineSettings } from '../../src/ports/timeline.ts'
import type { TrafficPage } from '../../src/ports/traffic.ts'
import { type Statements, TIMELINE_RETENTION_MS, TRAFFIC_RETENTION_MS } from './schema.ts'

/** Entries of one page. */
const PAGE = 200

export function timelineSettings(statements: Statements | undefined): TimelineSettings {
  return {
    key: statements?.timelineSetting('key'),
    until: Number(statements?.timelineSetting('until') ?? 0),
  }
}

/** JSON of each step, in the order of their times. */
export function readTimeline(statements: Statements | undefined, now: number): string[] {
  return statements?.stepsAfter(now - TIMELINE_RETENTION_MS).map(({ step }) => step) ?? []
}

export function readTraffic(
  statements: Statements | undefined,
  after: number,
  now: number,
): TrafficPage {
  const rows = statements?.trafficAfter(after, PAGE) ?? []
  return {
    entries: rows
      .filter(({ at }) => at > now - TRAFFIC_RETENTION_MS)
      .map(({ number, owner, entry }) => ({ number, owner, entry })),
    last: rows.at(-1)?.number ?? after,
  }
}

export function purge(statements: Statements, now: number): void {
  statements.deleteTrafficBefore(now - TRAFFIC_RETENTION_MS)
  statements.deleteStepsBefore(now - TIMELINE_RETENTION_MS)
  if (timelineSettings(statements).until > now) return
  statements.deleteTimelineSetting('until')
  if (statements.countSteps() === 0) statements.deleteTimelineSetting('key')
}
