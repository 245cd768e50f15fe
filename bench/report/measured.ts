/** All that a run has measured; what it was not asked for is empty. */
import type { Series } from '../measure/contest.ts'
import type { EventReplaySeries } from '../measure/event-replay.ts'
import type { Footprint } from '../measure/footprint.ts'
import type { PublishSeries } from '../measure/publish.ts'
import type { SessionRows } from '../measure/session-rows.ts'

export interface Measured {
  readonly series: readonly Series[]
  readonly published: readonly PublishSeries[]
  readonly sessionRows: readonly SessionRows[]
  readonly replayed: readonly EventReplaySeries[]
  readonly footprints: readonly Footprint[]
}
