/** The timeline as text for a terminal, with the texts of the catalogue of faults. */
import { type TimelineWording, timelineText } from '../timeline/timeline-text.ts'
import type { TimelineConnection } from '../timeline/views.ts'
import { clauseOf } from './clauses.ts'
import { faultText } from './explain.ts'

const TEXTS: TimelineWording = {
  finding({ code, answer }) {
    const fault = faultText(code)
    if (fault === undefined) return [`${answer}.`]
    const { meaning, fix, clause } = fault
    return [`${meaning} ${answer}.`, `Fix: ${fix}`, `${clause.text} (${clause.url})`]
  },
  cause: ({ code }) => faultText(code)?.meaning,
  source({ type, name }) {
    const clause = clauseOf(type, name)
    return clause && `${clause.text}, ${clause.url}`
  },
  end: '',
}

/**
 * Readable text of connections: `edgeway.timeline(env).text()` with sentences for the codes of faults.
 *
 * @param connections the latest first
 */
export function explainedText(connections: readonly TimelineConnection[]): string {
  return timelineText(connections, TEXTS)
}
