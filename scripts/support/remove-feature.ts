/**
 * Removes a feature from a copy of the project: its rooms, its entry, and every test, fixture, example and tool
 * that imports it, directly or through others.
 *
 * Two kinds of files name features without belonging to one: those that compose them, of which the lines that
 * name the feature are removed, and tests that use one through an app with all features, which say so in a
 * comment `// features: tasks, changes`; one that compares the whole project with its documents or its starter
 * says `// features: all`.
 */
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { citationsOf } from './citations.ts'
import { FEATURES, featureOf } from './feature-graph.ts'
import { documentFiles } from './requirements.ts'

const MAIN_ENTRY = 'src/index.ts'

/** Files that lose the lines of a removed feature. Each line of them names one feature at most. */
const COMPOSITIONS = [
  MAIN_ENTRY,
  'src/internal.ts',
  'test/support/full-app.ts',
  'test/support/session-server.ts',
  'test/support/task-server.ts',
  'test/support/two-servers.ts',
  'test/support/worker.ts',
  'test/support/worker-objects.ts',
]

/** Folders that use features and are removed as a whole: the entries of other packages, the starter. */
const WHOLE_FOLDERS = ['packages/agents/src/', 'packages/sdk/src/', 'starter/']

export interface Removal {
  /** Of the project's root. */
  readonly files: ReadonlySet<string>
  /** Files of the core that import what was removed. The architecture does not allow one. */
  readonly stray: readonly string[]
}

/** A feature and those that import it, directly or through others. */
export function dependents(name: string): string[] {
  const removed = new Set([name])
  // Each feature comes after those that it imports.
  for (const [other, { imports }] of Object.entries(FEATURES)) {
    if (imports.some((imported) => removed.has(imported))) removed.add(other)
  }
  return [...removed]
}

/**
 * Removes features from a directory.
 *
 * @param directory - a copy of the project, which is changed
 * @param files - all its files, relative to it
 * @param features - as {@link dependents} returns them
 */
export function removeFeatures(
  directory: string,
  files: readonly string[],
  features: readonly string[],
): Removal {
  const read = (file: string) => readFileSync(join(directory, file), 'utf8')
  const modules = files.filter((file) => /\.tsx?$/.test(file))
  const sources = new Map(modules.map((file) => [file, read(file)]))
  const gone = new Set(
    files.filter((file) => {
      const feature = featureOf(file)
      return feature !== undefined && features.includes(feature)
    }),
  )
  for (const file of filesOfEmptyPackages(files, gone)) gone.add(file)
  for (const [file, source] of sources) {
    const declared = declaredFeatures(source)
    if (declared.some((name) => name === 'all' || features.includes(name))) gone.add(file)
  }
  const entries = entriesOf(directory)
  const lost = lostNames(MAIN_ENTRY, sources.get(MAIN_ENTRY) ?? '', gone)
  const stray: string[] = []
  let before: number
  do {
    before = gone.size
    for (const [file, source] of sources) {
      if (gone.has(file)) continue
      const imported = importsOf(file, source, entries)
      const isWithout = imported.some((path) => path !== undefined && gone.has(path))
      if (!isWithout && !importsLost(file, source, lost)) continue
      if (COMPOSITIONS.includes(file)) continue
      const room = WHOLE_FOLDERS.find((folder) => file.startsWith(folder))
      if (room !== undefined) for (const other of files) other.startsWith(room) && gone.add(other)
      else if (/^(?:src|durable-objects|packages\/(?:code|events|inspector)\/src)\//.test(file))
        stray.push(file)
      gone.add(file)
    }
  } while (gone.size > before)
  for (const file of gone) rmSync(join(directory, file), { force: true })
  for (const name of features) {
    for (const room of FEATURES[name]?.rooms ?? []) {
      rmSync(join(directory, room), { recursive: true, force: true })
    }
  }
  for (const file of COMPOSITIONS) {
    if (!gone.has(file)) {
      writeFileSync(join(directory, file), withoutNames(file, sources.get(file) ?? '', gone))
    }
  }
  removeRows(directory, features)
  removeFromConfigurations(directory, gone)
  removeBindings(directory)
  removeEntries(directory)
  removeRequirements(directory, sources, gone)
  return { files: gone, stray }
}

/** Paths of the project that a module imports or exports from, also by the name of an entry. */
function importsOf(
  file: string,
  source: string,
  entries: ReadonlyMap<string, string>,
): (string | undefined)[] {
  const names = source.matchAll(/(?:from|import)\s+'([^']+)'|import\(\s*'([^']+)'\s*\)/g)
  return [...names].map(([, name = '', called = name]) =>
    called.startsWith('.') ? normalize(join(dirname(file), called)) : entries.get(called),
  )
}

/** The module of each entry, such as `edgeway/tasks`. */
function entriesOf(directory: string): ReadonlyMap<string, string> {
  const { name, exports } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  return new Map(
    Object.entries<{ default?: string }>(exports).flatMap(([entry, { default: target = '' }]) => {
      const source = moduleOf(target)
      return source === undefined ? [] : [[entry.replace('.', name), source]]
    }),
  )
}

/** The source of a built module of the package; undefined for other files. */
function moduleOf(target: string): string | undefined {
  return /^\.\/dist\/((?:src|packages)\/.*)\.js$/.exec(target)?.[1]?.concat('.ts')
}

/** What a test says in `// features: …`. */
function declaredFeatures(source: string): string[] {
  const [, names = ''] = /^\/\/ features: (.*)$/m.exec(source) ?? []
  return names.split(', ').filter((name) => name !== '')
}

