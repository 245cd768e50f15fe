/** Tests the insertions into configurations, and reads their results with wrangler. */
// features: all
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { type Append, appendAll } from '../src/configuration/edit.ts'
import { jsonc, readJsonc, removeMember, setMember } from '../src/configuration/jsonc.ts'
import { toml } from '../src/configuration/toml.ts'
import {
  flagEdits,
  hasCustomDomain,
  nextTag,
  objectsEdits,
  scopesOf,
} from '../src/configuration/worker-configuration.ts'
import { movePackage, type PackageNeeds } from '../src/move-package.ts'
import { splitText } from '../src/source-text.ts'

const BINDING: Append = {
  path: ['durable_objects', 'bindings'],
  entry: { name: 'K', class_name: 'C' },
}
const MIGRATION: Append = { path: ['migrations'], entry: { tag: 'v2', new_sqlite_classes: ['C'] } }
const FLAG: Append = { path: ['compatibility_flags'], entry: 'nodejs_als' }
const PRODUCTION: Append = { ...BINDING, path: ['env', 'production', ...BINDING.path] }

/** Title, edit, text before and after. */
type Insertion = readonly [string, Append, string, string]

const JSON_TEXTS: readonly Insertion[] = [
  [
    'an inline list',
    FLAG,
    '{"compatibility_flags": ["a"]}',
    '{"compatibility_flags": ["a", "nodejs_als"]}',
  ],
  [
    'an empty list',
    FLAG,
    '{ "compatibility_flags": [] }',
    '{ "compatibility_flags": ["nodejs_als"] }',
  ],
  [
    'an inline list with a trailing comma',
    FLAG,
    '{ "compatibility_flags": ["a",] }',
    '{ "compatibility_flags": ["a", "nodejs_als",] }',
  ],
  [
    'a list with a comment behind the last entry',
    FLAG,
    '{\n  "compatibility_flags": [\n    "a" // for b\n  ]\n}\n',
    '{\n  "compatibility_flags": [\n    "a", // for b\n    "nodejs_als"\n  ]\n}\n',
  ],
  [
    'a list with a trailing comma and a comment',
    FLAG,
    '{\n\t"compatibility_flags": [\n\t\t"a", /* b */ // c\n\t\t// d\n\t],\n}\n',
    '{\n\t"compatibility_flags": [\n\t\t"a", /* b */ // c\n\t\t"nodejs_als",\n\t\t// d\n\t],\n}\n',
  ],
  [
    'a list with its comma on the next line',
    FLAG,
    '{\n  "compatibility_flags": [\n    "a" // b\n    ,\n  ]\n}\n',
    '{\n  "compatibility_flags": [\n    "a" // b\n    ,\n    "nodejs_als",\n  ]\n}\n',
  ],
  [
    'a list of comments alone',
    FLAG,
    '{\n  "compatibility_flags": [\n    // none\n  ]\n}\n',
    '{\n  "compatibility_flags": [\n    // none\n    "nodejs_als"\n  ]\n}\n',
  ],
  [
    'a list that does not exist',
    FLAG,
    '{\n  "name": "a"\n}\n',
    '{\n  "name": "a",\n  "compatibility_flags": ["nodejs_als"]\n}\n',
  ],
  ['an empty object', FLAG, '{}', '{ "compatibility_flags": ["nodejs_als"] }'],
  [
    'an object that does not exist',
    BINDING,
    '{\r\n  "name": "a", // b\r\n}\r\n',
    '{\r\n  "name": "a", // b\r\n  "durable_objects": { "bindings": [{ "name": "K", "class_name": "C" }] },\r\n}\r\n',
  ],
  [
    'an environment',
    PRODUCTION,
    '{ "env": { "production": { "durable_objects": { "bindings": [{ "name": "A", "class_name": "B" }] } } } }',
    '{ "env": { "production": { "durable_objects": { "bindings": [{ "name": "A", "class_name": "B" }, { "name": "K", "class_name": "C" }] } } } }',
  ],
  [
    'texts that look like comments and brackets',
    FLAG,
    '{ "vars": { "A": "// ] } /*" }, "compatibility_flags": ["a"] /* "x", ] */ }',
    '{ "vars": { "A": "// ] } /*" }, "compatibility_flags": ["a", "nodejs_als"] /* "x", ] */ }',
  ],
]

