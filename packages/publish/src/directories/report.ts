/** The report of directories for people: each directory on a line, then each fault once. */
import {
  type Colors,
  findingTitle,
  reportText,
  type TerminalOptions,
  verdictLine,
  wrapped,
} from '../../../doctor/src/doctor/reporters/terminal.ts'
import { firstOf } from '../../../text/src/quoted.ts'
import { printable } from '../../../text/src/terminal-text.ts'
import type { DirectoriesReport, DirectoryReport } from './examine.ts'
import type { DirectoryFinding } from './finding.ts'

export function directoriesText(report: DirectoriesReport, options: TerminalOptions): string {
  const { examined, directories, notes } = report
  return reportText(options, (color, width) => ({
    examined,
    head: [directories.map((directory) => directoryLine(directory, color)).join('\n')],
    findings: groupsOf(directories).map((group) => groupText(group, color, width)),
    notes,
    result: summary(report, color),
  }))
}

function directoryLine({ name, accepts, findings }: DirectoryReport, color: Colors): string {
  const text = `${name.padEnd(16)} ${accepts ? 'accepts' : 'refuses'}`
  return verdictLine(color, accepts, text, findings)
}

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
  const more = messages.size - MAX_MESSAGES
  return [
    findingTitle(color, first, firstOf([...directories])),
    ...[...messages]
      .slice(0, MAX_MESSAGES)
      .map((text) => wrapped(printable(text, 2000), width, '  ')),
    ...(more > 0 ? [`  ${more} more (--json)`] : []),
    wrapped(`Fix: ${first.fix}`, width, '  '),
    ...[...clauses].map((clause) => color.dim(wrapped(clause, width, '  '))),
  ].join('\n')
}

function summary({ directories, isReached }: DirectoriesReport, color: Colors): string {
  if (!isReached) return color.red('No MCP server was reached at this URL.')
  const accepting = directories.filter(({ accepts }) => accepts).length
  const text = `${accepting} of ${directories.length} directories accept the server.`
  return accepting === directories.length ? color.green(text) : color.red(text)
}
