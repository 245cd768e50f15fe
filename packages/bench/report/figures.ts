/** Finds series by lane and scenario, and computes their medians and ratios. */
import type { ScenarioName } from '../lanes/lane.ts'
import type { Series } from '../measure/interleaved-run.ts'
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

export function findSeries(
  series: readonly Series[],
  folder: string,
  name: ScenarioName,
): Series | undefined {
  return series.find(({ lane, scenario }) => lane.folder === folder && scenario.name === name)
}

/** Scenarios that the bare route does not distinguish from another one. */
const BARE_SCENARIOS: Partial<Record<ScenarioName, ScenarioName>> = {
  'call-100': 'call',
  'authorized-call': 'call',
  refresh: 'token',
}

/** The series of the bare route that a scenario is compared with. */
export function bareOf(series: readonly Series[], name: ScenarioName): Series | undefined {
  if (name === 'list' || name === 'session-list') return findSeries(series, 'same-bytes', name)
  return findSeries(series, 'bare', BARE_SCENARIOS[name] ?? name)
}

/** Divides server processor times, round by round; undefined when either was not measured. */
export function cpuRatio(of: Series | undefined, to: Series | undefined): Spread | undefined {
  if (of === undefined || to === undefined) return undefined
  return ratioOf(
    of.rounds.map(({ cpuMicroseconds }) => cpuMicroseconds),
    to.rounds.map(({ cpuMicroseconds }) => cpuMicroseconds),
  )
}
