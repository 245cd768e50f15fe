/** The house rules that a machine can hold: directions, cycles, forbidden names, sizes. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')

function filesIn(...folders: string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
      .filter((file) => !/node_modules|\/generated\//.test(file)),
  )
}

const sourceOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** Every module a file names, types included. */
function importsOf(file: string): string[] {
  return [...sourceOf(file).matchAll(/(?:from|import)\s+'([^']+)'/g)].map(([, name = '']) => name)
}

function localImportsOf(file: string): string[] {
  return importsOf(file)
    .filter((name) => name.startsWith('.'))
    .map((name) => relative(ROOT, resolve(ROOT, dirname(file), name)))
}

function roomOf(file: string): string {
  const [top, second = ''] = file.split('/')
  return top === 'durable-objects' || top === 'cli' ? top : second
}

/** Left may import right, itself, and `platform`, which imports no other room. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  protocol: [],
  ports: ['protocol'],
  server: ['protocol'],
  dispatch: ['server', 'protocol', 'ports'],
  transport: ['dispatch', 'security', 'protocol', 'ports'],
  admin: ['ports', 'protocol'],
  pages: [],
  auth: ['pages', 'ports', 'protocol', 'security'],
  openapi: ['server', 'protocol'],
  security: ['ports', 'protocol'],
  telemetry: ['ports', 'protocol'],
  otel: ['ports', 'protocol'],
  'rate-limits': ['ports', 'protocol'],
  faults: ['protocol'],
  timeline: ['auth', 'faults', 'ports', 'protocol', 'security'],
  'timeline-texts': ['faults', 'protocol', 'timeline'],
  inspect: ['admin', 'auth', 'ports', 'protocol', 'security', 'timeline', 'transport'],
  'durable-objects': ['ports', 'protocol', 'dispatch'],
  context: ['dispatch', 'server', 'protocol'],
  sdk: ['context', 'server', 'ports', 'protocol', 'transport', 'auth', 'app.ts'],
  agents: [
    'app.ts',
    'auth',
    'context',
    'dispatch',
    'durable-objects',
    'ports',
    'protocol',
    'sdk',
    'server',
  ],
  testing: ['app.ts', 'auth', 'server', 'ports', 'protocol'],
}

const library = filesIn('src', 'durable-objects')
const commandLine = filesIn('cli')
const program = [...library, ...commandLine, ...filesIn('bench', 'examples', 'scripts')]

describe('directions', () => {
  it.each(library)('%s imports only what its room may', (file) => {
    const room = roomOf(file)
    const allowed = MAY_IMPORT[room]
    if (allowed === undefined) {
      expect(['app', 'app.ts', 'embedded.ts', 'index.ts', 'mount.ts']).toContain(room)
      return
    }
    const rooms = localImportsOf(file).map(roomOf)
    expect(rooms.filter((other) => ![room, 'platform', ...allowed].includes(other))).toEqual([])
  })

  it.each(commandLine)('%s imports of the library only what is pure', (file) => {
    const pure =
      /(?:package\.json|src\/(?:timeline\/(?:timeline-text|views)|timeline-texts\/explained-text)\.ts)$/
    const rooms = localImportsOf(file).filter((path) => !pure.test(path))
    expect(
      rooms.map(roomOf).filter((room) => !['cli', 'faults', 'protocol'].includes(room)),
    ).toEqual([])
  })

  it('only the timeline and its texts import the catalogue of faults', () => {
    const importing = ['faults', 'timeline', 'timeline-texts']
    const others = library.filter((file) => !importing.includes(roomOf(file)))
    expect(others.filter((file) => localImportsOf(file).map(roomOf).includes('faults'))).toEqual([])
  })

  it('only one file decides which requests belong to a development server', () => {
    const deciding = library.filter((file) =>
      localImportsOf(file).includes('src/security/forwarded-client.ts'),
    )
    expect(deciding).toEqual(['src/security/server-origins.ts'])
  })

  it('no file imports itself through other files', () => {
    const done = new Set<string>()
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) throw new Error(`Import cycle: ${[...path, file].join(' -> ')}`)
      if (done.has(file)) return
      for (const next of localImportsOf(file)) visit(next, [...path, file])
      done.add(file)
    }
    for (const file of program) visit(file, [])
    expect(program.filter((file) => !done.has(file))).toEqual([])
  })

  it('keeps hono and the platform where they belong', () => {
    const users = (pattern: RegExp) =>
      library.filter((file) => importsOf(file).some((name) => pattern.test(name)))
    const stray = (files: string[], ...homes: string[]) =>
      files.filter((file) => !homes.some((home) => file.startsWith(home)))
    expect(
      stray(users(/^hono/), 'src/app/', 'src/mount.ts', 'src/security/', 'src/auth/', 'src/pages/'),
    ).toEqual([])
    // Types alone: `#runtime` is `cloudflare:workers`, and its replacement in plain Node.
    expect(stray(users(/^cloudflare:/), 'src/app')).toEqual([])
    expect(stray(users(/^#runtime$/), 'durable-objects/', 'src/agents/', 'src/sdk/')).toEqual([])
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
  const all = filesIn('src', 'durable-objects', 'cli', 'examples', 'scripts', 'test')

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
    const silent = filesIn('src', 'durable-objects', 'cli').filter(
      (file) => !sourceOf(file).startsWith('/**'),
    )
    expect(silent).toEqual([])
  })

  it.each(all)('%s is at most 500 lines', (file) => {
    expect(sourceOf(file).split('\n').length).toBeLessThanOrEqual(500)
  })

  it('has a small median', () => {
    const lengths = library.map((file) => sourceOf(file).split('\n').length).sort((a, b) => a - b)
    expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(150)
  })

  it('leaves nothing undone and nothing silenced without a reason', () => {
    const marks = filesIn('src', 'durable-objects', 'cli', 'examples', 'scripts').filter((file) =>
      /\bTODO\b|\bFIXME\b|@ts-ignore|@ts-expect-error/.test(sourceOf(file)),
    )
    expect(marks).toEqual([])
  })
})
