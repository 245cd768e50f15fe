/** What code and its model see of the tools: identifiers, declarations, the description, find and describe. */
import { describe, expect, it } from 'vitest'
import { jsonSchema } from '../../../../src/index.ts'
import { defineTool } from '../../../../src/server/define/tool.ts'
import type { ToolDefinition } from '../../../../src/server/definition.ts'
import { declarationOf, typeText } from '../../src/code/declarations.ts'
import { describeModule } from '../../src/code/description.ts'
import { describeTools, findTools } from '../../src/code/find-tools.ts'
import { moduleOf } from '../../src/code/module-names.ts'
import { readSource } from '../../src/code/source.ts'

const tool = (name: string, config: object = {}): ToolDefinition =>
  defineTool(name, config, () => 'done')

const moduleWith = (...tools: readonly ToolDefinition[]) =>
  moduleOf(
    { tools: new Map(tools.map((each) => [each.info.name, each])) },
    { tools: undefined, readOnly: false },
  )

const object = (properties: object, more: object = {}) =>
  jsonSchema({ type: 'object', properties, ...more })

describe('the identifiers of tools', () => {
  it.each([
    ['get-user', 'get_user'],
    ['a.b', 'a_b'],
    ['2fa', '_2fa'],
    ['delete', '_delete'],
    ['await', '_await'],
    ['plain_Name', 'plain_Name'],
  ])('%s is %s', (name, identifier) => {
    expect(moduleWith(tool(name)).get(name)?.identifier).toBe(identifier)
  })

  it('are different for names that differ in their separators', () => {
    const module = moduleWith(tool('a-b'), tool('a_b'), tool('a.b'))
    expect([...module.values()].map(({ identifier }) => identifier)).toEqual([
      'a_b_2',
      'a_b',
      'a_b_3',
    ])
  })
})

describe('the type of a schema', () => {
  it.each([
    [{ type: 'string' }, 'string'],
    [{ type: 'integer' }, 'number'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ type: 'string', nullable: true }, 'string | null'],
    [{ enum: ['a', 1, null] }, '"a" | 1 | null'],
    [{ const: 'x"y' }, '"x\\"y"'],
    [{ type: 'array', items: { type: 'string' } }, 'string[]'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, '("a" | "b")[]'],
    [{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] }, '[string, number]'],
    [{ type: 'array' }, 'unknown[]'],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'string' }] }, 'string | number'],
    [
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } } },
          { type: 'object', properties: { b: {} } },
        ],
      },
      '{ a?: string } & { b?: unknown }',
    ],
    [
      {
        type: 'object',
        properties: { a: { type: 'string' }, 'b-c': { type: 'number' } },
        required: ['a'],
      },
      '{ a: string; "b-c"?: number }',
    ],
    [{ type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
    [{ type: 'object', additionalProperties: false }, '{}'],
    [
      {
        type: 'object',
        properties: { a: { $ref: '#/$defs/a' } },
        $defs: { a: { type: 'boolean' } },
      },
      '{ a?: boolean }',
    ],
    [
      {
        $ref: '#/$defs/node',
        $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
      },
      '{ next?: unknown }',
    ],
    [{ $ref: 'https://example.com/other' }, 'unknown'],
    [
      { type: 'object', properties: { a: { type: 'string', description: 'Ends */ here' } } },
      '{ /** Ends *\\/ here */ a?: string }',
    ],
    [{}, 'unknown'],
  ])('%j', (schema, type) => {
    expect(typeText(schema as never)).toBe(type)
  })

  it('is bounded for a schema that grows with each level', () => {
    const wide = { anyOf: Array.from({ length: 30 }, () => ({ $ref: '#/$defs/a' })) }
    const names = [...'abcdefgh']
    const $defs = Object.fromEntries(
      names.map((name, at) => [
        name,
        {
          anyOf: Array.from({ length: 30 }, (_, n) => ({
            type: 'object',
            properties: { [`p${n}`]: { $ref: `#/$defs/${names[at + 1] ?? 'a'}` } },
          })),
        },
      ]),
    )
    expect(typeText({ ...wide, $defs } as never).length).toBeLessThan(30_000)
  })

  it('is bounded for a schema with 5,000 properties', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, n) => [`p${n}`, { type: 'string' }]),
    )
    const type = typeText({ type: 'object', properties } as never)
    expect(type.length).toBeLessThan(10_000)
    expect(type).toContain('[more: string]: unknown')
  })
})