const TOML_TEXTS: readonly Insertion[] = [
  [
    'an inline list',
    FLAG,
    'compatibility_flags = ["a"] # b\n',
    'compatibility_flags = ["a", "nodejs_als"] # b\n',
  ],
  ['an empty list', FLAG, 'compatibility_flags = []\n', 'compatibility_flags = ["nodejs_als"]\n'],
  [
    'a list of several lines',
    FLAG,
    'compatibility_flags = [\n\t"a", # b\n]\n',
    'compatibility_flags = [\n\t"a", # b\n\t"nodejs_als",\n]\n',
  ],
  [
    'a list that does not exist, in front of the tables',
    FLAG,
    'name = "a" # b\n\n[vars]\nA = "b"\n',
    'name = "a" # b\ncompatibility_flags = ["nodejs_als"]\n\n[vars]\nA = "b"\n',
  ],
  [
    'a list of a text without top-level names',
    FLAG,
    '[vars]\nA = "b"\n',
    'compatibility_flags = ["nodejs_als"]\n\n[vars]\nA = "b"\n',
  ],
  [
    'a list of an environment',
    { ...FLAG, path: ['env', 'b c', 'compatibility_flags'] },
    '[env."b c"]\nname = "d"\n[env."b c".vars]\nX = "1"\n',
    '[env."b c"]\nname = "d"\ncompatibility_flags = ["nodejs_als"]\n[env."b c".vars]\nX = "1"\n',
  ],
  [
    'tables of a list',
    BINDING,
    '[[durable_objects.bindings]]\nname = "A"\nclass_name = "B" # b\n\n[vars]\nA = "b"\n',
    '[[durable_objects.bindings]]\nname = "A"\nclass_name = "B" # b\n\n[[durable_objects.bindings]]\nname = "K"\nclass_name = "C"\n\n[vars]\nA = "b"\n',
  ],
  [
    'a list in a table',
    BINDING,
    '[durable_objects]\nbindings = [\n  { name = "A", class_name = "B" }\n]\n',
    '[durable_objects]\nbindings = [\n  { name = "A", class_name = "B" },\n  { name = "K", class_name = "C" }\n]\n',
  ],
  [
    'a list with a dotted name',
    BINDING,
    'durable_objects.bindings = [{ name = "A", class_name = "B" }]\n',
    'durable_objects.bindings = [{ name = "A", class_name = "B" }, { name = "K", class_name = "C" }]\n',
  ],
  [
    'a list in an inline table',
    BINDING,
    'durable_objects = { bindings = [{ name = "A", class_name = "B" }] }\n',
    'durable_objects = { bindings = [{ name = "A", class_name = "B" }, { name = "K", class_name = "C" }] }\n',
  ],
  [
    'tables of a list with tables of their own',
    MIGRATION,
    '[[migrations]]\ntag = "v1"\n\n[[migrations.renamed_classes]]\nfrom = "A"\nto = "B"\n',
    '[[migrations]]\ntag = "v1"\n\n[[migrations.renamed_classes]]\nfrom = "A"\nto = "B"\n\n[[migrations]]\ntag = "v2"\nnew_sqlite_classes = ["C"]\n',
  ],
  [
    'migrations that do not exist, behind the objects',
    MIGRATION,
    '[durable_objects]\nbindings = []\n\n# c\n[vars]\n',
    '[durable_objects]\nbindings = []\n\n[[migrations]]\ntag = "v2"\nnew_sqlite_classes = ["C"]\n\n# c\n[vars]\n',
  ],
  [
    'a list of an environment, with indentation and CRLF',
    PRODUCTION,
    'name = "a"\r\n[env.production]\r\n  [[env.production.durable_objects.bindings]]\r\n    name = "A"\r\n    class_name = "B"\r\n',
    'name = "a"\r\n[env.production]\r\n  [[env.production.durable_objects.bindings]]\r\n    name = "A"\r\n    class_name = "B"\r\n\r\n  [[env.production.durable_objects.bindings]]\r\n    name = "K"\r\n    class_name = "C"\r\n',
  ],
  [
    'a file without a last line break',
    MIGRATION,
    'name = "a"\n# the end',
    'name = "a"\n# the end\n\n[[migrations]]\ntag = "v2"\nnew_sqlite_classes = ["C"]\n',
  ],
  [
    'texts that look like tables',
    FLAG,
    'a = """\n[[migrations]]\ncompatibility_flags = ["x"]\n"""\ncompatibility_flags = ["b"]\n',
    'a = """\n[[migrations]]\ncompatibility_flags = ["x"]\n"""\ncompatibility_flags = ["b", "nodejs_als"]\n',
  ],
]

