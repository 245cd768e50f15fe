/** `edgeway/timeline`: the feature, its options and its types. */
export * from './timeline.ts'
export type { TimelineControl } from './timeline-control.ts'
export type {
  CheckedCause,
  TimelineConnection,
  TimelineEntry,
  TimelineEvent,
  TimelineFinding,
  TimelineVerdict,
} from './views.ts'
