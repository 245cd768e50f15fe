/**
 * The entry `edgeway/timeline-texts`: the texts of the codes that a connection timeline has. A Worker that
 * imports it bundles the catalogue of faults.
 */
export type { Clause } from './clauses.ts'
export {
  type ExplainedCause,
  type ExplainedConnection,
  type ExplainedEntry,
  type ExplainedEvent,
  type ExplainedFinding,
  type ExplainedVerdict,
  explain,
  type FaultText,
} from './explain.ts'
export { explainedText } from './explained-text.ts'
