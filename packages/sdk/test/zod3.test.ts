/** Schemas of zod 3 as JSON Schema: each value that zod accepts fits, and most that it refuses do not. */
import { describe, expect, it } from 'vitest'
import * as z from 'zod/v3'
import { compileSchema } from '../../../src/server/schema/compile.ts'
import { describeZod3, isZod3 } from '../src/zod3.ts'

/** An enum of numbers as TypeScript compiles it: its names are values too. */
const Size = { Small: 0, Large: 1, 0: 'Small', 1: 'Large' } as const

interface Tree {
  name: string
  children: Tree[]
}

const tree: z.ZodType<Tree> = z.lazy(() => z.object({ name: z.string(), children: z.array(tree) }))

const json = (schema: unknown, side: 'input' | 'output' = 'input') => {
  if (!isZod3(schema)) throw new TypeError('This is no schema of zod 3')
  return describeZod3(schema)['~standard'].jsonSchema[side]({ target: 'draft-2020-12' })
}

describe('a schema of zod 3 as JSON Schema', () => {
  it.each([
    [
      z.string().min(1).max(5).describe('D'),
      { type: 'string', minLength: 1, maxLength: 5, description: 'D' },
    ],
    [z.string().length(2), { type: 'string', minLength: 2, maxLength: 2 }],
    [z.string().email(), { type: 'string', format: 'email' }],
    [z.string().url(), { type: 'string', format: 'uri' }],
    [z.string().datetime(), { type: 'string', format: 'date-time' }],
    [z.string().regex(/^a+$/), { type: 'string', pattern: '^a+$' }],
    [z.string().regex(/^a+$/i).trim(), { type: 'string' }],
    // Valid without the flag `u` alone.
    [z.string().regex(/^{.*}$/), { type: 'string', pattern: '^{.*}$' }],
    [z.number().int().min(0).lt(5), { type: 'integer', minimum: 0, exclusiveMaximum: 5 }],
    [
      z.number().gt(0).max(5).multipleOf(2),
      { type: 'number', exclusiveMinimum: 0, maximum: 5, multipleOf: 2 },
    ],
    [z.bigint(), { type: 'integer', format: 'int64' }],
    [z.boolean().optional(), { type: 'boolean' }],
    [z.date(), { type: 'string', format: 'date-time' }],
    [z.null(), { type: 'null' }],
    [z.any(), {}],
    [z.unknown().readonly(), {}],
    [z.never(), { not: {} }],
    [z.literal('a'), { type: 'string', const: 'a' }],
    [z.literal(null), { type: 'null', const: null }],
    [z.literal(undefined), { not: {} }],
    [z.literal(Symbol('s')), { not: {} }],
    [z.literal(Number.NaN), { not: {} }],
    [
      z.union([z.literal('a'), z.literal(undefined)]),
      { anyOf: [{ type: 'string', const: 'a' }, { not: {} }] },
    ],
    [z.enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
    [z.nativeEnum(Size), { type: 'number', enum: [0, 1] }],
    [z.nativeEnum({ A: 'a', B: 'b' } as const), { type: 'string', enum: ['a', 'b'] }],
    [
      z.array(z.string()).min(1).max(3),
      { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3 },
    ],
    [z.array(z.any()).length(2), { type: 'array', minItems: 2, maxItems: 2 }],
    [z.set(z.number()), { type: 'array', uniqueItems: true, items: { type: 'number' } }],
    [z.set(z.any()).max(2), { type: 'array', uniqueItems: true, items: {}, maxItems: 2 }],
    [
      z.tuple([z.string(), z.number()]),
      {
        type: 'array',
        minItems: 2,
        prefixItems: [{ type: 'string' }, { type: 'number' }],
        items: false,
      },
    ],
    [
      z.tuple([z.string()]).rest(z.number()),
      { type: 'array', minItems: 1, prefixItems: [{ type: 'string' }], items: { type: 'number' } },
    ],
    [z.record(z.number()), { type: 'object', additionalProperties: { type: 'number' } }],
    [
      z.record(z.enum(['a', 'b']), z.number()),
      {
        type: 'object',
        additionalProperties: { type: 'number' },
        propertyNames: { enum: ['a', 'b'] },
      },
    ],
    [z.union([z.string(), z.number()]), { type: ['string', 'number'] }],
    [
      z.union([z.string().min(1), z.number()]),
      { anyOf: [{ type: 'string', minLength: 1 }, { type: 'number' }] },
    ],
    [z.union([z.literal('a'), z.literal(1)]), { type: ['string', 'number'], enum: ['a', 1] }],
    [z.union([z.enum(['a', 'b']), z.enum(['b', 'c'])]), { type: 'string', enum: ['a', 'b', 'c'] }],
    [z.string().nullable(), { type: ['string', 'null'] }],
    [z.string().describe('D').nullable(), { type: ['string', 'null'], description: 'D' }],
    [
      z.string().max(2).describe('D').nullable(),
      {
        anyOf: [{ type: 'string', maxLength: 2, description: 'D' }, { type: 'null' }],
        description: 'D',
      },
    ],
    [
      z.string().startsWith('a.').endsWith('z').includes('b'),
      { type: 'string', allOf: [{ pattern: '^a\\.' }, { pattern: 'z$' }, { pattern: 'b' }] },
    ],
    [z.string().ip({ version: 'v4' }), { type: 'string', format: 'ipv4' }],
    [z.object({}).passthrough(), { type: 'object', properties: {}, additionalProperties: true }],
    [z.string().default('x'), { type: 'string', default: 'x' }],
    [z.string().catch('x'), { type: 'string' }],
    [z.string().brand('B'), { type: 'string' }],
    [z.string().transform((text) => text.length), { type: 'string' }],
    [z.preprocess(String, z.string()), { type: 'string' }],
    [z.string().pipe(z.coerce.number()), { type: 'string' }],
    [
      z.object({ a: z.string(), b: z.number().optional(), c: z.string().default('x') }),
      {
        type: 'object',
        properties: {
          a: { type: 'string' },
          b: { type: 'number' },
          c: { type: 'string', default: 'x' },
        },
        required: ['a'],
        additionalProperties: false,
      },
    ],
    [z.object({}), { type: 'object', properties: {}, additionalProperties: false }],
    [z.object({}).strict(), { type: 'object', properties: {}, additionalProperties: false }],
    [
      z.object({}).catchall(z.string()),
      { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
    ],
    [
      z.object({ a: z.string() }).and(z.object({ b: z.string() })),
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] },
        ],
      },
    ],
    [
      z.discriminatedUnion('k', [
        z.object({ k: z.literal('a') }),
        z
          .object({ k: z.literal('b') })
          .refine(() => true)
          .innerType(),
      ]),
      {
        anyOf: [
          {
            type: 'object',
            properties: { k: { type: 'string', const: 'a' } },
            required: ['k'],
            additionalProperties: false,
          },
          {
            type: 'object',
            properties: { k: { type: 'string', const: 'b' } },
            required: ['k'],
            additionalProperties: false,
          },
        ],
      },
    ],
    [
      tree,
      {
        type: 'object',
        properties: { name: { type: 'string' }, children: { type: 'array', items: {} } },
        required: ['name', 'children'],
        additionalProperties: false,
      },
    ],
  ])('case %#', (schema, expected) => {
    expect(json(schema)).toEqual(expected)
  })

  it.each([...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', 'é', '\u{1F600}'])(
    'has patterns that match the literal text of startsWith, endsWith and includes with %s',
    async (character) => {
      const text = `a${character}b`
      const schema = z.object({
        starts: z.string().startsWith(text),
        ends: z.string().endsWith(text),
        includes: z.string().includes(text),
      })
      const compiled = compileSchema(describeZod3(schema as never) as never, 'input')
      const fitting = { starts: `${text}-`, ends: `-${text}`, includes: `-${text}-` }
      expect(await compiled.validate(fitting)).toEqual({ value: fitting })
      const { properties } = json(schema) as { properties: Record<string, { pattern: string }> }
      for (const [name, { pattern }] of Object.entries(properties)) {
        const expression = new RegExp(pattern, 'u')
        expect(expression.test(fitting[name as keyof typeof fitting])).toBe(true)
        expect(expression.test('a0b')).toBe(false)
      }
    },
  )

  it.each([z.literal(undefined), z.literal(Symbol('s')), z.literal(5n), z.literal(Number.NaN)])(
    'compiles with a literal that JSON does not have: case %#',
    (literal) => {
      const schema = z.object({ a: literal, b: z.string() })
      expect(() => compileSchema(describeZod3(schema as never) as never, 'input')).not.toThrow()
    },
  )

  it('describes what a client receives, where it differs', () => {
    const schema = z.object({
      a: z.string().default('x'),
      b: z.string().transform((text) => text.length),
      c: z.string().pipe(z.coerce.number()),
    })
    expect(json(schema, 'output')).toEqual({
      type: 'object',
      properties: { a: { type: 'string', default: 'x' }, b: {}, c: { type: 'number' } },
      required: ['a', 'b', 'c'],
      additionalProperties: false,
    })
  })

  it.each([z.symbol(), z.function(), z.undefined(), z.map(z.string(), z.string())])(
    'is refused where JSON has no such value: case %#',
    (schema) => {
      expect(() => json(schema)).toThrow(/^Zod\w+ of zod 3 cannot be expressed as JSON Schema$/)
    },
  )

  it('does not fail for a refinement that cannot take undefined', () => {
    const schema = z.object({ a: z.any().refine((value) => value.length > 0) })
    expect(json(schema)).toMatchObject({ required: ['a'] })
  })

  it('compiles to a schema that validates with zod', async () => {
    const { validate } = compileSchema(
      describeZod3(z.object({ n: z.coerce.number() }) as never),
      'input',
    )
    expect(await validate({ n: '5' })).toEqual({ value: { n: 5 } })
    expect(await validate({ n: 'x' })).toMatchObject({ issues: [{ path: ['n'] }] })
  })
})