describe('JSON with comments', () => {
  it.each(JSON_TEXTS)('%s receives an entry', (_, append, before, after) => {
    expect(appendAll(jsonc, 'a.jsonc', splitText(before), [append])).toBe(after)
  })

  it('names the place of a syntax error', () => {
    expect(() => readJsonc('a.jsonc', '{\n  "a": [1,\n}')).toThrow(
      /^a\.jsonc:\d+:\d+ cannot be parsed/,
    )
  })

  it.each([
    '{ "durable_objects": null }',
    '{ "durable_objects": "K" }',
    '{ "durable_objects": { "bindings": "K" } }',
  ])('refuses %s, which cannot be extended, with what to add', (contents) => {
    const text = { text: contents, eol: '\n' }
    expect(() => appendAll(jsonc, 'a.jsonc', text, [BINDING])).toThrow(
      /add .*"K".* to durable_objects\.bindings/,
    )
  })

  it.each([
    ['{ "a": 1, "b": 2 }', 'a', '{ "b": 2 }'],
    ['{ "a": 1, "b": 2 }', 'b', '{ "a": 1 }'],
    ['{ "a": 1 }', 'a', '{}'],
    ['{\n  "a": 1,\n  "b": 2\n}', 'b', '{\n  "a": 1\n}'],
    ['{\n  "a": 1,\n  "b": 2\n}', 'a', '{\n  "b": 2\n}'],
    ['{ "a": 1 }', 'c', '{ "a": 1 }'],
  ])('%j without %s is %j', (before, name, after) => {
    expect(removeMember(before, [name])).toBe(after)
  })
})

describe('TOML', () => {
  it.each(TOML_TEXTS)('%s receives an entry', (_, append, before, after) => {
    expect(appendAll(toml, 'a.toml', splitText(before), [append])).toBe(after)
  })

  it('names the place of a syntax error', () => {
    expect(() => toml.read('a.toml', 'name = "a"\nb = = 1\n')).toThrow(
      /^a\.toml:2:\d+ cannot be parsed/,
    )
  })

  it('refuses a form that cannot be extended, with what to add', () => {
    const text = { text: 'env = { production = {} }\n', eol: '\n' }
    expect(() =>
      appendAll(toml, 'a.toml', text, [{ ...FLAG, path: ['env', 'production', 'f'] }]),
    ).toThrow(/add "nodejs_als" to env\.production\.f yourself/)
  })
})

