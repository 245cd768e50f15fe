/**
 * Whether the main module of the moved Worker reaches a server of Edgeway, itself or by other files and packages of its
 * workspace. A server of the SDK that it reaches is one that Edgeway cannot serve.
 */
import { readFileSync } from 'node:fs'
import { join, posix, relative, sep } from 'node:path'
import { printable } from '../../text/src/terminal-text.ts'
import { programDecision } from './decisions/transports.ts'
import { reachableFrom, resolveFile } from './module-graph.ts'
import { type ModuleUse, moduleUses } from './module-uses.ts'
import { isMoved, roleOf } from './modules.ts'
import { isPartOfServer } from './move-imports.ts'
import { type Decision, type FileEdit, guide } from './plan.ts'
import { filesBelow, type Project } from './project.ts'
import type { ProjectSources } from './project-sources.ts'
import {
  DECLARATION_FILE,
  parseSource,
  placeOfNode,
  SOURCE_FILE,
  type SourceFile,
  TEST_FILE,
} from './source-file.ts'
import { dependsOn, type WorkspacePackage } from './workspace.ts'

type Packages = ReadonlyMap<string, WorkspacePackage>

/** What creates, serves or takes a server. */
const SERVERS = ['McpServer', 'Server', 'McpAgent', 'createMcpHandler', 'createEdgeway']

export function reachDecisions(
  { folder }: Project,
  { concerned, mains, reached }: ProjectSources,
  edits: readonly FileEdit[],
  packages: Packages,
): readonly Decision[] {
  const [main] = mains
  if (main === undefined) return []
  const imports = reached.flatMap((file) => packageImports(file, packages))
  const seen = new Map<string, readonly SourceFile[]>()
  for (const { specifier } of imports) follow(specifier, packages, seen)
  const elsewhere = imports.flatMap(({ file, specifier, literal }): Decision[] => {
    const followed = new Map<string, readonly SourceFile[]>()
    follow(specifier, packages, followed)
    const left = [...followed].filter(([, files]) => files.some(hasServerOfSdk))
    return left.map(([name]) => elsewhereDecision(file, literal, name, folder, packages))
  })
  if (elsewhere.length > 0) return elsewhere
  const after = new Map(edits.map((edit) => [edit.file, edit.after]))
  const own = reached.map((file) => {
    const text = after.get(file.path)
    return text === undefined ? file : parseSource(file.path, text)
  })
  const isReached = [...own, ...[...seen.values()].flat()].some(hasServerOfEdgeway)
  const server = concerned.find((file) => !TEST_FILE.test(file.path) && isPartOfServer(file))
  if (isReached || server === undefined) return []
  const why = `${main.path} reaches no server of Edgeway by its imports, so the Worker does not serve the one of ${server.path}: import it by a relative path, serve it, and run the command again`
  const place = { file: main.path, line: 1, column: 1 }
  return [{ ...place, code: 'server-not-reached', why, guide: guide.moving('the-entry') }]
}

function elsewhereDecision(
  file: SourceFile,
  literal: ModuleUse['literal'],
  name: string,
  folder: string,
  packages: Packages,
): Decision {
  const path = pathFrom(folder, packages.get(name)?.folder ?? folder)
  const why = `The package ${name} has a server of the SDK, which Edgeway cannot serve: run npx edgeway migrate ${printable(path, 200)}, and then this command again`
  const place = placeOfNode(file, literal)
  return { ...place, code: 'server-elsewhere', why, guide: guide.moving('the-imports') }
}

const pathFrom = (folder: string, other: string): string =>
  relative(folder, other).split(sep).join('/')

interface PackageImport {
  readonly file: SourceFile
  readonly specifier: string
  readonly literal: ModuleUse['literal']
}

const nameIn = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

function packageImports(file: SourceFile, packages: Packages): readonly PackageImport[] {
  return moduleUses(file, (specifier) => packages.has(nameIn(specifier)))
    .filter(({ kind }) => kind === 'import')
    .map(({ specifier, literal }) => ({ file, specifier, literal }))
}

