/** Schemas as clients receive them: results that the validators of clients accept, and inputs that hosts can read. */
import { AjvJsonSchemaValidator as SdkTwo } from '@modelcontextprotocol/client/validators/ajv'
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker'
import { AjvJsonSchemaValidator as SdkOne } from '@modelcontextprotocol/sdk/validation/ajv'
import { type } from 'arktype'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { connect } from '../../packages/testing/src/index.ts'
import { jsonSchema, McpServer } from '../../src/index.ts'
import type { JsonSchema } from '../../src/protocol/content.ts'
import type { Schema } from '../../src/server/schema/standard-schema.ts'

/** Not as literals, from which the formatter removes what only flag `u` forbids. */
const ESCAPED = '^\\d{4}\\-\\d{2}$'
const ESCAPED_NAME = '^\\@'

const INFO = { name: 'x', version: '1' }

/** The validators of both official clients, as their default configuration creates them. */
const CLIENTS = [
  { revision: '2026-07-28', create: () => new SdkTwo() },
  { revision: '2026-07-28', create: () => new CfWorkerJsonSchemaValidator() },
  { revision: '2025-11-25', create: () => new SdkTwo() },
  { revision: '2025-11-25', create: () => new SdkOne() },
] as const

const ofObject = (value: object) =>
  jsonSchema({ type: 'object', properties: { value }, required: ['value'] })

const texts = (...given: readonly string[]) =>
  fc.oneof(fc.constantFrom(...given), fc.string({ unit: 'binary', maxLength: 4 }))
const decimals = fc.integer({ min: -1000, max: 1000 }).map((cents) => cents / 100)
const pair = fc.tuple(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }))
const numbers = fc.array(fc.integer(), { maxLength: 3 })

/** A schema of a value, and values that are drawn for it. */
const OUTPUTS: Readonly<Record<string, readonly [Schema, fc.Arbitrary<unknown>]>> = {
  'the flag i': [z.object({ value: z.string().regex(/^abc$/i) }), texts('ABC', 'abc', 'aBc')],
  'the flag s': [z.object({ value: z.string().regex(/^a.b$/s) }), texts('a\nb', 'a b')],
  'the flag v': [z.object({ value: z.string().regex(/^[\p{L}--[a-z]]$/v) }), texts('A', 'a')],
  'no flag u': [z.object({ value: z.string().regex(new RegExp(ESCAPED)) }), texts('2026-11')],
  'an address that is not ASCII': [
    z.object({ value: z.url() }),
    texts('https://example.com/ü', 'https://bücher.example', 'https://a.example/a b'),
  ],
  'an email that is not ASCII': [
    z.object({ value: z.email({ pattern: z.regexes.unicodeEmail }) }),
    texts('ü@example.com'),
  ],
  'the remainder of decimals': [z.object({ value: z.number().multipleOf(0.01) }), decimals],
  'the characters of a text': [type({ value: 'string >= 2' }), texts('😀', 'ab', '👩‍👩')],
  'the length of a text': [type({ value: 'string == 4' }), texts('😀😀', 'abcd')],
  'a tuple': [z.object({ value: z.tuple([z.string(), z.number()]) }), pair],
  'a tuple with a rest': [
    z.object({ value: z.tuple([z.string()], z.number()) }),
    fc.tuple(fc.string(), numbers).map(([first, rest]) => [first, ...rest]),
  ],
  'a tuple with an optional item': [
    z.object({ value: z.tuple([z.string(), z.number().optional()]) }),
    fc.oneof(pair, fc.tuple(fc.string())),
  ],
  'names with flags': [
    z.object({ value: z.record(z.string().regex(/^a/i), z.number()) }),
    fc.dictionary(fc.constantFrom('ab', 'AB', 'b'), fc.integer()),
  ],
  'names with a pattern and others': [
    z.object({ value: z.looseRecord(z.string().regex(/^[^a]/i), z.number()) }),
    fc.dictionary(fc.constantFrom('a', 'A', 'b'), fc.oneof(fc.integer(), fc.string())),
  ],
  'one of two patterns': [
    z.object({ value: z.xor([z.string().regex(/^a/), z.string().regex(/b$/)]) }),
    texts('ab', 'a', 'b', 'ac'),
  ],
  'a default': [
    z.object({ value: z.string().default(() => 'x') }),
    fc.constantFrom('a', undefined),
  ],
  'a shape': [{ value: z.templateLiteral(['a-', z.number()]) }, texts('a-1', 'a--1', 'a-1.5')],
  'a schema of ArkType': [
    type({ value: ['string.url', 'number'] }),
    fc.tuple(fc.constantFrom('https://bücher.example'), fc.integer()),
  ],
  'a JSON Schema with decimals': [ofObject({ multipleOf: 0.01 }), decimals],
  'a JSON Schema with a pattern': [ofObject({ pattern: '^\\d\\-\\@{{$' }), texts('1-@{{')],
  'a JSON Schema with names': [
    ofObject({ patternProperties: { '^\\@': { type: 'number' } }, additionalProperties: false }),
    fc.dictionary(fc.constantFrom('@a', 'b'), fc.integer()),
  ],
  'a JSON Schema with an excluded pattern': [ofObject({ not: { pattern: 'a\\-b' } }), texts('ab')],
  'a JSON Schema with an older tuple': [
    ofObject({ type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'number' } }),
    fc.tuple(fc.string(), numbers).map(([first, rest]) => [first, ...rest]),
  ],
}

