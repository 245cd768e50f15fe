/** Joins the codes and names of a timeline with their texts. */
import { AUTHORIZATION } from '../../../faults/src/catalogue/authorization.ts'
import { DEFINITION_ANSWERS } from '../../../faults/src/catalogue/definition-answers.ts'
import { DISCOVERY } from '../../../faults/src/catalogue/discovery.ts'
import { EVENT_SUBSCRIPTION } from '../../../faults/src/catalogue/event-subscription.ts'
import { MESSAGES } from '../../../faults/src/catalogue/messages.ts'
import { REACHING } from '../../../faults/src/catalogue/reaching.ts'
import type { Fault } from '../../../faults/src/fault.ts'
import type { FaultCode } from '../timeline/verdict/fault-code.ts'
import type {
  CheckedCause,
  TimelineConnection,
  TimelineEntry,
  TimelineEvent,
  TimelineFinding,
  TimelineVerdict,
} from '../timeline/views.ts'
import { type Clause, clauseOf } from './clauses.ts'

/** What the catalogue of faults says of a code, in the words of `edgeway doctor`. */
export interface FaultText {
  /** What is wrong, in one sentence. */
  readonly meaning: string
  /** What the owner of the server does about it. */
  readonly fix: string
  readonly clause: Clause
}

export interface ExplainedFinding extends TimelineFinding {
  /** Undefined for a code of another release. */
  readonly fault?: FaultText
}

export interface ExplainedCause extends CheckedCause {
  /** Undefined for a code of another release. */
  readonly fault?: FaultText
}

export interface ExplainedEvent extends TimelineEvent {
  /** The clause behind the reason, where it has one. */
  readonly clause?: Clause
}

export interface ExplainedEntry extends TimelineEntry {
  readonly events: readonly ExplainedEvent[]
}

export interface ExplainedVerdict extends TimelineVerdict {
  readonly findings: readonly ExplainedFinding[]
  readonly checked: readonly ExplainedCause[]
}

/** A connection with the texts of its faults and the clauses of its events. */
export interface ExplainedConnection extends TimelineConnection {
  readonly verdict: ExplainedVerdict
  readonly steps: readonly ExplainedEntry[]
}

/** The connection with the texts of its faults, and the clauses of its refusals and leniencies. */
export function explain(connection: TimelineConnection): ExplainedConnection {
  const { verdict, steps } = connection
  return {
    ...connection,
    verdict: {
      ...verdict,
      findings: verdict.findings.map(withFault),
      checked: verdict.checked.map(withFault),
    },
    steps: steps.map((step) => ({ ...step, events: step.events.map(withClause) })),
  }
}

/** Undefined for a code of another release. */
export function faultText(code: string): FaultText | undefined {
  const fault = findFault(code)
  if (fault === undefined) return undefined
  const { meaning, fix, clause: text, source: url } = fault
  return { meaning, fix, clause: { text, url } }
}

function withFault<T extends { readonly code: string }>(
  one: T,
): T & { readonly fault?: FaultText } {
  const fault = faultText(one.code)
  return fault === undefined ? one : { ...one, fault }
}

function withClause(event: TimelineEvent): ExplainedEvent {
  const clause = clauseOf(event.type, event.name)
  return clause === undefined ? event : { ...event, clause }
}

/** The faults that a running server can have: the catalogue without those of a project's configuration. */
const FAULTS: Readonly<Record<FaultCode, Fault>> = {
  ...REACHING,
  ...DISCOVERY,
  ...AUTHORIZATION,
  ...MESSAGES,
  ...DEFINITION_ANSWERS,
  ...EVENT_SUBSCRIPTION,
}

/** Undefined for a code of another release. */
function findFault(code: string): Fault | undefined {
  return Object.hasOwn(FAULTS, code) ? FAULTS[code as FaultCode] : undefined
}