const STATEMENT = /^(?:import|export) (?:type )?(\{[^}]*\}|\w+) from '(\.[^']+)'\n/gm

/** The names of an import or an export, as the module that has it uses them. */
const namesOf = (clause: string): string[] =>
  clause
    .replace(/[{}]/g, '')
    .split(',')
    .flatMap((part) => part.trim().split(/\s+/).at(-1) || [])

/** What a module imports or exports of removed files. */
function lostNames(file: string, source: string, gone: ReadonlySet<string>): string[] {
  return [...source.matchAll(STATEMENT)].flatMap(([, clause = '', path = '']) =>
    gone.has(normalize(join(dirname(file), path))) ? namesOf(clause) : [],
  )
}

/** Whether a module imports one of these names from the main entry. */
function importsLost(file: string, source: string, lost: readonly string[]): boolean {
  return [...source.matchAll(STATEMENT)].some(
    ([, clause = '', path = '']) =>
      normalize(join(dirname(file), path)) === MAIN_ENTRY &&
      namesOf(clause).some((name) => lost.includes(name)),
  )
}

/** A module without its imports of removed files, and without the other lines that name what they import. */
function withoutNames(file: string, source: string, gone: ReadonlySet<string>): string {
  const names = lostNames(file, source, gone)
  const rest = source.replace(STATEMENT, (whole: string, _: string, path: string) =>
    gone.has(normalize(join(dirname(file), path))) ? '' : whole,
  )
  if (names.length === 0) return rest
  const naming = new RegExp(`\\b(?:${names.join('|')})\\b`)
  return rest
    .split('\n')
    .filter((line) => / from '/.test(line) || !naming.test(line))
    .join('\n')
}

/** The rows of the features in their table. */
function removeRows(directory: string, features: readonly string[]): void {
  const path = join(directory, 'scripts/support/feature-graph.ts')
  const table = readFileSync(path, 'utf8')
  const row = new RegExp(
    `^ {2}'?(?:${features.join('|')})'?: \\{(?:.*\\},|[\\s\\S]*?^ {2}\\},)\\n`,
    'gm',
  )
  writeFileSync(path, table.replace(row, ''))
}

/** All files of the packages whose source is gone. */
function filesOfEmptyPackages(files: readonly string[], gone: ReadonlySet<string>): string[] {
  const folders = Map.groupBy(files, (file) => /^packages\/[^/]+\//.exec(file)?.[0])
  return [...folders].flatMap(([folder, own]) => {
    const source = own.filter((file) => folder && file.startsWith(`${folder}src/`))
    return source.length > 0 && source.every((file) => gone.has(file)) ? own : []
  })
}

/** What the configurations of the compiler name of files and packages that are gone. */
function removeFromConfigurations(directory: string, gone: ReadonlySet<string>): void {
  const patterns = ['tsconfig*.json', 'packages/*/tsconfig.json', 'packages/*/page/tsconfig.json']
  for (const path of globSync(patterns, { cwd: directory })) {
    const file = join(directory, path)
    const { references, files, ...config }: Configuration = JSON.parse(readFileSync(file, 'utf8'))
    const changed = {
      ...config,
      ...(files && { files: files.filter((each) => !gone.has(each)) }),
      ...(references && {
        references: references.filter((each) =>
          existsSync(join(dirname(file), each.path, 'tsconfig.json')),
        ),
      }),
    }
    writeFileSync(file, JSON.stringify(changed))
  }
}

interface Configuration {
  readonly references?: readonly { readonly path: string }[]
  readonly files?: readonly string[]
}

/** The bindings of classes that the Worker of the tests does not export any more. */
function removeBindings(directory: string): void {
  const worker = readFileSync(join(directory, 'test/support/worker.ts'), 'utf8')
  const path = join(directory, 'test/support/node/projects.ts')
  const own = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => {
      const [, name] = /sqlite\('(\w+)'\)/.exec(line) ?? []
      return name === undefined || new RegExp(`\\b${name}\\b`).test(worker)
    })
  writeFileSync(path, own.join('\n'))
}

/** The entries of the package whose module is absent. */
function removeEntries(directory: string): void {
  const path = join(directory, 'package.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8'))
  for (const [entry, target] of Object.entries<{ default?: string }>(manifest.exports)) {
    const source = moduleOf(target.default ?? '')
    if (source !== undefined && !existsSync(join(directory, source))) {
      delete manifest.exports[entry]
    }
  }
  writeFileSync(path, `${JSON.stringify(manifest, undefined, 2)}\n`)
}

/** Removes the requirements that only removed tests cite. */
function removeRequirements(
  directory: string,
  sources: ReadonlyMap<string, string>,
  gone: ReadonlySet<string>,
): void {
  const citations = [...sources].flatMap(([file, source]) => citationsOf(file, source).citations)
  const kept = new Set(citations.filter(({ file }) => !gone.has(file)).map((c) => c.requirement))
  const lost = new Set(citations.map((c) => c.requirement).filter((name) => !kept.has(name)))
  for (const document of documentFiles(directory)) {
    const path = join(directory, `test/requirements/${document}.yaml`)
    const source = readFileSync(path, 'utf8')
    const rest = source.replace(/^ {2}- id: (.*)\n(?: {4}.*\n)*\n?/gm, (block, id: string) =>
      lost.has(`${document}/${id}`) ? '' : block,
    )
    const isEmpty = !/^ {2}- id: /m.test(rest)
    const list = isEmpty ? rest.replace(/^requirements:\s*$/m, 'requirements: []\n') : rest
    if (list !== source) writeFileSync(path, list)
  }
}
