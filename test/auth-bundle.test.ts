/** What an entry of the package and each choice of `auth` make a Worker bundle, by the imports that remain after types are erased. */
// features: all
import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')

function importsOf(file: string): string[] {
  const source = readFileSync(join(ROOT, file), 'utf8')
  const names = source.matchAll(/^(?:import|export)\s+(?!type\b)[^'"]*?from\s+'(\.[^']+)'/gm)
  return [...names].map(([, name = '']) => relative(ROOT, resolve(ROOT, dirname(file), name)))
}

/** All files that an entry imports, and those that these import. */
function bundleOf(entry: string): string[] {
  const found = new Set([entry])
  for (const file of found) for (const next of importsOf(file)) found.add(next)
  return [...found]
}

describe('the bundle of a Worker', () => {
  it('has no authorization code when the app is used without `auth`', () => {
    const files = bundleOf('src/app.ts')
    expect(files.length).toBeGreaterThan(100)
    expect(files.filter((file) => file.startsWith('src/auth/'))).toEqual([])
  })

  it('has nothing of the timeline and of the catalogue of faults without `timeline`', () => {
    const rooms = /^packages\/(?:inspector\/src\/timeline|faults\/src)\//
    expect(bundleOf('src/app.ts').filter((file) => rooms.test(file))).toEqual([])
    expect(
      bundleOf('packages/inspector/src/timeline/timeline.ts').filter((file) => rooms.test(file)),
    ).not.toEqual([])
  })

  it('has no text of the catalogue of faults with `timeline` and with the inspector', () => {
    const rooms = /^packages\/(?:inspector\/src\/timeline-texts|faults\/src\/(?!checks|clients\.))/
    for (const entry of [
      'packages/inspector/src/timeline/timeline.ts',
      'packages/inspector/src/inspector/index.ts',
    ]) {
      expect(bundleOf(entry).filter((file) => rooms.test(file))).toEqual([])
    }
    // The inspector has the texts once: in its page.
    const texts = bundleOf('packages/inspector/src/timeline-texts/index.ts').filter((file) =>
      rooms.test(file),
    )
    expect(texts).toContain('packages/faults/src/catalogue/discovery.ts')
  })

  it('has no code of the other entries of the package, and no Node.js module', () => {
    const files = bundleOf('src/index.ts')
    expect(files.filter((file) => /^src\/[^/]+\/index\.ts$/.test(file))).toEqual([])
    const sources = files.map((file) => readFileSync(join(ROOT, file), 'utf8'))
    expect(sources.filter((source) => /from 'node:/.test(source))).toEqual([])
  })

  it('has the resource server and no authorization server with `external()`', () => {
    const files = bundleOf('src/auth/external.ts')
    expect(files).toContain('src/auth/resource/resource-server.ts')
    const rooms = new Set(files.map((file) => dirname(file)))
    expect([...rooms].filter((room) => /^src\/auth\/(?!resource$|feature$)/.test(room))).toEqual([])
    expect(files).not.toContain('src/auth/resource/dpop.ts')
  })

  it('has the authorization server, its pages and clients with `embedded()`', () => {
    const rooms = new Set(bundleOf('src/auth/embedded.ts').map((file) => dirname(file)))
    for (const room of ['clients', 'login', 'pages', 'server']) {
      expect(rooms).toContain(`src/auth/${room}`)
    }
  })

  it.each(['embedded', 'external'])('has nothing of jose with `%s()` alone', (type) => {
    const sources = bundleOf(`src/auth/${type}.ts`).map((file) =>
      readFileSync(join(ROOT, file), 'utf8'),
    )
    expect(sources.filter((source) => /^import (?!type\b).*from 'jose'/m.test(source))).toEqual([])
  })

  it('has no code of the features of `embedded()` that its author does not pass', () => {
    const FEATURES = {
      'dpop.ts': ['resource/dpop.ts'],
      'private-key-jwt.ts': ['clients/client-assertion.ts', 'clients/client-keys.ts'],
      'assertions.ts': ['server/assertion.ts', 'server/grants/jwt-bearer.ts'],
      'personal-access-tokens.ts': ['personal-tokens/issue-token.ts', 'pages/token-section.ts'],
    }
    const files = bundleOf('src/auth/embedded.ts')
    expect(files.filter((file) => /^src\/auth\/(?:features|personal-tokens)\//.test(file))).toEqual(
      [],
    )
    for (const [feature, own] of Object.entries(FEATURES)) {
      const paths = own.map((file) => `src/auth/${file}`)
      expect(bundleOf(`src/auth/features/${feature}`)).toEqual(expect.arrayContaining(paths))
      expect(files.filter((file) => paths.includes(file))).toEqual([])
    }
  })
})
