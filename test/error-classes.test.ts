/** How many classes of errors there are. Which failure it is, is a `reason` or a `code`, not a class. */
// features: all
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }

const ROOT = resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** The names of the classes of errors in folders of the source. The texts of other modules begin no line with `export`. */
function errorClassesIn(folder: string): string[] {
  return globSync(`${folder}/**/*.ts`, { cwd: ROOT, exclude: ['**/generated/**'] })
    .filter((file) => !file.startsWith('packages/sdk/src/'))
    .flatMap((file) => {
      // The template of the module in which code runs is text.
      const source = read(file).replaceAll(/String\.raw`.*?\n`/gs, '')
      const found = source.matchAll(
        /class (\w+)(?:<[^>]*>)? extends (\w*(?:Error|Refusal)|DOMException)\b/g,
      )
      return [...found].map(([, name = '']) => name)
    })
}

/** The names that a module exports, with those of the modules of which it exports everything. */
function exportsOf(file: string): string[] {
  const source = read(file)
  const all = [...source.matchAll(/export \* from '(\.[^']+)'/g)]
  const lists = [...source.matchAll(/export \{([^}]*)\}/g)].flatMap(([, list = '']) =>
    list.split(','),
  )
  const own = [...source.matchAll(/export class (\w+)/g)].map(([, name = '']) => name)
  return [
    ...own,
    ...lists.map((name) => name.trim().split(' as ').at(-1) ?? ''),
    ...all.flatMap(([, other = '']) => exportsOf(join(dirname(file), other))),
  ]
}

/** The packages that an app imports. */
const PACKAGES = [
  'agents',
  'client',
  'code',
  'events',
  'inspector',
  'openapi',
  'otel',
  'sdk',
  'testing',
].map((name) => `packages/${name}/src`)

const COMMAND_LINE = ['cli', 'doctor', 'migrate', 'publish', 'text'].map(
  (name) => `packages/${name}/src`,
)

describe('classes of errors', () => {
  const library = ['src', 'durable-objects', ...PACKAGES].flatMap(errorClassesIn)

  it('are at most twelve in the library, besides those that have the names of the SDK', () => {
    expect(library.toSorted()).toEqual([
      'ConfigurationError',
      'LoginError',
      'McpError',
      'OAuthError',
      'OperationError',
      'ProtocolError',
      'Refusal',
      'RemoteError',
      'RunError',
      'Suspension',
      'ToolError',
      'UrlElicitationRequiredError',
    ])
  })

  it('are at most six in what an author imports, besides those that have the names of the SDK', () => {
    const entries = Object.entries(manifest.exports).flatMap(([entry, target]) =>
      typeof target === 'object' && entry !== './sdk'
        ? [target.default.replace('./dist/', '').replace(/\.js$/, '.ts')]
        : [],
    )
    expect(entries).toContain('src/index.ts')
    const exported = new Set(entries.flatMap(exportsOf))
    expect(library.filter((name) => exported.has(name)).toSorted()).toEqual([
      'LoginError',
      'McpError',
      'OperationError',
      'ProtocolError',
      'ToolError',
      'UrlElicitationRequiredError',
    ])
  })

  it('are at most three in the command line', () => {
    expect(COMMAND_LINE.flatMap(errorClassesIn).toSorted()).toEqual([
      'CommandError',
      'CutShortError',
      'PrivateAddressError',
    ])
  })
})
