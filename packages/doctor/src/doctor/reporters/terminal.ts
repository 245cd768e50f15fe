/** The report for people: the clients in one list, then each finding once with its clients. */
import pc from 'picocolors'
import { printable } from '../../../../text/src/terminal-text.ts'
import type { ProjectReport } from '../../config/examine-project.ts'
import type { DoctorReport } from '../doctor.ts'
import type { ClientReport, Finding } from '../walk.ts'

export type Colors = ReturnType<typeof pc.createColors>

export interface TerminalOptions {
  readonly colors: boolean
  readonly columns: number
}

/** The report of a server: the clients, the findings, the notes. */
export function terminalReport(report: DoctorReport, options: TerminalOptions): string {
  const { url: examined, clients, notes } = report
  return reportText(options, (color, width) => ({
    examined,
    head: [clients.map((client) => clientLine(client, color)).join('\n')],
    findings: grouped(clients, ({ code }) => code).map((one) => findingText(one, color, width)),
    notes,
    result: summary(report, color),
  }))
}

/** The report of a project, which no client has connected to yet. */
export function projectText(report: ProjectReport, options: TerminalOptions): string {
  const { config: examined, clients, notes } = report
  const groups = grouped(clients, ({ code, message }) => `${code} ${message}`)
  const text = countsOf(groups.map(({ finding }) => finding))
  return reportText(options, (color, width) => ({
    examined,
    head: [],
    findings: groups.map((group) => findingText(group, color, width)),
    notes,
    result: text === '' ? color.green('No faults.') : color.red(`${text}.`),
  }))
}

interface Sections {
  readonly examined: string
  readonly head: readonly string[]
  readonly findings: readonly string[]
  readonly notes: readonly string[]
  readonly result: string
}

/** The sections of a report, which are written in the colors and the width of the terminal. */
export function reportText(
  { colors, columns }: TerminalOptions,
  write: (color: Colors, width: number) => Sections,
): string {
  const color = pc.createColors(colors)
  const width = Math.max(40, Math.min(columns, 100))
  const { examined, head, findings, notes, result } = write(color, width)
  const title = `${color.bold('edgeway doctor')} ${printable(examined, 400)}`
  const dimmed = notes.map((note) => color.dim(wrapped(printable(note, 1000), width, '')))
  return `${[title, ...head, ...findings, ...dimmed, result].join('\n\n')}\n`
}

function clientLine({ name, connects, failsAt, findings }: ClientReport, color: Colors): string {
  const verdict = connects ? 'connects' : `does not connect: fails where it ${failsAt}`
  return verdictLine(color, connects, `${name.padEnd(15)} ${verdict}`, findings)
}

/** @param text who has examined the server, and the verdict */
export function verdictLine(
  color: Colors,
  passes: boolean,
  text: string,
  findings: readonly Pick<Finding, 'severity'>[],
): string {
  const detail = countsOf(findings)
  const mark = passes ? color.green('✓') : color.red('✗')
  return `  ${mark} ${text}${detail === '' ? '' : color.dim(`  ${detail}`)}`
}

/** `2 errors, 1 warning` */
function countsOf(findings: readonly Pick<Finding, 'severity'>[]): string {
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
  const { message, clause, fix } = finding
  const clients = met.map(({ name }) => name)
  const names = clients.length === total && total > 1 ? 'every client' : clients.join(', ')
  const others = met.filter((one) => one.message !== message).map(({ name }) => name)
  return [
    findingTitle(color, finding, names),
    wrapped(printable(message, 2000), width, '  '),
    ...(others.length === 0 ? [] : [wrapped(likewise(others), width, '  ')]),
    wrapped(`Fix: ${fix}`, width, '  '),
    color.dim(wrapped(clause, width, '  ')),
  ].join('\n')
}

export function findingTitle(
  color: Colors,
  { severity, code }: Pick<Finding, 'severity' | 'code'>,
  names: string,
): string {
  const label = severity === 'error' ? color.red('error') : color.yellow('warning')
  return `${label} ${color.bold(code)} ${color.dim(`(${names})`)}`
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
