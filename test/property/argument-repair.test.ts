/**
 * Repaired arguments: for drawn schemas, null at a member that is not set reaches the handler as absence, a value as its text is
 * parsed, and arguments without either are never changed.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { connect } from '../../packages/testing/src/index.ts'
import { createServer, jsonSchema } from '../../src/index.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { TelemetryEvent } from '../../src/telemetry/index.ts'
import { createFullEdgeway } from '../support/full-app.ts'
import { runs } from './settings.ts'

/** A schema of zod, and values that fit. */
interface Kind {
  readonly schema: z.ZodType
  readonly value: fc.Arbitrary<unknown>
}

const leaf = fc.constantFrom<Kind>(
  { schema: z.number(), value: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  { schema: z.int(), value: fc.integer() },
  { schema: z.boolean(), value: fc.boolean() },
  { schema: z.string(), value: fc.string() },
  { schema: z.enum(['red', 'blue']), value: fc.constantFrom('red', 'blue') },
  { schema: z.array(z.number()), value: fc.array(fc.integer()) },
  { schema: z.array(z.string().nullable()), value: fc.array(fc.option(fc.string())) },
  { schema: z.record(z.string(), z.number()), value: fc.dictionary(fc.string(), fc.integer()) },
  { schema: z.union([z.string(), z.number()]), value: fc.oneof(fc.string(), fc.integer()) },
  { schema: z.unknown(), value: fc.option(fc.integer()) },
)

const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1 })

type Presence = 'required' | 'optional' | 'nullish' | 'defaulted'

interface Drawn {
  readonly schema: z.ZodObject
  readonly args: fc.Arbitrary<JsonObject>
  /** The members that may be absent, and do not take null. */
  readonly optional: readonly string[]
}

/** Objects, one level in another too. */
const object = (depth: number): fc.Arbitrary<Drawn> =>
  names.chain((keys) => {
    const inner: fc.Arbitrary<Kind> =
      depth === 0
        ? leaf
        : fc.oneof(
            leaf,
            object(depth - 1).map(({ schema, args }) => ({ schema, value: args })),
          )
    const presence = fc.constantFrom<Presence>('required', 'optional', 'nullish', 'defaulted')
    return fc.tuple(...keys.map(() => fc.tuple(inner, presence))).map((members) => {
      const shape: Record<string, z.ZodType> = {}
      const values: Record<string, fc.Arbitrary<unknown>> = {}
      const optional: string[] = []
      for (const [index, [{ schema, value }, how]] of members.entries()) {
        const key = keys[index] ?? ''
        shape[key] = present(schema, how)
        values[key] = how === 'required' ? value : fc.option(value, { nil: undefined })
        const takesNull = schema.safeParse(null).success
        if ((how === 'optional' || how === 'defaulted') && !takesNull) optional.push(key)
      }
      const args = fc.record(values).map((drawn) => JSON.parse(JSON.stringify(drawn)) as JsonObject)
      return { schema: z.object(shape), args, optional }
    })
  })

function present(schema: z.ZodType, how: Presence): z.ZodType {
  if (how === 'optional') return schema.optional()
  if (how === 'nullish') return schema.nullish()
  if (how === 'required') return schema
  const value = [0, false, 'red', {}, []].find((each) => schema.safeParse(each).success)
  return value === undefined ? schema.optional() : schema.default(value as never)
}

/** What the handler of a tool with this schema receives, and what telemetry reports. */
async function received(schema: unknown, args: unknown, strict = false) {
  const events: TelemetryEvent[] = []
  const server = createServer({ name: 'repairs', version: '1' })
  let got: unknown
  server.registerTool('take', { inputSchema: schema as z.ZodObject }, (given) => {
    got = given
    return 'taken'
  })
  const telemetry = { record: (event: TelemetryEvent) => void events.push(event) }
  const client = await connect(createFullEdgeway(server, { telemetry, strict }) as never)
  const result = await client.callTool('take', args as JsonObject)
  const repaired = events.some(
    (event) => event.type === 'leniency' && event.name === 'arguments-repaired',
  )
  return { result, got, repaired }
}

const raw = (schema: z.ZodObject) => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input' })
  return jsonSchema(json)
}

