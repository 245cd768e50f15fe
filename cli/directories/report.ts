/** The report of directories for people: each directory on a line, then each fault once. */
import pc from 'picocolors'
import { type TerminalOptions, wrapped } from '../doctor/reporters/terminal.ts'
import { firstOf, printable } from '../doctor/text.ts'
import type { DirectoriesReport, DirectoryReport } from './examine.ts'
import type { DirectoryFinding } from './finding.ts'

type Colors = ReturnType<typeof pc.createColors>

export function directoriesText(report: DirectoriesReport, options: TerminalOptions): string {
  const color = pc.createColors(options.colors)
  const width = Math.max(40, Math.min(options.columns, 100))
  const { examined, directories, notes } = report
  const sections = [
    `${color.bold('edgeway doctor')} ${printable(examined, 400)}`,
    directories.map((directory) => directoryLine(directory, color)).join('\n'),
    ...groupsOf(directories).map((group) => groupText(group, color, width)),
    ...notes.map((note) => color.dim(wrapped(printable(note, 1000), width, ''))),
    summary(report, color),
  ]
  return `${sections.join('\n\n')}\n`
}

function directoryLine({ name, accepts, findings }: DirectoryReport, color: Colors): string {
  const mark = accepts ? color.green('✓') : color.red('✗')
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const counts = [count(errors, 'error'), count(findings.length - errors, 'warning')]
  const detail = counts.filter((text) => text !== '').join(', ')
  const verdict = accepts ? 'accepts' : 'refuses'
  return `  ${mark} ${name.padEnd(16)} ${verdict}${detail === '' ? '' : color.dim(`  ${detail}`)}`
}

const count = (n: number, noun: string) => (n === 0 ? '' : `${n} ${noun}${n === 1 ? '' : 's'}`)

/** The findings of a code with the same severity, which have one correction. */
interface Group {
  readonly first: DirectoryFinding
  readonly messages: Set<string>
  readonly directories: Set<string>
  readonly clauses: Set<string>
}

function groupsOf(directories: readonly DirectoryReport[]): readonly Group[] {
  const groups = new Map<string, Group>()
  for (const { name, findings } of directories) {
    for (const finding of findings) {
      const key = `${finding.severity} ${finding.code}`
      const group = groups.get(key) ?? emptyGroup(finding)
      groups.set(key, group)
      group.messages.add(finding.message)
      group.directories.add(name)
      group.clauses.add(finding.clause)
    }
  }
  return [...groups.values()].sort((a, b) => a.first.severity.localeCompare(b.first.severity))
}

const emptyGroup = (first: DirectoryFinding): Group => ({
  first,
  messages: new Set(),
  directories: new Set(),
  clauses: new Set(),
})

const MAX_MESSAGES = 10

function groupText({ first, messages, directories, clauses }: Group, color: Colors, width: number) {
  const { severity, code, fix } = first
  const label = severity === 'error' ? color.red('error') : color.yellow('warning')
  const more = messages.size - MAX_MESSAGES
  return [
    `${label} ${color.bold(code)} ${color.dim(`(${firstOf([...directories])})`)}`,
    ...[...messages]
      .slice(0, MAX_MESSAGES)
      .map((text) => wrapped(printable(text, 2000), width, '  ')),
    ...(more > 0 ? [`  ${more} more (--json)`] : []),
    wrapped(`Fix: ${fix}`, width, '  '),
    ...[...clauses].map((clause) => color.dim(wrapped(clause, width, '  '))),
  ].join('\n')
}

function summary({ directories, isReached }: DirectoriesReport, color: Colors): string {
  if (!isReached) return color.red('No MCP server was reached at this URL.')
  const accepting = directories.filter(({ accepts }) => accepts).length
  const text = `${accepting} of ${directories.length} directories accept the server.`
  return accepting === directories.length ? color.green(text) : color.red(text)
}
