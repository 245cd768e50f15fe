/** The rows of the table for `session-rows` and `replay`. */
import { EVENTS, type EventReplay, type EventReplaySeries } from '../measure/event-replay.ts'
import { SESSIONS, type SessionRows, type SessionUse } from '../measure/session-rows.ts'
import { spreadOf } from '../measure/statistics.ts'
import { range, row } from './cells.ts'

const USES: Readonly<Record<SessionUse, string>> = {
  initialize: 'only initialize',
  'list-and-call': 'list and call once',
}

export function sessionRowRows(counted: readonly SessionRows[]): string[] {
  return (Object.keys(USES) as SessionUse[]).flatMap((use) =>
    counted
      .filter((each) => each.use === use)
      .map(({ lane, objects, rows, bytes }) =>
        row(
          `${SESSIONS} sessions that ${USES[use]}: objects, rows, bytes`,
          lane.name,
          `${objects}, ${rows}, ${bytes}`,
          '',
          '',
          '',
          '',
        ),
      ),
  )
}

const FIGURES: readonly { title: string; of: (replay: EventReplay) => number }[] = [
  { title: `replay of ${EVENTS} events, last event`, of: ({ milliseconds }) => milliseconds },
  {
    title: `replay of ${EVENTS} events, processor time`,
    of: ({ cpuMilliseconds }) => cpuMilliseconds,
  },
]

export function replayRows(series: readonly EventReplaySeries[]): string[] {
  return FIGURES.flatMap(({ title, of }) =>
    series.map(({ lane, replays }) => {
      const spread = spreadOf(replays.map(of))
      return row(title, lane.name, `${spread.median.toFixed(1)} ms`, range(spread, 1), '', '', '')
    }),
  )
}
