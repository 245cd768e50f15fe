/** The series of a run, looked up by who and what, and set against each other. */

import type { WorkName } from '../lanes/lane.ts'
import type { Series } from '../measure/contest.ts'
import { ratioOf, type Spread, spreadOf } from '../measure/statistics.ts'

export interface Figures {
  readonly cpu: Spread
  readonly requestsPerSecond: Spread
}

export function figuresOf({ rounds }: Series): Figures {
  return {
    cpu: spreadOf(rounds.map(({ cpuMicroseconds }) => cpuMicroseconds)),
    requestsPerSecond: spreadOf(rounds.map(({ requestsPerSecond }) => requestsPerSecond)),
  }
}

export function find(
  series: readonly Series[],
  folder: string,
  name: WorkName,
): Series | undefined {
  return series.find(({ lane, work }) => lane.folder === folder && work.name === name)
}

/** Where the bare route is the same: it has no registry, no authorization, and one form. */
const BARE_WORKS: Partial<Record<WorkName, WorkName>> = {
  'call-100': 'call',
  'authorized-call': 'call',
  refresh: 'token',
}

/** The route without a protocol that a work is set against. */
export function bareOf(series: readonly Series[], name: WorkName): Series | undefined {
  if (name === 'list' || name === 'session-list') return find(series, 'same-bytes', name)
  return find(series, 'bare', BARE_WORKS[name] ?? name)
}

/** Server processor time of one over that of another; undefined where either was not measured. */
export function cpuRatio(of: Series | undefined, to: Series | undefined): Spread | undefined {
  if (of === undefined || to === undefined) return undefined
  return ratioOf(
    of.rounds.map(({ cpuMicroseconds }) => cpuMicroseconds),
    to.rounds.map(({ cpuMicroseconds }) => cpuMicroseconds),
  )
}