describe('a result that the server accepts', () => {
  const server = new McpServer(INFO)
  for (const [name, [outputSchema]] of Object.entries(OUTPUTS)) {
    const inputSchema = jsonSchema<{ value: unknown }>({ type: 'object' })
    server.registerTool(
      name.replaceAll(' ', '_'),
      { inputSchema, outputSchema },
      (args) => args as never,
    )
  }

  it.each(Object.keys(OUTPUTS))(
    'is accepted by the validators of both official clients: %s',
    async (name) => {
      const [, values] = OUTPUTS[name] as (typeof OUTPUTS)[string]
      const tool = name.replaceAll(' ', '_')
      const clients = await Promise.all(
        CLIENTS.map(async ({ revision, create }) => {
          const client = await connect(server, { revision })
          const listed = (await client.listTools()).find((each) => each.name === tool)
          return create().getValidator(listed?.outputSchema as never)
        }),
      )
      const caller = await connect(server, { options: { telemetry: () => undefined } })
      let accepted = 0
      const property = fc.asyncProperty(values, async (value) => {
        const result = await caller.callTool(tool, { value } as never).catch(() => undefined)
        if (result === undefined || result.isError) return
        accepted++
        for (const validate of clients)
          expect(validate(result.structuredContent)).toMatchObject({ valid: true })
      })
      await fc.assert(property, { numRuns: 60 })
      expect(accepted).toBeGreaterThan(0)
    },
  )
})

