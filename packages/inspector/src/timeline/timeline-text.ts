/**
 * The timeline as text for a terminal. Without the texts of `../timeline-texts`, a fault is named by its code and
 * its place in the documentation.
 */
import type {
  CheckedCause,
  TimelineConnection,
  TimelineEntry,
  TimelineEvent,
  TimelineFinding,
  TimelineSummary,
} from './views.ts'

/** What the text says of a code or of a name, beside the recorded values. */
export interface TimelineWording {
  /** The lines below the code of a finding. */
  readonly finding: (finding: TimelineFinding) => readonly string[]
  /** What a known cause means, as a sentence; undefined to leave it out. */
  readonly cause?: (cause: CheckedCause) => string | undefined
  /** Where the reason of a refusal or a leniency can be read; undefined to leave it out. */
  readonly source?: (event: TimelineEvent) => string | undefined
  /** The last line. */
  readonly end: string
}

const REFERENCE = 'docs/reference'

const CODES: TimelineWording = {
  finding: ({ code, answer }) => [`${answer}.`, `${REFERENCE}/faults.md#${code}`],
  end: `Faults are explained in ${REFERENCE}/faults.md, refusals in ${REFERENCE}/reasons.md.\n`,
}

/** @param connections the latest first */
export function timelineText(
  connections: readonly TimelineConnection[],
  wording: TimelineWording = CODES,
): string {
  const text = listText(connections, (connection) => connectionText(connection, wording))
  return connections.length === 0 || wording.end === '' ? text : `${text}\n${wording.end}`
}

/** @param connections the latest first */
export function timelineSummaryText(connections: readonly TimelineSummary[]): string {
  return listText(connections, summaryText)
}

function listText<T>(connections: readonly T[], textOf: (connection: T) => string): string {
  if (connections.length === 0) return 'No connections are recorded.\n'
  return `${connections.map(textOf).join('\n\n')}\n`
}

function summaryText(connection: TimelineSummary): string {
  const { id, client, networks, beganAt, lastAt, verdict } = connection
  const clientId = client.id === undefined ? '' : ` ${client.id}`
  return [
    `${client.name}${clientId} (network ${networks.join(', ')}): ${verdict.state}`,
    `  connection ${id}, ${new Date(beganAt).toISOString()} to ${new Date(lastAt).toISOString()}`,
    `  ${verdict.summary}`,
  ].join('\n')
}

function connectionText(connection: TimelineConnection, wording: TimelineWording): string {
  const { verdict, steps } = connection
  return [
    summaryText(connection),
    ...steps.map((step) => stepText(step, wording)),
    ...verdict.findings.map((finding) => findingText(finding, wording)),
    ...(verdict.checked.length > 0 ? ['  Known causes that were checked:'] : []),
    ...verdict.checked.map((cause) => causeText(cause, wording)),
  ].join('\n')
}

function stepText(
  { at, tookMs, http, status, title, events, details }: TimelineEntry,
  { source }: TimelineWording,
): string {
  const time = new Date(at).toISOString().slice(11, 23)
  const url = String(details.url ?? '')
  const head = `  ${time}  ${status}  ${title} (${http} ${url}, ${tookMs} ms)`
  const lines = events.map((event) => {
    const { type, name, message } = event
    const text = source?.(event)
    return `                ${type} ${name}: ${message}${text === undefined ? '' : ` [${text}]`}`
  })
  return [head, ...lines].join('\n')
}

function findingText(finding: TimelineFinding, wording: TimelineWording): string {
  const lines = wording.finding(finding).map((line) => `    ${line}`)
  return [`  ${finding.severity} ${finding.code}`, ...lines].join('\n')
}

const MARKS: Readonly<Record<CheckedCause['result'], string>> = {
  passed: 'ok     ',
  failed: 'FAILED ',
  unseen: 'unseen ',
}

function causeText(cause: CheckedCause, wording: TimelineWording): string {
  const { code, result, answer } = cause
  const meaning = wording.cause?.(cause)
  const text = meaning === undefined ? '' : `${meaning} ${result === 'unseen' ? '' : 'Answer: '}`
  return `    ${MARKS[result]} ${code}: ${text}${answer}.`
}