describe('arguments of drawn schemas', () => {
  it.for(['zod', 'raw'] as const)('that fit are never changed, by %s', async (kind) => {
    const property = fc.asyncProperty(
      object(1).chain((drawn) => drawn.args.map((args) => ({ ...drawn, args }))),
      async ({ schema, args }) => {
        const sent = JSON.stringify(args)
        const { got, repaired } = await received(kind === 'zod' ? schema : raw(schema), args)
        expect(repaired).toBe(false)
        expect(got).toEqual(kind === 'zod' ? schema.parse(JSON.parse(sent)) : JSON.parse(sent))
      },
    )
    await fc.assert(property, runs(60))
  })

  it.for(['zod', 'raw'] as const)(
    'with null for absent members are absent there, by %s',
    async (kind) => {
      const property = fc.asyncProperty(
        object(1).chain((drawn) => drawn.args.map((args) => ({ ...drawn, args }))),
        async ({ schema, args, optional }) => {
          const nulls = Object.fromEntries(
            optional.filter((name) => !Object.hasOwn(args, name)).map((name) => [name, null]),
          )
          const { got, result, repaired } = await received(kind === 'zod' ? schema : raw(schema), {
            ...args,
            ...nulls,
          })
          expect(result.text).toBe('taken')
          expect(repaired).toBe(Object.keys(nulls).length > 0)
          expect(got).toEqual(kind === 'zod' ? schema.parse(args) : args)
        },
      )
      await fc.assert(property, runs(60))
    },
  )
})

const PAGE = z.object({ q: z.string(), page: z.number().optional() })
const CLOSED = {
  type: 'object',
  properties: { q: { type: 'string' }, n: { type: 'number' } },
  additionalProperties: false,
}
const UNION = z.object({
  what: z.union([
    z.object({ kind: z.literal('a'), size: z.number().optional() }),
    z.object({ kind: z.literal('b'), size: z.string().optional() }),
  ]),
})

describe('arguments', () => {
  it.for<readonly [string, unknown, unknown, unknown]>([
    ['null for an optional member', PAGE, { q: 'x', page: null }, { q: 'x' }],
    ['a number as text', PAGE, { q: 'x', page: '2' }, { q: 'x', page: 2 }],
    [
      'a list as text',
      z.object({ ids: z.array(z.number()) }),
      { ids: ' [1, 2]\n' },
      { ids: [1, 2] },
    ],
    [
      'an object as text',
      z.object({ at: z.object({ x: z.number() }) }),
      { at: '{"x": 1}' },
      { at: { x: 1 } },
    ],
    ['a boolean as text', z.object({ on: z.boolean() }), { on: 'true' }, { on: true }],
    [
      'twelve nulls',
      jsonSchema({
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 12 }, (_, at) => [`m${at}`, { type: 'number' }]),
        ),
      }),
      Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`m${at}`, null])),
      {},
    ],
    [
      'null in a branch that a constant names',
      UNION,
      { what: { kind: 'a', size: null } },
      { what: { kind: 'a' } },
    ],
    [
      'null behind a reference',
      jsonSchema({
        type: 'object',
        properties: { a: { $ref: '#/$defs/a' } },
        $defs: { a: { type: 'object', properties: { n: { type: 'number' } } } },
      }),
      { a: { n: null } },
      { a: {} },
    ],
    [
      'members that a host adds',
      jsonSchema(CLOSED, { undeclared: 'drop' }),
      { q: 'x', n: null, toolCallId: '1' },
      { q: 'x' },
    ],
  ])('with %s are repaired, and refused by a strict server', async ([, schema, args, expected]) => {
    const { got, repaired } = await received(schema, args)
    expect([got, repaired]).toEqual([expected, true])
    const strict = await received(schema, args, true)
    expect(strict.result.text).toMatch(/^Invalid arguments/)
  })

  it.for<readonly [string, unknown, unknown]>([
    ['null for a required member', PAGE, { q: null }],
    ['null in a list', z.object({ ids: z.array(z.number()) }), { ids: [null] }],
    ['null in a record', z.object({ by: z.record(z.string(), z.number()) }), { by: { a: null } }],
    ['a text of another number', PAGE, { q: 'x', page: '2.0' }],
    ['a text that is no JSON', PAGE, { q: 'x', page: 'two' }],
    ['a text of a text of a number', PAGE, { q: 'x', page: '"2"' }],
    ['a text in a text', z.object({ at: z.object({ x: z.number() }) }), { at: '{"x": "1"}' }],
    [
      'a text with a member twice',
      z.object({ at: z.object({ x: z.number() }) }),
      { at: '{"x": 1, "x": 1}' },
    ],
    [
      'null in a branch that nothing names',
      z
        .object({
          what: z.union([z.object({ a: z.number().optional() }), z.object({ b: z.number() })]),
        })
        .strict(),
      { what: { a: null } },
    ],
    ['members that nothing declares', jsonSchema(CLOSED), { q: 'x', toolCallId: '1' }],
  ])('with %s are refused as they are', async ([, schema, args]) => {
    const { result, got, repaired } = await received(schema, args)
    expect([got, repaired]).toEqual([undefined, false])
    expect(result.text).toMatch(/^Invalid arguments/)
  })
})