describe('the declaration of a tool', () => {
  it('has its description, its arguments and its value', () => {
    const [each] = moduleWith(
      tool('get-user', {
        description: 'Finds a user.',
        inputSchema: object({ id: { type: 'string' } }, { required: ['id'] }),
        outputSchema: object({ name: { type: 'string' } }, { required: ['name'] }),
      }),
    ).values()
    expect(each && declarationOf(each)).toBe(
      '/** Finds a user. Tool "get-user". */\nget_user(args: { id: string }): Promise<{ name: string }>',
    )
  })

  it('of a tool without arguments has none', () => {
    const [each] = moduleWith(tool('ping')).values()
    expect(each && declarationOf(each)).toBe('ping(): Promise<unknown>')
  })
})

/** About four characters are a token. */
const LONGEST = 8_000

describe('the description of execute', () => {
  const many = (count: number, more: object = {}) =>
    moduleWith(
      ...Array.from({ length: count }, (_, n) =>
        tool(`repository_operation_number_${n}`, {
          description: `Does the operation ${n} of a repository. It has more to say.`,
          inputSchema: object({ owner: { type: 'string' }, name: { type: 'string' } }),
          ...more,
        }),
      ),
    )

  it.each([
    [10, 'declare const tools: {'],
    [
      45,
      'tools.repository_operation_number_44({ owner?, name? }) // Does the operation 44 of a repository.',
    ],
    [90, 'tools.repository_operation_number_89({ owner?, name? })'],
    [180, 'The names in tools: repository_operation_number_0, '],
    [500, 'others. Use find.'],
  ])('of %i tools has what fits', (count, text) => {
    const description = describeModule(many(count), 100, false)
    expect(description).toContain(text)
    expect(description.length).toBeLessThan(LONGEST)
  })

  it('names no tool that only some callers see', () => {
    const description = describeModule(many(3, { visible: () => true }), 100, false)
    expect(description).not.toContain('repository_operation')
    expect(description).toContain('You may have more tools')
  })
})

describe('find', () => {
  const module = moduleWith(
    tool('create-issue', { description: 'Opens a new issue in a repository.' }),
    tool('listIssues', { description: 'Lists the issues of a repository. Paged.' }),
    tool('merge', { description: 'Merges a pull request.' }),
  )

  it('returns the tools that have the words, names before descriptions', () => {
    expect(findTools(module, 'list issue')).toEqual({
      tools: [
        { signature: 'listIssues()', description: 'Lists the issues of a repository.' },
        { signature: 'create_issue()', description: 'Opens a new issue in a repository.' },
      ],
      found: 2,
    })
  })

  it('returns the first tools for no words, and none for words that no tool has', () => {
    expect(findTools(module, '')).toMatchObject({ found: 3 })
    expect(findTools(module, 'weather')).toEqual({ tools: [], found: 0 })
    expect(findTools(module, { toString: null })).toMatchObject({ found: 3 })
  })

  it('describe takes identifiers and names', () => {
    expect(describeTools(module, ['create_issue', 'create-issue', 'none'])).toBe(
      [
        '/** Opens a new issue in a repository. Tool "create-issue". */\ncreate_issue(): Promise<unknown>',
        '/** Opens a new issue in a repository. Tool "create-issue". */\ncreate_issue(): Promise<unknown>',
        '// There is no tool "none". Use find("words").',
      ].join('\n'),
    )
  })
})

describe('the code of a model', () => {
  it.each([
    ['```js\nreturn 1\n```', 'return 1'],
    ['```typescript\nreturn 1\n```', 'return 1'],
    ['```\nreturn 1\n```\n', 'return 1'],
    ['export default async () => 1;', 'async () => 1'],
    ['  1 + 1 ;; ', '1 + 1'],
  ])('%j is read as %j', (code, source) => {
    expect(readSource(code)).toBe(source)
  })

  it.each(['', '   ', '```js\n```', ';'])('%j is empty', (code) => {
    expect(() => readSource(code)).toThrow('The code is empty')
  })

  it('of 64 KiB of spaces is read in little time', () => {
    const started = performance.now()
    readSource(`return 1${' '.repeat(32_000)};${' '.repeat(32_000)};a`)
    expect(performance.now() - started).toBeLessThan(1_000)
  })
})
