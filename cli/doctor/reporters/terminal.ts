/** The report for people: the clients in one list, then each finding once with its clients. */
import pc from 'picocolors'
import type { ProjectReport } from '../../config/examine-project.ts'
import type { DoctorReport } from '../doctor.ts'
import { printable } from '../text.ts'
import type { ClientReport, Finding } from '../walk.ts'

type Colors = ReturnType<typeof pc.createColors>

export interface TerminalOptions {
  readonly colors: boolean
  readonly columns: number
}

/** The report of a server: the clients, the findings, the notes. */
export function terminalReport(report: DoctorReport, options: TerminalOptions): string {
  const color = pc.createColors(options.colors)
  const lines = report.clients.map((client) => clientLine(client, color))
  const groups = grouped(report.clients, ({ code }) => code)
  const sections = { groups, notes: report.notes }
  return textOf(report.url, [lines.join('\n')], sections, summary(report, color), options)
}

/** The report of a project, which no client has connected to yet. */
export function projectText(report: ProjectReport, options: TerminalOptions): string {
  const color = pc.createColors(options.colors)
  const groups = grouped(report.clients, ({ code, message }) => `${code} ${message}`)
  const text = countsOf(groups.map(({ finding }) => finding))
  const result = text === '' ? color.green('No faults.') : color.red(`${text}.`)
  return textOf(report.config, [], { groups, notes: report.notes }, result, options)
}

interface Sections {
  readonly groups: readonly Group[]
  readonly notes: readonly string[]
}

function textOf(
  examined: string,
  head: readonly string[],
  { groups, notes }: Sections,
  result: string,
  { colors, columns }: TerminalOptions,
): string {
  const color = pc.createColors(colors)
  const width = Math.max(40, Math.min(columns, 100))
  const sections = [
    `${color.bold('edgeway doctor')} ${printable(examined, 400)}`,
    ...head,
    ...groups.map((group) => findingText(group, color, width)),
    ...notes.map((note) => color.dim(wrapped(note, width, ''))),
    result,
  ]
  return `${sections.join('\n\n')}\n`
}

function clientLine({ name, connects, failsAt, findings }: ClientReport, color: Colors): string {
  const mark = connects ? color.green('✓') : color.red('✗')
  const detail = countsOf(findings)
  const verdict = connects ? 'connects' : `does not connect: fails where it ${failsAt}`
  return `  ${mark} ${name.padEnd(15)} ${verdict}${detail === '' ? '' : color.dim(`  ${detail}`)}`
}

/** `2 errors, 1 warning` */
function countsOf(findings: readonly Finding[]): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const counts = [count(errors, 'error'), count(findings.length - errors, 'warning')]
  return counts.filter((text) => text !== '').join(', ')
}

const count = (n: number, noun: string) => (n === 0 ? '' : `${n} ${noun}${n === 1 ? '' : 's'}`)

interface Group {
  readonly finding: Finding
  /** What each client met. */
  readonly met: readonly { readonly name: string; readonly message: string }[]
  readonly total: number
}

/** Findings with the same key are one cause. It is shown with its worst severity. */
function grouped(
  clients: readonly ClientReport[],
  keyOf: (finding: Finding) => string,
): readonly Group[] {
  const groups = new Map<string, Group>()
  for (const { name, findings } of clients) {
    for (const finding of findings) {
      const key = keyOf(finding)
      const { finding: first = finding, met = [] } = groups.get(key) ?? {}
      const isWorse = finding.severity === 'error' && first.severity !== 'error'
      groups.set(key, {
        finding: isWorse ? finding : first,
        met: [...met, { name, message: finding.message }],
        total: clients.length,
      })
    }
  }
  return [...groups.values()].sort((a, b) => a.finding.severity.localeCompare(b.finding.severity))
}

const likewise = (clients: readonly string[]) =>
  `Likewise, with other values (--json): ${clients.join(', ')}.`

function findingText({ finding, met, total }: Group, color: Colors, width: number): string {
  const { severity, code, message, clause, fix } = finding
  const label = severity === 'error' ? color.red('error') : color.yellow('warning')
  const clients = met.map(({ name }) => name)
  const names = clients.length === total && total > 1 ? 'every client' : clients.join(', ')
  const others = met.filter((one) => one.message !== message).map(({ name }) => name)
  return [
    `${label} ${color.bold(code)} ${color.dim(`(${names})`)}`,
    wrapped(printable(message, 2000), width, '  '),
    ...(others.length === 0 ? [] : [wrapped(likewise(others), width, '  ')]),
    wrapped(`Fix: ${fix}`, width, '  '),
    color.dim(wrapped(clause, width, '  ')),
  ].join('\n')
}

function summary({ clients, isReached }: DoctorReport, color: Colors): string {
  const connecting = clients.filter(({ connects }) => connects).length
  if (!isReached) return color.red('No MCP server was reached at this URL.')
  const text = `${connecting} of ${clients.length} clients connect.`
  return connecting === clients.length ? color.green(text) : color.red(text)
}

/** Breaks lines at spaces; a longer word, such as a URL, stays whole. */
export function wrapped(text: string, width: number, indent: string): string {
  const lines: string[] = []
  let line = indent
  for (const word of text.split(' ')) {
    if (line.length > indent.length && line.length + word.length + 1 > width) {
      lines.push(line)
      line = indent
    }
    line += line.length === indent.length ? word : ` ${word}`
  }
  return [...lines, line].join('\n')
}
