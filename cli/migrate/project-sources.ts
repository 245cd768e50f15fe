/** The files of a project that have to do with the move, parsed. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentClasses } from './decisions/agents.ts'
import { mainModules, type Scope } from './configuration/worker-configuration.ts'
import { insideFolder, type Project, readProjectFile } from './project.ts'
import { concernsMove } from './move-imports.ts'
import { reachableFrom } from './module-graph.ts'
import { parseSource, type SourceFile } from './source-file.ts'

export interface ProjectSources {
  /** Files that name a module of the SDKs, or of Edgeway in its place. */
  readonly concerned: readonly SourceFile[]
  /** The classes that extend `McpAgent`. */
  readonly agents: ReadonlySet<string>
  /** The main modules that are files of the project. */
  readonly mains: readonly SourceFile[]
  /** Main modules that are not: generated, outside of the folder, or missing. */
  readonly foreignMains: readonly string[]
  /** Whether a file belongs to the server, and not to its tests or scripts. */
  readonly isServed: (file: string) => boolean
}

/** What a file must contain to have anything to do with the move. */
const MENTION =
  /@modelcontextprotocol\/|agents\/mcp|mcp-handler|@vercel\/mcp-adapter|edgeway\/(?:sdk|agents)|workers-oauth-provider|McpAgent/
const TEST_FILE = /(?:^|\/)(?:tests?|__tests__|__mocks__|scripts|e2e|bench)\/|\.(?:test|spec|bench)\.|(?:^|\/)[\w.-]+\.config\./

/** @throws {MigrateError} for a file that cannot be read or parsed */
export function readSources(project: Project, scopes: readonly Scope[]): ProjectSources {
  const parsed = new Map<string, SourceFile>()
  for (const file of project.sources) {
    if (!mentions(project, file)) continue
    parsed.set(file, parseSource(file, readProjectFile(project, file)))
  }
  const all = [...parsed.values()]
  const { own, foreign } = mainFiles(project, scopes)
  const served = reachableFrom(own, new Set(project.sources), (file) => readProjectFile(project, file))
  const parse = (file: string) =>
    parsed.get(file) ?? parseSource(file, readProjectFile(project, file))
  return {
    concerned: all.filter(concernsMove),
    agents: agentClasses(all),
    mains: own.map(parse),
    foreignMains: foreign,
    isServed: (file) => (own.length > 0 ? served.has(file) : !TEST_FILE.test(file)),
  }
}

/** Reads bytes, because a file in another encoding matters only where it mentions the SDK. */
function mentions(project: Project, file: string): boolean {
  try {
    return MENTION.test(readFileSync(join(project.folder, file), 'latin1'))
  } catch {
    // It is read again, and the error is told.
    readProjectFile(project, file)
    return false
  }
}

function mainFiles({ folder, configuration = '', sources }: Project, scopes: readonly Scope[]) {
  const own: string[] = []
  const foreign: string[] = []
  for (const main of mainModules(scopes)) {
    const file = insideFolder(folder, join(folder, configuration, '..', main))
    if (file !== undefined && sources.includes(file)) own.push(file)
    else foreign.push(main)
  }
  return { own, foreign }
}
