/** `edgeway doctor --for`: what each directory says of a server or a project. */
import type { ConnectOptions } from '../../../doctor/src/definition/connect-server.ts'
import type { ReadProject } from '../../../doctor/src/definition/read-project.ts'
import { accepts, checkDirectory } from './check.ts'
import type { DirectoryFinding } from './finding.ts'
import type { DirectoryInput } from './input.ts'
import type { DirectoryName } from './names.ts'
import { observeApps } from './observe-project.ts'
import { observeServer } from './observe-server.ts'

export interface DirectoryReport {
  readonly name: DirectoryName
  readonly accepts: boolean
  readonly findings: readonly DirectoryFinding[]
}

export interface DirectoriesReport {
  /** The URL, or the configuration file of the project. */
  readonly examined: string
  /** False when no MCP server answers at the URL. */
  readonly isReached: boolean
  readonly notes: readonly string[]
  readonly directories: readonly DirectoryReport[]
}

export async function examineServerFor(
  names: readonly DirectoryName[],
  url: string,
  options: ConnectOptions,
): Promise<DirectoriesReport> {
  const { isReached, input, notes } = await observeServer(url, options)
  return {
    examined: url,
    isReached,
    notes: [...notes, ...notesOf(names, input)],
    directories: names.map((name) => reportOf(name, checkDirectory(name, input))),
  }
}

export async function examineProjectFor(
  names: readonly DirectoryName[],
  project: ReadProject,
): Promise<DirectoriesReport> {
  const apps = await observeApps(project)
  const [first] = apps
  return {
    examined: project.config,
    isReached: true,
    notes: [
      'The URL, the authorization and the proofs of domains are examined at the running server: edgeway doctor URL --for DIRECTORIES.',
      ...(first === undefined ? [] : notesOf(names, first.input)),
    ],
    directories: names.map((name) => {
      const findings = apps.flatMap((app) =>
        checkDirectory(name, app.input).map((finding) =>
          apps.length === 1
            ? finding
            : { ...finding, message: `At ${app.path}: ${finding.message}` },
        ),
      )
      return reportOf(name, findings)
    }),
  }
}

const reportOf = (name: DirectoryName, findings: readonly DirectoryFinding[]): DirectoryReport => ({
  name,
  accepts: accepts(findings),
  findings,
})

function notesOf(names: readonly DirectoryName[], input: DirectoryInput): string[] {
  const notes: string[] = []
  const { serverJson, card, listing } = input
  if (names.includes('mcp-registry') && serverJson === undefined && card === undefined) {
    notes.push(
      'The registry takes server.json, which was not examined. Write it with npx edgeway server-json.',
    )
  }
  const hasForms = names.some((name) => name !== 'mcp-registry')
  if (hasForms && listing === undefined) {
    notes.push('The fields of the forms are checked in directory.json of a project, with --config.')
  }
  return notes
}
