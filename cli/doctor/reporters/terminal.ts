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
  return textOf(report.url, [lines.join('\n')], report, summary(report, color), options)
}

/** The report of a project, which no client has connected to yet. */
export function projectText(report: ProjectReport, options: TerminalOptions): string {
  const color = pc.createColors(options.colors)
  const groups = grouped(report.clients)
  const errors = groups.filter(({ finding }) => finding.severity === 'error').length
  const counts = [count(errors, 'error'), count(groups.length - errors, 'warning')]
  const text = counts.filter((part) => part !== '').join(', ')
  const result = text === '' ? color.green('No faults.') : color.red(`${text}.`)
  return textOf(report.config, [], report, result, options)
}

interface Sections {
  readonly clients: readonly ClientReport[]
  readonly notes: readonly string[]
}

function textOf(
  examined: string,
  head: readonly string[],
  { clients, notes }: Sections,
  result: string,
  { colors, columns }: TerminalOptions,
): string {
  const color = pc.createColors(colors)
  const width = Math.max(40, Math.min(columns, 100))
  const sections = [
    `${color.bold('edgeway doctor')} ${printable(examined, 400)}`,
    ...head,
    ...grouped(clients).map((group) => findingText(group, color, width)),
    ...notes.map((note) => color.dim(wrapped(note, width, ''))),
    result,
  ]
  return `${sections.join('\n\n')}\n`
}

function clientLine({ name, connects, failsAt, findings }: ClientReport, color: Colors): string {
  const mark = connects ? color.green('✓') : color.red('✗')
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const counts = [count(errors, 'error'), count(findings.length - errors, 'warning')]
  const detail = counts.filter((text) => text !== '').join(', ')
  const verdict = connects ? 'connects' : `does not connect: fails where it ${failsAt}`
  return `  ${mark} ${name.padEnd(15)} ${verdict}${detail === '' ? '' : color.dim(`  ${detail}`)}`
}

const count = (n: number, noun: string) => (n === 0 ? '' : `${n} ${noun}${n === 1 ? '' : 's'}`)

interface Group {
  readonly finding: Finding
  readonly clients: readonly string[]
  readonly total: number
}

/** A finding with the same message is the same cause. It is shown with its worst severity. */
function grouped(clients: readonly ClientReport[]): readonly Group[] {
  const groups = new Map<string, { finding: Finding; clients: string[]; total: number }>()
  for (const { name, findings } of clients) {
    for (const finding of findings) {
      const key = `${finding.code} ${finding.message}`
      const group = groups.get(key) ?? { finding, clients: [], total: clients.length }
      if (finding.severity === 'error') group.finding = finding
      group.clients.push(name)
      groups.set(key, group)
    }
  }
  return [...groups.values()].sort((a, b) => a.finding.severity.localeCompare(b.finding.severity))
}

function findingText({ finding, clients, total }: Group, color: Colors, width: number): string {
  const { severity, code, message, clause, fix } = finding
  const label = severity === 'error' ? color.red('error') : color.yellow('warning')
  const names = clients.length === total && total > 1 ? 'every client' : clients.join(', ')
  return [
    `${label} ${color.bold(code)} ${color.dim(`(${names})`)}`,
    wrapped(printable(message, 2000), width, '  '),
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
function wrapped(text: string, width: number, indent: string): string {
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
