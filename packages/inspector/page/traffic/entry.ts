/** The events of `GET /inspect/traffic`, by their kind. */
import type { DecisionEntry, TrafficEntry } from '../../src/inspector/traffic-entry.ts'

export type { TrafficEntry }

export type EntryOf<Kind extends TrafficEntry['kind']> = Extract<
  TrafficEntry,
  { readonly kind: Kind }
>

/** A decision of the server about a request, which the page marks. */
export type Decision = TrafficEntry & DecisionEntry

const DECISIONS: readonly string[] = [
  'refusal',
  'leniency',
  'failure',
] satisfies readonly DecisionEntry['kind'][]

export const isDecision = (entry: TrafficEntry): entry is Decision => DECISIONS.includes(entry.kind)
