/** All results of a run. A measurement that was not selected is empty. */
import type { EventReplaySeries } from '../measure/event-replay.ts'
import type { Footprint } from '../measure/footprint.ts'
import type { Series } from '../measure/interleaved-run.ts'
import type { PacedSeries } from '../measure/paced-calls.ts'
import type { PublishSeries } from '../measure/publish.ts'
import type { SessionRows } from '../measure/session-rows.ts'
import type { TaskCountsReport } from '../measure/task-counts.ts'
import type { UsageCounts } from '../measure/usage-counts.ts'

export interface Measured {
  readonly series: readonly Series[]
  readonly published: readonly PublishSeries[]
  readonly sessionRows: readonly SessionRows[]
  readonly replayed: readonly EventReplaySeries[]
  readonly paced: readonly PacedSeries[]
  readonly taskCounts: TaskCountsReport | undefined
  readonly usageCounts: readonly UsageCounts[]
  readonly footprints: readonly Footprint[]
}