/** Adds the files of each package that an import reaches. */
function follow(
  specifier: string,
  packages: Packages,
  found: Map<string, readonly SourceFile[]>,
): void {
  const name = nameIn(specifier)
  const owner = packages.get(name)
  if (owner === undefined) return
  const files = filesOfImport(owner, specifier.slice(name.length + 1))
  const known = found.get(name) ?? []
  const fresh = files.filter(({ path }) => !known.some((one) => one.path === path))
  if (fresh.length === 0) return
  found.set(name, [...known, ...fresh])
  for (const file of fresh) {
    for (const one of packageImports(file, packages)) follow(one.specifier, packages, found)
  }
}

function filesOfImport(
  { folder, manifest }: WorkspacePackage,
  subpath: string,
): readonly SourceFile[] {
  const sources = sourcesOf(folder)
  const entries = targetsOf(manifest, subpath).flatMap((target) => {
    const path = posix.normalize(target)
    // What is compiled lies in a folder of its own.
    const source = path.replace(/^(?:dist|build|lib|out)\//, 'src/')
    return resolveFile(source, sources) ?? resolveFile(path, sources) ?? []
  })
  const parse = (path: string) => parsed(folder, path)
  // A form of exports that is not known: any file may be meant.
  const mains = entries.length > 0 ? entries : [...sources]
  return [...reachableFrom(mains, sources, parse)].flatMap((path) => parse(path) ?? [])
}

function sourcesOf(folder: string): ReadonlySet<string> {
  const isSource = (file: string) =>
    SOURCE_FILE.test(file) && !DECLARATION_FILE.test(file) && !TEST_FILE.test(file)
  return new Set(filesBelow(folder).filter(isSource))
}

/** What the manifest names for a subpath: every target of its conditions. */
function targetsOf(manifest: WorkspacePackage['manifest'], subpath: string): readonly string[] {
  const { exports, source, module, main, types } = manifest
  const key = subpath === '' ? '.' : `./${subpath}`
  const named = Object.hasOwn(Object(exports), key)
    ? (exports as Readonly<Record<string, unknown>>)[key]
    : subpath === ''
      ? exports
      : undefined
  const fallback =
    subpath === ''
      ? [source, module, main, types, 'src/index', 'index']
      : [subpath, `src/${subpath}`]
  return [...textsIn(named), ...fallback].filter((one): one is string => typeof one === 'string')
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

function parsed(folder: string, path: string): SourceFile | undefined {
  try {
    return parseSource(path, readFileSync(join(folder, path), 'utf8'))
  } catch {
    // A file that cannot be parsed fails in its own project.
    return undefined
  }
}

const usesServer = (file: SourceFile, isWanted: (specifier: string) => boolean) =>
  moduleUses(file, isWanted).filter(
    ({ kind, names }) => kind === 'import' && (names?.some((one) => SERVERS.includes(one)) ?? true),
  )

/** Also by a type alone: the classes of the SDK have private members, so that no other one is assignable. */
const hasServerOfSdk = (file: SourceFile): boolean =>
  usesServer(file, (specifier) => roleOf(specifier)?.kind === 'moves').length > 0

const hasServerOfEdgeway = (file: SourceFile): boolean =>
  usesServer(file, (specifier) => specifier === 'edgeway' || isMoved(specifier)).some(
    ({ divisible }) => divisible?.type !== 'ImportDeclaration' || divisible.importKind !== 'type',
  )

/** Programs of other packages that connect the server of this one to a transport, which throws after the move. */
export function dependentDecisions(
  { folder }: Project,
  packageName: string,
  packages: Packages,
): readonly Decision[] {
  const dependents = [...packages.values()].filter((one) => dependsOn(one, packageName))
  return dependents.flatMap((one) => {
    const files = [...sourcesOf(one.folder)].flatMap((path) => parsed(one.folder, path) ?? [])
    const below = pathFrom(folder, one.folder)
    const names = files.some(
      (file) => moduleUses(file, (specifier) => nameIn(specifier) === packageName).length > 0,
    )
    return names
      ? files.flatMap((file) =>
          programDecision({ ...file, path: `${below}/${file.path}` }, [packageName]),
        )
      : []
  })
}
