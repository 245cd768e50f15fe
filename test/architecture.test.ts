/** The house rules that a machine can hold: directions, cycles, forbidden names, sizes. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FEATURES, featureOf } from '../scripts/support/feature-graph.ts'
import { CHANGE_KINDS } from '../src/ports/change-kinds.ts'

const ROOT = resolve(import.meta.dirname, '..')

function filesIn(...folders: string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
      .filter((file) => !/node_modules|\/generated\/|^src\/runtime\//.test(file)),
  )
}

const sourceOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** Every module a file names, types included. */
function importsOf(file: string): string[] {
  return [...sourceOf(file).matchAll(/(?:from|import)\s+'([^']+)'/g)].map(([, name = '']) => name)
}

/** Without generated modules, which contain documents. */
function localImportsOf(file: string): string[] {
  return importsOf(file)
    .filter((name) => name.startsWith('.') && !name.includes('.generated.'))
    .map((name) => relative(ROOT, resolve(ROOT, dirname(file), name)))
}

/** The files of which a file imports types alone. */
function typeImportsOf(file: string): string[] {
  const names = [...sourceOf(file).matchAll(/import type [^']*'(\.[^']+)'/g)]
  return names.map(([, name = '']) => relative(ROOT, resolve(ROOT, dirname(file), name)))
}

/** The folder of a file of the core, `features/…` for a file of a feature, the package of other files. */
function roomOf(file: string): string {
  const feature = featureOf(file)
  if (feature !== undefined) return `features/${feature}`
  const [top, second = ''] = file.split('/')
  return top === 'durable-objects' ? top : second
}

/** `src` for the runtime, otherwise the name of the package; undefined for a file that is not source. */
function packageOf(file: string): string | undefined {
  if (/^(?:src|durable-objects)\//.test(file)) return 'src'
  return /^packages\/([^/]+)\/(?:src|page)\//.exec(file)?.[1]
}

/** Left may import right, itself, and `platform`, which imports no other room. */
const CORE: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  protocol: [],
  ports: ['protocol'],
  server: ['protocol'],
  clients: ['protocol'],
  dispatch: ['server', 'protocol', 'ports', 'clients'],
  transport: ['dispatch', 'security', 'protocol', 'ports'],
  feature: ['dispatch', 'ports', 'protocol', 'security', 'server', 'transport'],
  pages: [],
  security: ['ports', 'protocol'],
  telemetry: ['ports', 'protocol'],
  'durable-objects': ['ports', 'protocol', 'dispatch'],
  context: ['dispatch', 'server', 'protocol'],
}

/** What an author or a package imports, and `createEdgeway`: they may import every room. */
const ENTRIES = ['app', 'app.ts', 'index.ts', 'internal.ts', 'mount.ts']

function mayImport(room: string): readonly string[] | undefined {
  const feature = FEATURES[room.replace('features/', '')]
  if (!room.startsWith('features/') || feature === undefined) return CORE[room]
  return [...Object.keys(CORE), ...feature.imports.map((name) => `features/${name}`)]
}

const library = filesIn('src', 'durable-objects')
const sourcesOfPackages = filesIn('packages').filter((file) => packageOf(file) !== undefined)
const program = [
  ...library,
  ...sourcesOfPackages,
  ...filesIn('packages/bench', 'examples', 'scripts'),
]

/** The packages of `docs/architecture.md` that the build bundles: which packages each may import. */
function packageTable(): ReadonlyMap<string, readonly string[]> {
  const text = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')
  const rows = text.matchAll(/^\| `([a-z]+)` \|[^|]*\| ((?:`[a-z]+`(?:, )?)+|–) \|$/gm)
  return new Map(
    Array.from(rows, ([, name = '', imports = '']): [string, string[]] => [
      name,
      Array.from(imports.matchAll(/`([a-z]+)`/g), ([, other = '']) => other),
    ]).filter(([name]) => existsSync(join(ROOT, `packages/${name}/src`))),
  )
}

describe('directions', () => {
  it('each file of the library imports only what its room may', () => {
    const offences = library.flatMap((file) => {
      const room = roomOf(file)
      const allowed = mayImport(room)
      if (allowed === undefined) return ENTRIES.includes(room) ? [] : [`${file}: no known room`]
      return localImportsOf(file)
        .filter((other) => ![room, 'platform', ...allowed].includes(roomOf(other)))
        .map((other) => `${file} imports ${other}`)
    })
    expect(offences).toEqual([])
  })

  it('every folder of a feature is in the table, which has no circle', () => {
    const names = Object.keys(FEATURES)
    const late = names.flatMap((name, place) =>
      (FEATURES[name]?.imports ?? []).filter((other) => names.indexOf(other) >= place),
    )
    expect(late).toEqual([])
    const rooms = Object.values(FEATURES).flatMap(({ rooms }) => rooms)
    const absent = readdirSync(join(ROOT, 'src/features')).map((folder) => `src/features/${folder}`)
    expect(absent.filter((folder) => !rooms.includes(folder))).toEqual([])
    expect(rooms.filter((room) => !existsSync(join(ROOT, room)))).toEqual([])
  })

  const arrows = packageTable()

  it('every package with source is in the table of the architecture, above those that it imports', () => {
    const folders = globSync('packages/*/src', { cwd: ROOT }).map(
      (path) => path.split('/')[1] ?? '',
    )
    expect([...arrows.keys()].toSorted()).toEqual(folders.toSorted())
    const names = [...arrows.keys(), 'src']
    const late = [...arrows].flatMap(([name, imports]) =>
      imports
        .filter((other) => !(names.indexOf(other) > names.indexOf(name)))
        .map((other) => `${name} imports ${other}`),
    )
    expect(late).toEqual([])
  })

  it('the runtime imports no package, and a package those of its row alone', () => {
    const offences = [...library, ...sourcesOfPackages].flatMap((file) => {
      const name = packageOf(file) ?? ''
      const allowed = [name, ...(arrows.get(name) ?? [])]
      return localImportsOf(file)
        .filter((other) => !other.endsWith('package.json'))
        .filter((other) => !allowed.includes(packageOf(other) ?? other))
        .map((other) => `${file} imports ${other}`)
    })
    expect(offences).toEqual([])
  })

  it('inspector, events and code import of the runtime its entries, its leaf rooms and `internal.ts` alone', () => {
    const entries = Object.values<{ types?: string }>(JSON.parse(sourceOf('package.json')).exports)
      .flatMap(({ types }) => types ?? [])
      .map((path) => path.replace('./dist/', '').replace('.d.ts', '.ts'))
    const users = sourcesOfPackages.filter((file) =>
      /^packages\/(?:inspector|events|code)\/src\//.test(file),
    )
    const offences = users.flatMap((file) =>
      localImportsOf(file)
        .filter(
          (other) => packageOf(other) === 'src' && !['src/internal.ts', ...entries].includes(other),
        )
        .filter((other) => !['platform', 'protocol', 'ports'].includes(roomOf(other)))
        .map((other) => `${file} imports ${other}`),
    )
    expect(offences).toEqual([])
    const names = Array.from(
      sourceOf('src/internal.ts').matchAll(/^export (?:type )?\{([^}]*)\}/gm),
      ([, list = '']) =>
        list
          .split(',')
          .map((name) => name.replace('type ', '').trim())
          .filter(Boolean),
    ).flat()
    const used = users.map(sourceOf).join('\n')
    const unused = names.filter((name) => !new RegExp(`\\b${name}\\b`).test(used))
    const complete = ['inspector', 'events', 'code'].every((name) => arrows.has(name))
    expect(complete ? unused : []).toEqual([])
    expect(names.length).toBeLessThanOrEqual(130)
  })

  it('each package refers, for the compiler, to the packages of its row', () => {
    for (const [name, imports] of arrows) {
      const { references } = JSON.parse(sourceOf(`packages/${name}/tsconfig.json`))
      const paths = references.map(({ path }: { path: string }) => path.split('/').at(-1))
      const present = imports.filter((other) => other === 'src' || arrows.has(other))
      expect([name, paths.toSorted()]).toEqual([name, present.toSorted()])
    }
  })

  it('each file of the command line imports of the library only what is pure', () => {
    const pure =
      /(?:package\.json|src\/(?:ports\/(?:jurisdictions|object-kinds)|platform\/(?:fnv|ip-address|likeness|printable|result|try-parse)|server\/schema\/(?:check-json-schema|find-faults|formats|json-pointer|keywords|pattern|published|references|validation))\.ts)$/
    const commandLine = ['cli', 'client', 'doctor', 'faults', 'migrate', 'publish', 'text']
    const offences = sourcesOfPackages
      .filter((file) => commandLine.includes(packageOf(file) ?? ''))
      .flatMap((file) =>
        localImportsOf(file)
          .filter((path) => packageOf(path) === 'src' && !pure.test(path))
          .filter((path) => !['clients', 'protocol'].includes(roomOf(path)))
          .map((path) => `${file} imports ${path}`),
      )
    expect(offences).toEqual([])
  })

  it('only one file decides which requests belong to a development server', () => {
    const deciding = library.filter((file) =>
      localImportsOf(file).includes('src/security/forwarded-client.ts'),
    )
    expect(deciding).toEqual(['src/security/server-origins.ts'])
  })

  // A table of extensions is reached from the call that its functions take: two types of one room may name each other.
  it('no file imports itself through other files, but for types of one room of the library', () => {
    const done = new Set<string>()
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) throw new Error(`Import cycle: ${[...path, file].join(' -> ')}`)
      if (done.has(file)) return
      const own = /\/page\//.test(file)
        ? []
        : typeImportsOf(file).filter((next) => roomOf(next) === roomOf(file))
      for (const next of localImportsOf(file)) {
        if (!own.includes(next)) visit(next, [...path, file])
      }
      done.add(file)
    }
    for (const file of program) visit(file, [])
    expect(program.filter((file) => !done.has(file))).toEqual([])
  })

  const PAGES = ['src/pages/', 'src/features/files/upload-page.ts', 'src/features/landing-page/']

  it('keeps hono and the platform where they belong', () => {
    const users = (pattern: RegExp) =>
      library.filter((file) => importsOf(file).some((name) => pattern.test(name)))
    const stray = (files: string[], ...homes: string[]) =>
      files.filter((file) => !homes.some((home) => file.startsWith(home)))
    expect(
      stray(users(/^hono/), ...PAGES, 'src/app/', 'src/mount.ts', 'src/security/', 'src/auth/'),
    ).toEqual([])
    // Types alone: `#runtime` is `cloudflare:workers`, and its replacement in plain Node.
    expect(stray(users(/^cloudflare:/), 'src/ports/object-class.ts')).toEqual([])
    expect(stray(users(/^#runtime$/), 'durable-objects/')).toEqual([])
    expect(users(/^zod|^node:/)).toEqual(['src/context/index.ts'])
  })

  it('knows the dates of revisions in one room', () => {
    // A specification's address names its revision; that is a source, not a decision.
    const dated = library.filter((file) =>
      /20\d\d-\d\d-\d\d/.test(
        sourceOf(file)
          .replace(/https?:\/\/\S+/g, '')
          .replace(/^\s*(?:\/?\*|\/\/).*$/gm, ''),
      ),
    )
    expect(dated.filter((file) => !file.startsWith('src/protocol/'))).toEqual([])
  })
})

describe('names and sizes', () => {
  const all = filesIn('src', 'durable-objects', 'packages', 'examples', 'scripts', 'test')

  it('takes objects of a namespace in one file', () => {
    const taking = library.filter((file) =>
      /\b(?:getByName|idFromName|newUniqueId)\(/.test(sourceOf(file)),
    )
    expect(taking).toEqual(library.filter((file) => file === 'durable-objects/app-objects.ts'))
  })

  it('sets the alarms of objects in one file, but for objects whose rows may be unknown', () => {
    const setting = library.filter((file) => /\bsetAlarm\(/.test(sourceOf(file)))
    expect(setting).toEqual(
      ['earliest-alarm', 'tables', 'unused-object'].map((name) => `durable-objects/${name}.ts`),
    )
  })

  it('names a kind of change in its table, and where one is published', () => {
    const naming = library.filter((file) =>
      CHANGE_KINDS.some((kind) => sourceOf(file).includes(`'${kind}'`)),
    )
    const publishing = [
      'durable-objects/task/task-changes.ts',
      'src/features/changes/notifier.ts',
      'src/features/connections/pages/visits.ts',
    ].filter((file) => library.includes(file))
    expect(naming).toEqual(expect.arrayContaining(publishing))
    expect(naming.filter((file) => !publishing.includes(file))).toEqual([])
  })

  it('has no drawers', () => {
    const drawers = all.filter((file) =>
      /(?:^|\/)(?:utils?|helpers?|common|misc|managers?)(?:\/|\.ts$)/.test(file),
    )
    expect(drawers).toEqual([])
  })

  it('writes file names in kebab case', () => {
    expect(all.filter((file) => !/^[a-z0-9./-]+$/.test(file))).toEqual([])
  })

  it('starts every source file with what it answers', () => {
    const silent = [...library, ...sourcesOfPackages].filter(
      (file) => !sourceOf(file).startsWith('/**'),
    )
    expect(silent).toEqual([])
  })

  it('has no file of more than 500 lines', () => {
    expect(all.filter((file) => sourceOf(file).split('\n').length > 500)).toEqual([])
  })

  it('has a small median', () => {
    const lengths = library.map((file) => sourceOf(file).split('\n').length).sort((a, b) => a - b)
    expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(150)
  })

  it('replaces setTimeout in tests of the project timers alone', () => {
    const config = ['vitest.config.ts', ...globSync('packages/*/vitest.projects.ts', { cwd: ROOT })]
      .map(sourceOf)
      .join('\n')
    // Those of the inspector's page run without workerd.
    const files = filesIn('test', 'packages').filter((file) => /\.test\.ts$/.test(file))
    const replacing = files.filter((file) =>
      [...sourceOf(file).matchAll(/useFakeTimers\(([^)]*)\)/g)].some(
        ([, options = '']) => !options.includes('toFake') || options.includes("'setTimeout'"),
      ),
    )
    expect(replacing.length).toBeGreaterThan(2)
    expect(replacing.filter((file) => !config.includes(`'${file}'`))).toEqual([])
  })

  it('leaves nothing undone and nothing silenced without a reason', () => {
    const marks = [...program].filter((file) =>
      /\bTODO\b|\bFIXME\b|@ts-ignore|@ts-expect-error/.test(sourceOf(file)),
    )
    expect(marks).toEqual([])
  })
})
