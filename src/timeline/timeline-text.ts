/** The timeline as text for a terminal. */
import type {
  CheckedCause,
  TimelineConnection,
  TimelineEntry,
  TimelineFinding,
  TimelineSummary,
} from './views.ts'

/** @param connections the latest first */
export function timelineText(connections: readonly TimelineConnection[]): string {
  return listText(connections, connectionText)
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

function connectionText(connection: TimelineConnection): string {
  const { verdict, steps } = connection
  return [
    summaryText(connection),
    ...steps.map(stepText),
    ...verdict.findings.map(findingText),
    ...(verdict.checked.length > 0 ? ['  Known causes that were checked:'] : []),
    ...verdict.checked.map(causeText),
  ].join('\n')
}

function stepText({ at, tookMs, http, status, title, events, details }: TimelineEntry): string {
  const time = new Date(at).toISOString().slice(11, 23)
  const url = String(details.url ?? '')
  const head = `  ${time}  ${status}  ${title} (${http} ${url}, ${tookMs} ms)`
  const lines = events.map(({ type, name, message, clause }) => {
    const source = clause === undefined ? '' : ` [${clause.text}, ${clause.url}]`
    return `                ${type} ${name}: ${message}${source}`
  })
  return [head, ...lines].join('\n')
}

function findingText({ severity, code, message, clause, fix }: TimelineFinding): string {
  return [`  ${severity} ${code}`, `    ${message}`, `    Fix: ${fix}`, `    ${clause}`].join('\n')
}

const MARKS: Readonly<Record<CheckedCause['result'], string>> = {
  passed: 'ok     ',
  failed: 'FAILED ',
  unseen: 'unseen ',
}

function causeText({ code, meaning, result, answer }: CheckedCause): string {
  return `    ${MARKS[result]} ${code}: ${meaning} ${result === 'unseen' ? '' : 'Answer: '}${answer}.`
}
