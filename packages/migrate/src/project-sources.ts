/** The files of a project that have to do with the move, parsed. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '../../text/src/command-error.ts'
import { mainModules, type Scope } from './configuration/worker-configuration.ts'
import { agentClasses, definesClass } from './decisions/agents.ts'
import { servesAgent } from './decisions/serving.ts'
import { servesTransport } from './decisions/transports.ts'
import { reachableFrom } from './module-graph.ts'
import { MENTION } from './modules.ts'
import { concernsMove, isPartOfServer } from './move-imports.ts'
import { findNodeEntry, type NodeEntry } from './node-entry.ts'
import { insideFolder, type Project, readProjectFile } from './project.ts'
import { parseSource, type SourceFile, TEST_FILE } from './source-file.ts'

export interface Program {
  readonly file: SourceFile
  /** The files that it imports and that move with the Worker. */
  readonly moved: readonly string[]
}

export interface ProjectSources {
  /** Files that name a module of the SDKs, or of Edgeway in its place. */
  readonly concerned: readonly SourceFile[]
  /** Whether a file of the server has to do with the move. It is false for a client. */
  readonly isServer: boolean
  /** Programs that serve the server over a transport of the SDK beside the Worker: they stay. */
  readonly programs: readonly Program[]
  /** The files that the main modules import, directly or by others, and they themselves. */
  readonly reached: readonly SourceFile[]
  /** The classes that extend `McpAgent`. */
  readonly agents: ReadonlySet<string>
  /** The main modules that are files of the project. */
  readonly mains: readonly SourceFile[]
  /** Main modules that are not: generated, outside of the folder, or missing. */
  readonly foreignMains: readonly string[]
  /** The entry that a server which is no Worker yet receives. */
  readonly entry: NodeEntry | undefined
  /** Whether a file belongs to the server, and not to its tests or scripts. */
  readonly isServed: (file: string) => boolean
}

/** @throws {CommandError} for a file that cannot be read or parsed */
export function readSources(
  project: Project,
  scopes: readonly Scope[],
  packageName: string,
): ProjectSources {
  const files = new ParsedFiles(project)
  const sources = new Set(project.sources)
  const mentioning = project.sources.filter((file) => mentions(project, file))
  for (const file of mentioning) files.parse(file)
  const entry =
    project.configuration === undefined
      ? findNodeEntry(files.all(), sources, packageName)
      : undefined
  const { own, foreign } = mainFiles(project, scopes)
  own.push(...(entry?.mains ?? []))
  const lenient = (file: string) => files.find(file)
  const served = reachableFrom(own, sources, lenient)
  // The base of an agent may be in a file of its own.
  const agents = agentClasses(files.all())
  const concerned = files
    .all()
    .filter((file) => concernsMove(file) || definesClass(file, agents) || servesAgent(file, agents))
  const isProgram = ({ path }: SourceFile) =>
    own.length > 0 && !served.has(path) && !TEST_FILE.test(path)
  const programs = concerned.filter((file) => isProgram(file) && servesTransport(file))
  const staying = reachableFrom(
    programs.map(({ path }) => path),
    sources,
    lenient,
  )
  const isServed = (file: string) => (own.length > 0 ? served.has(file) : !TEST_FILE.test(file))
  const serving = new Set(concerned.filter(isPartOfServer).map(({ path }) => path))
  return {
    isServer: [...serving].some(isServed),
    // What such a program imports stays with it, unless the Worker imports it too.
    concerned: concerned.filter(({ path }) => served.has(path) || !staying.has(path)),
    programs: programs.map((file) => ({
      file,
      moved: [...reachableFrom([file.path], sources, lenient)].filter(
        (path) => served.has(path) && serving.has(path),
      ),
    })),
    reached: [...served].flatMap((file) => lenient(file) ?? []),
    entry,
    agents,
    mains: own.map((file) => files.parse(file)),
    foreignMains: foreign,
    isServed,
  }
}

/** Each file is parsed once. */
class ParsedFiles {
  readonly #project: Project
  readonly #files = new Map<string, SourceFile | undefined>()

  constructor(project: Project) {
    this.#project = project
  }

  /** @throws {CommandError} */
  parse(file: string): SourceFile {
    const known = this.#files.get(file)
    const parsed = known ?? parseSource(file, readProjectFile(this.#project, file))
    this.#files.set(file, parsed)
    return parsed
  }

  /** Undefined for a file that cannot be parsed: it has nothing to do with the move. */
  find(file: string): SourceFile | undefined {
    if (this.#files.has(file)) return this.#files.get(file)
    try {
      return this.parse(file)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      this.#files.set(file, undefined)
      return undefined
    }
  }

  /** Those that were parsed, in the order of their paths. */
  all(): readonly SourceFile[] {
    const files = [...this.#files.values()].filter((file) => file !== undefined)
    return files.sort((one, other) => (one.path < other.path ? -1 : 1))
  }
}

/** Reads bytes, because a file in another encoding matters only where it mentions the SDK. */
function mentions(project: Project, file: string): boolean {
  try {
    return MENTION.test(readFileSync(join(project.folder, file), 'latin1'))
  } catch {
    // The second reading throws an error that names the file.
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
