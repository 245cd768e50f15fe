/** The rows of the table and the budget for `paced`. */
import { PAUSE_MS, type PacedRound, type PacedSeries } from '../measure/paced-calls.ts'
import { ratioOf, type Spread, spreadOf } from '../measure/statistics.ts'
import { range, row, times } from './cells.ts'

const FIGURES: readonly {
  readonly title: string
  readonly unit: string
  readonly of: (round: PacedRound) => number
}[] = [
  { title: 'processor time', unit: 'µs', of: ({ cpuMicroseconds }) => cpuMicroseconds },
  { title: 'latency', unit: 'ms', of: ({ latencyMilliseconds }) => latencyMilliseconds.median },
  {
    title: 'latency, upper quartile',
    unit: 'ms',
    of: ({ latencyMilliseconds }) => latencyMilliseconds.upperQuartile,
  },
]

export function pacedRows(series: readonly PacedSeries[]): string[] {
  return FIGURES.flatMap(({ title, unit, of }) =>
    series.map((one) => {
      const spread = spreadOf(one.rounds.map(of))
      return row(
        `a call every ${PAUSE_MS / 1000} s, ${title}`,
        `${one.lane.name}, ${one.entry === 'authorized' ? 'with' : 'without'} an access token`,
        `${spread.median.toFixed(2)} ${unit}`,
        range(spread, 2),
        '',
        '—',
        times(ratioToUnauthorized(series, one, of)?.median),
      )
    }),
  )
}

/** The processor time of an authorized call with pauses, relative to a call without authorization. */
export function pacedRatio(series: readonly PacedSeries[]): Spread | undefined {
  const authorized = series.find(
    ({ lane, entry }) => lane.folder === 'edgeway' && entry === 'authorized',
  )
  return (
    authorized && ratioToUnauthorized(series, authorized, ({ cpuMicroseconds }) => cpuMicroseconds)
  )
}

function ratioToUnauthorized(
  series: readonly PacedSeries[],
  { rounds }: PacedSeries,
  of: (round: PacedRound) => number,
): Spread | undefined {
  const base = series.find(({ lane, entry }) => lane.folder === 'edgeway' && entry === 'one-tool')
  return base && ratioOf(rounds.map(of), base.rounds.map(of))
}