/** A schema of an argument, what clients receive of it, and values that the server accepts and refuses. */
const INPUTS: readonly (readonly [string, object, JsonSchema, unknown, unknown])[] = [
  [
    'an expression without flag u',
    z.string().regex(new RegExp(ESCAPED)),
    { type: 'string' },
    '2026-11',
    'x',
  ],
  ['a brace without flag u', z.string().regex(/^{{\w+}}$/), { type: 'string' }, '{{a}}', 'a'],
  [
    'an expression with flag v',
    z.string().regex(/^[\p{L}--[a-z]]$/v),
    { type: 'string' },
    'A',
    'a',
  ],
  ['lookaround', z.string().regex(/^(?!x)/), { type: 'string' }, 'a', 'x'],
  ['a bracket in a class', z.string().regex(/^[^[\]]$/u), { type: 'string' }, 'a', '['],
  [
    'another expression',
    z.string().regex(/^\(?\[$/u),
    { type: 'string', pattern: '^\\(?\\[$' },
    '[',
    'a',
  ],
  [
    'names with an expression',
    z.record(z.string().regex(new RegExp(ESCAPED_NAME)), z.number()),
    { type: 'object', additionalProperties: { type: 'number' } },
    { '@a': 1 },
    { a: 1 },
  ],
  [
    'any members',
    z.record(z.string(), z.unknown()),
    { type: 'object', additionalProperties: true },
    { a: 1 },
    1,
  ],
  [
    'a tuple',
    z.tuple([z.string()]),
    { type: 'array', prefixItems: [{ type: 'string' }], items: {}, minItems: 1, maxItems: 1 },
    ['a'],
    ['a', 'b'],
  ],
  ['a raw expression', { pattern: '^\\-$' }, {}, '-', 'a'],
  [
    'raw names',
    { patternProperties: { '^\\@': { type: 'number' }, '^b': {} }, additionalProperties: false },
    { patternProperties: { '^b': {} } },
    { '@a': 1 },
    { a: 1 },
  ],
  ['a raw exclusion', { not: { pattern: '\\-' } }, { not: { pattern: '\\-' } }, 'a', '-'],
  [
    'an array without items',
    { type: ['array', 'null'] },
    { type: ['array', 'null'], items: {} },
    [1],
    1,
  ],
  [
    'an array of nothing',
    { type: 'array', items: false },
    { type: 'array', items: {}, maxItems: 0 },
    [],
    [1],
  ],
  [
    'unevaluated items',
    { type: 'array', prefixItems: [{}], unevaluatedItems: false },
    { type: 'array', prefixItems: [{}], unevaluatedItems: false },
    [1],
    [1, 2],
  ],
  [
    'an older tuple',
    { items: [{ type: 'string' }], additionalItems: false },
    { prefixItems: [{ type: 'string' }], items: {}, maxItems: 1 },
    ['a'],
    ['a', 1],
  ],
  [
    'repeated members',
    { type: ['string', 'string'], enum: ['a', 'a', 'b'] },
    { type: ['string'], enum: ['a', 'b'] },
    'b',
    'c',
  ],
  [
    'repeated names',
    { type: 'object', required: ['a', 'a'] },
    { type: 'object', required: ['a'] },
    { a: 1 },
    {},
  ],
  [
    'a member named pattern',
    { properties: { pattern: { enum: ['a', 'a'] }, items: true } },
    { properties: { pattern: { enum: ['a'] }, items: true } },
    { pattern: 'a' },
    { pattern: 'b' },
  ],
]

describe('an argument that the server validates', () => {
  it.each(INPUTS)(
    'is published as hosts can read it: %s',
    async (_, schema, published, good, bad) => {
      const value = '~standard' in schema ? schema : undefined
      const inputSchema: Schema =
        value === undefined
          ? jsonSchema({ type: 'object', properties: { value: schema } })
          : z.object({ value: value as z.ZodType })
      const server = new McpServer(INFO).registerTool('t', { inputSchema }, () => 'ok')
      const client = await connect(server)
      const [tool] = await client.listTools()
      expect(tool?.inputSchema).toMatchObject({ properties: { value: published } })
      expect(Object.values(tool?.inputSchema.properties ?? {})).toEqual([published])
      expect((await client.callTool('t', { value: good })).isError).toBeUndefined()
      expect((await client.callTool('t', { value: bad })).isError).toBe(true)
    },
  )

  it.each([
    [
      'a pattern',
      { pattern: '(' },
      /^Tool "t": inputSchema: pattern at properties\/value must be a regular expression/,
    ],
    [
      'a name',
      { patternProperties: { '(': {} } },
      /patternProperties at properties\/value must be an object whose names are regular expressions/,
    ],
  ])('is refused at registration where %s is no expression', (_, value, expected) => {
    const inputSchema = jsonSchema({ type: 'object', properties: { value } })
    expect(() => new McpServer(INFO).registerTool('t', { inputSchema }, () => 'ok')).toThrow(
      expected,
    )
  })

  it('accepts a large value that its flags alone permit', async () => {
    const inputSchema = z.object({ value: z.array(z.string().regex(/^a.b$/is)) })
    const server = new McpServer(INFO).registerTool('t', { inputSchema }, () => 'ok')
    const client = await connect(server)
    expect(
      (await client.callTool('t', { value: Array(20_000).fill('A\nB') })).isError,
    ).toBeUndefined()
    expect((await client.callTool('t', { value: Array(20_000).fill('c') })).isError).toBe(true)
  })
})