describe('every configuration', () => {
  const name = fc.stringMatching(/^[A-Za-z][\w-]{0,8}$/)
  const binding = fc.record({ name, class_name: name })
  const scope = fc.record(
    {
      durable_objects: fc.record({ bindings: fc.array(binding, { maxLength: 3 }) }),
      compatibility_flags: fc.array(name, { maxLength: 3 }),
      vars: fc.dictionary(name, fc.string()),
      migrations: fc.array(
        fc.record({ tag: name, new_sqlite_classes: fc.array(name, { maxLength: 2 }) }),
        {
          maxLength: 2,
        },
      ),
    },
    { requiredKeys: [] },
  )
  const configuration = fc
    .record({ name, main: name })
    .chain((top) => scope.map((more) => ({ ...top, ...more })))

  it('of JSON keeps each line, and says what is added', () => {
    const indent = fc.constantFrom(undefined, 2, '\t')
    fc.assert(
      fc.property(configuration, indent, (value, space) => {
        const text = JSON.stringify(value, undefined, space)
        const after = appendAll(jsonc, 'a.json', splitText(text), [BINDING, MIGRATION, FLAG])
        // Nothing but insertions: what was there is left in its order.
        expect(isSubsequence(text, after)).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})

function isSubsequence(part: string, whole: string): boolean {
  let at = 0
  for (const character of whole) if (character === part[at]) at++
  return at === part.length
}

describe('the binding of the class of Edgeway', () => {
  const edits = (value: unknown) =>
    objectsEdits(scopesOf(value), ({ className }) => className === 'MyMCP').map(
      ({ path, entry }) => [path.join('.'), entry],
    )
  const bound = { bindings: [{ name: 'MCP_OBJECT', class_name: 'MyMCP' }] }
  const objects = { name: 'MCP_OBJECTS', class_name: 'McpObjects' }

  it('is added beside each binding of an agent, with one migration', () => {
    const value = {
      durable_objects: bound,
      migrations: [{ tag: 'v1', new_sqlite_classes: ['MyMCP'] }],
      env: { production: { durable_objects: bound }, staging: { vars: {} } },
    }
    expect(edits(value)).toEqual([
      ['durable_objects.bindings', objects],
      ['env.production.durable_objects.bindings', objects],
      ['migrations', { tag: 'v2', new_sqlite_classes: ['McpObjects'] }],
    ])
  })

  it('is created in the migrations of an environment that has its own', () => {
    const value = { env: { production: { durable_objects: bound, migrations: [{ tag: 'p1' }] } } }
    expect(edits(value)).toEqual([
      ['env.production.durable_objects.bindings', objects],
      ['migrations', { tag: 'v1', new_sqlite_classes: ['McpObjects'] }],
      ['env.production.migrations', { tag: 'p2', new_sqlite_classes: ['McpObjects'] }],
    ])
  })

  it.each([
    ['no agent is bound', { durable_objects: { bindings: [{ name: 'A', class_name: 'B' }] } }],
    [
      'the agent is of another Worker',
      { durable_objects: { bindings: [{ ...bound.bindings[0], script_name: 'w' }] } },
    ],
    [
      'it is there',
      {
        durable_objects: { bindings: [...bound.bindings, objects] },
        migrations: [{ tag: 'a', new_sqlite_classes: ['McpObjects'] }],
      },
    ],
    ['the configuration has another shape', { durable_objects: [], env: 1 }],
  ])('is not added where %s', (_, value) => {
    expect(edits(value)).toEqual([])
  })

  it.each([
    [[], 'v1'],
    [['v1'], 'v2'],
    [['v9'], 'v10'],
    [['0001'], '0002'],
    [['2025-01-01'], '2025-01-01-edgeway'],
    [['first'], 'first-edgeway'],
    [['v2', 'v1'], 'v3'],
  ])('follows the tags %j with %s', (tags, tag) => {
    expect(nextTag(tags)).toBe(tag)
  })
})

describe('the flag for AsyncLocalStorage', () => {
  it.each([
    [{}, ['compatibility_flags']],
    [{ compatibility_flags: ['a'] }, ['compatibility_flags']],
    [{ compatibility_flags: ['nodejs_compat'] }, []],
    [
      { compatibility_flags: ['nodejs_als'], env: { p: { compatibility_flags: [] }, q: {} } },
      ['env.p.compatibility_flags'],
    ],
  ])('is needed in %j at %j', (value, paths) => {
    expect(flagEdits(scopesOf(value)).map(({ path }) => path.join('.'))).toEqual(paths)
  })

  it('does not depend on the domain of a route', () => {
    expect(
      hasCustomDomain(scopesOf({ routes: ['a.com/*', { pattern: 'b.com', custom_domain: true }] })),
    ).toBe(true)
    expect(hasCustomDomain(scopesOf({ route: 'a.com/*' }))).toBe(false)
  })
})

describe('wrangler', () => {
  const edits = [BINDING, MIGRATION, FLAG, PRODUCTION]

  it.each([
    [
      'wrangler.toml',
      'name = "a"\nmain = "b.js"\ncompatibility_date = "2026-11-01"\n\n[env.production]\nname = "c"\n',
    ],
    [
      'wrangler.jsonc',
      '{ // a\n  "name": "a", "main": "b.js", "compatibility_date": "2026-11-01", "env": { "production": { "name": "c" } } }',
    ],
  ])('reads %s with what was added', (file, text) => {
    const folder = mkdtempSync(join(tmpdir(), 'edgeway-migrate-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const after = appendAll(file.endsWith('toml') ? toml : jsonc, file, splitText(text), edits)
    writeFileSync(join(folder, file), after)
    writeFileSync(join(folder, 'b.js'), 'export default {}')
    const read = (env?: string) =>
      unstable_readConfig({ config: join(folder, file), env }, { hideWarnings: true })
    expect(read().durable_objects.bindings).toEqual([BINDING.entry])
    expect(read().migrations).toEqual([MIGRATION.entry])
    expect(read('production').durable_objects.bindings).toEqual([BINDING.entry])
    expect(read('production').compatibility_flags).toEqual(['nodejs_als'])
  })
})

describe('package.json', () => {
  const NEEDS: PackageNeeds = {
    isUnused: () => true,
    namesWorkersTypes: false,
    importsZod: false,
    becomesWorker: false,
    peersOf: () => [],
    zodVersion: undefined,
  }
  const move = (value: unknown, needs: Partial<PackageNeeds> = {}) => {
    const { text, removed } = movePackage(splitText(JSON.stringify(value, undefined, 2)), {
      ...NEEDS,
      ...needs,
    })
    return { value: JSON.parse(text) as Record<string, unknown>, text, removed }
  }
  const SDK = '@modelcontextprotocol/sdk'
  const edgeway = expect.stringMatching(/^\^\d/)

  it('loses what nothing imports, and receives edgeway in its order', () => {
    const { value, text } = move({ dependencies: { [SDK]: '1', agents: '1', hono: '4', zod: '4' } })
    expect(value.dependencies).toEqual({ edgeway, hono: '4', zod: '4' })
    expect(text.indexOf('edgeway')).toBeLessThan(text.indexOf('hono'))
  })

  it.each([
    ['a file imports it', { [SDK]: '1' }, { isUnused: () => false }],
    [
      'agents stays, which needs it',
      { [SDK]: '1', agents: '1' },
      { isUnused: (name: string) => name === SDK },
    ],
    ['another package needs it', { [SDK]: '1', '@modelcontextprotocol/ext-apps': '1' }, {}],
  ])('keeps the SDK where %s', (_, dependencies, needs) => {
    expect(move({ dependencies }, needs).value.dependencies).toEqual({ ...dependencies, edgeway })
  })

  it.each([SDK, '@modelcontextprotocol/server', 'agents'])(
    'keeps %s for a package that stays and needs it, and names that package',
    (name) => {
      const text = JSON.stringify({ dependencies: { [name]: '1', a: '1', b: '1' } })
      const peersOf = (one: string) => (one === 'b' ? ['zod', name] : [])
      const moved = movePackage(splitText(text), { ...NEEDS, peersOf })
      expect(JSON.parse(moved.text).dependencies).toHaveProperty(name)
      expect([...moved.peers]).toEqual([[name, 'b']])
    },
  )

  it.each([
    ['3.25.76', '^3.25.76'],
    ['3.22.4', '^3.24.0'],
    ['4.1.12', '^4.2.0'],
    ['4.4.3', '^4.4.3'],
    ['5.0.0', '^4.2.0'],
    [undefined, '^4.2.0'],
  ])('receives zod of the major version that it had: %s becomes %s', (zodVersion, range) => {
    const { value } = move({}, { importsZod: true, zodVersion })
    expect(value.dependencies).toMatchObject({ zod: range })
  })

  it('loses what only a package that goes needs', () => {
    const peersOf = (one: string) => (one === 'agents' ? [SDK] : [])
    expect(move({ dependencies: { [SDK]: '1', agents: '1' } }, { peersOf }).removed).toEqual([
      'agents',
      SDK,
    ])
  })

  it('loses the SDK from the dependencies of development too', () => {
    expect(move({ devDependencies: { [SDK]: '1', vitest: '3' } }).value).toEqual({
      devDependencies: { vitest: '3' },
      dependencies: { edgeway },
    })
  })

  it('receives the types that agents has brought, where a file names them', () => {
    const { value } = move({ dependencies: { agents: '1' } }, { namesWorkersTypes: true })
    expect(Object.keys(value.devDependencies as object)).toEqual(['@cloudflare/workers-types'])
  })

  it('receives zod where a file imports it, and wrangler where the server becomes a Worker', () => {
    const { value } = move({ name: 'a' }, { importsZod: true, becomesWorker: true })
    expect(Object.keys(value.dependencies as object)).toEqual(['edgeway', 'zod'])
    expect(Object.keys(value.devDependencies as object)).toContain('wrangler')
  })

  it('does not change again', () => {
    const once = move({ dependencies: { [SDK]: '1', zod: '4' } }).text
    expect(movePackage(splitText(once), NEEDS).text).toBe(once)
    expect(setMember(once, ['dependencies', 'b'], '1', '\n')).not.toBe(once)
  })
})
