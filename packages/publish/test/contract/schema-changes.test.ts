/** What a change of a schema is called, for arguments and for results. */
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { JsonSchema } from '../../../../src/protocol/content.ts'
import { compareSchemas, type Direction } from '../../src/contract/schema/compare-schemas.ts'

const S = { type: 'string' }
const N = { type: 'number' }
const I = { type: 'integer' }
const CLOSED = { additionalProperties: false }

const o = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const a = (schema: object, more: object = {}) => o({ a: schema }, more)
const kind = (name: string, properties: object = {}) =>
  o({ kind: { const: name }, ...properties }, { required: ['kind'] })

const changes = (before: object, after: object, direction: Direction) =>
  compareSchemas(before as JsonSchema, after as JsonSchema, direction).map(
    ({ kind: name, at, text }) => `${name}: ${at} ${text}`,
  )

const SAME = 'textual:  is written in another way and accepts the same values'

/** The change, and what it is called for arguments and for results. */
type Row = readonly [name: string, before: object, after: object, input: string[], output: string[]]

const MEMBERS: readonly Row[] = [
  [
    'a new optional member',
    a(S),
    o({ a: S, b: N }),
    ['additive: b is new'],
    ['additive: b is new'],
  ],
  [
    'a new required member',
    a(S),
    o({ a: S, b: N }, { required: ['b'] }),
    ['breaking: b is required now'],
    ['additive: b is new'],
  ],
  [
    'a new member of a closed object',
    a(S, CLOSED),
    o({ a: S, b: N }, CLOSED),
    ['additive: b is new'],
    ['breaking: b is new, and the committed schema allows no other members'],
  ],
  [
    'a removed member',
    o({ a: S, b: N }),
    a(S),
    ['breaking: b is removed'],
    ['breaking: b is removed'],
  ],
  [
    'a removed member of a closed object',
    o({ a: S, b: N }, CLOSED),
    a(S, CLOSED),
    ['breaking: b is removed'],
    ['breaking: b is removed'],
  ],
  [
    'a removed member that the schema of other members describes',
    o({ a: S, b: S }, { additionalProperties: N }),
    a(S, { additionalProperties: { type: ['number', 'string'] } }),
    ['additive: b accepts number too', 'additive: * accepts string too'],
    ['breaking: b may be number now', 'breaking: * may be string now'],
  ],
  [
    'a member that is not required any more',
    a(S, { required: ['a'] }),
    a(S),
    ['additive: a is not required any more'],
    ['breaking: a is not always present any more'],
  ],
  [
    'an object that becomes closed',
    a(S),
    a(S, CLOSED),
    ['breaking:  accepts no other members any more'],
    ['additive:  has no other members any more'],
  ],
  [
    'a member of a member of a list',
    a({ type: 'array', items: o({ x: S }) }),
    a({ type: 'array', items: o({ x: S, y: S }, { required: ['y'] }) }),
    ['breaking: a[].y is required now'],
    ['additive: a[].y is new'],
  ],
  [
    'a member that is forbidden, as zod writes it',
    o({ a: S, b: S }),
    o({ a: S, b: { not: {} } }),
    ['breaking: b does not accept string any more'],
    ['additive: b is never string any more'],
  ],
  [
    'a map with other values',
    a({ type: 'object', additionalProperties: N }),
    a({ type: 'object', additionalProperties: I }),
    ['breaking: a.* does not accept number any more'],
    ['additive: a.* is never number any more'],
  ],
  [
    'a member named like a keyword',
    o({ description: S, required: S }),
    o({ description: N, required: S }),
    ['breaking: description does not accept string any more'],
    ['breaking: description may be number now'],
  ],
]

const VALUES: readonly Row[] = [
  [
    'another type',
    a(S),
    a(N),
    ['breaking: a does not accept string any more'],
    ['breaking: a may be number now'],
  ],
  [
    'integer to number',
    a(I),
    a(N),
    ['additive: a accepts number too'],
    ['breaking: a may be number now'],
  ],
  [
    'null beside a type',
    a(S),
    a({ type: ['string', 'null'] }),
    ['additive: a accepts null too'],
    ['breaking: a may be null now'],
  ],
  [
    'null in another form',
    a({ anyOf: [S, { type: 'null' }] }),
    a({ type: ['string', 'null'] }),
    [SAME],
    [SAME],
  ],
  [
    'a further value',
    a({ enum: ['x', 'y'] }),
    a({ enum: ['x', 'y', 'z'] }),
    ['additive: a accepts "z" too'],
    ['breaking: a may be "z" now'],
  ],
  [
    'a value less',
    a({ enum: ['x', 'y'] }),
    a({ const: 'x' }),
    ['breaking: a does not accept "y" any more'],
    ['additive: a is never "y" any more'],
  ],
  ['values in another order', a({ enum: ['x', 'y'] }), a({ enum: ['y', 'x'] }), [SAME], [SAME]],
  [
    'values to any text',
    a({ enum: ['x', 'y'] }),
    a(S),
    ['additive: a accepts more than "x", "y"'],
    ['breaking: a may be more than "x", "y" now'],
  ],
  [
    'any value to text',
    a({}),
    a(S),
    ['breaking: a does not accept null, boolean, number, array, object any more'],
    ['additive: a is never null, boolean, number, array, object any more'],
  ],
  [
    'one boolean',
    a({ type: 'boolean' }),
    a({ const: true }),
    ['breaking: a does not accept false any more'],
    ['additive: a is never false any more'],
  ],
]

const KEYWORDS: readonly Row[] = [
  [
    'a minimum',
    a({ ...I, minimum: 0 }),
    a({ ...I, minimum: 1 }),
    ['breaking: a changes minimum from 0 to 1'],
    ['additive: a changes minimum from 0 to 1'],
  ],
  [
    'a length',
    a({ ...S, maxLength: 10 }),
    a({ ...S, maxLength: 20 }),
    ['additive: a changes maxLength from 10 to 20'],
    ['breaking: a changes maxLength from 10 to 20'],
  ],
  [
    'a new pattern',
    a(S),
    a({ ...S, pattern: '^x' }),
    ['breaking: a has pattern ^x now'],
    ['additive: a has pattern ^x now'],
  ],
  [
    'another pattern',
    a({ ...S, pattern: '^x' }),
    a({ ...S, pattern: '^y' }),
    ['breaking: a changes pattern from ^x to ^y: cannot be compared with certainty'],
    ['breaking: a changes pattern from ^x to ^y: cannot be compared with certainty'],
  ],
  [
    'a format',
    a({ ...S, format: 'email' }),
    a(S),
    ['additive: a has no format email any more'],
    ['breaking: a has no format email any more'],
  ],
  [
    'a number of items',
    a({ type: 'array', items: S }),
    a({ type: 'array', items: S, maxItems: 10, uniqueItems: true }),
    ['breaking: a has maxItems 10 now', 'breaking: a has uniqueItems true now'],
    ['additive: a has maxItems 10 now', 'additive: a has uniqueItems true now'],
  ],
  [
    'an item of a tuple',
    a({ type: 'array', prefixItems: [S, N] }),
    a({ type: 'array', prefixItems: [S, { type: ['number', 'null'] }] }),
    ['additive: a[1] accepts null too'],
    ['breaking: a[1] may be null now'],
  ],
  [
    'a smaller step',
    a({ ...I, multipleOf: 4 }),
    a({ ...I, multipleOf: 2 }),
    ['additive: a changes multipleOf from 4 to 2'],
    ['breaking: a changes multipleOf from 4 to 2'],
  ],
  [
    'a step of decimals, on whose multiples validators do not agree',
    a({ ...N, multipleOf: 0.1 }),
    a({ ...N, multipleOf: 0.01 }),
    ['breaking: a changes multipleOf from 0.1 to 0.01: cannot be compared with certainty'],
    ['breaking: a changes multipleOf from 0.1 to 0.01: cannot be compared with certainty'],
  ],
  [
    'a new exclusion',
    a(S),
    a({ ...S, not: { const: 'x' } }),
    ['breaking: a has "not" now'],
    ['additive: a has "not" now'],
  ],
  [
    'another exclusion',
    a({ ...S, not: { const: 'x' } }),
    a({ ...S, not: { const: 'y' } }),
    ['breaking: a cannot be compared: its "not" is different'],
    ['breaking: a cannot be compared: its "not" is different'],
  ],
  [
    'a removed condition',
    o({ a: S, b: S }, { if: { required: ['a'] }, else: { required: ['b'] } }),
    o({ a: S, b: S }),
    ['additive:  has no "if" any more', 'additive:  has no "else" any more'],
    ['breaking:  has no "if" any more', 'breaking:  has no "else" any more'],
  ],
  [
    'no matching item that is needed any more',
    a({ type: 'array', contains: S }),
    a({ type: 'array', contains: S, minContains: 0 }),
    ['additive: a changes minContains from 1 to 0'],
    ['breaking: a changes minContains from 1 to 0'],
  ],
  [
    'a new member whose name matches a pattern, and one whose name does not',
    o({}, { patternProperties: { '^x-': S } }),
    o({ 'x-a': N, b: N }, { patternProperties: { '^x-': S } }),
    [
      'breaking: x-a cannot be compared: its name matches a pattern of "patternProperties"',
      'additive: b is new',
    ],
    [
      'breaking: x-a cannot be compared: its name matches a pattern of "patternProperties"',
      'additive: b is new',
    ],
  ],
  [
    'members whose names match another pattern',
    o({}, { patternProperties: { '^x-': S } }),
    o({}, { patternProperties: { '^y-': S } }),
    ['breaking:  cannot be compared: its "patternProperties" is different'],
    ['breaking:  cannot be compared: its "patternProperties" is different'],
  ],
  [
    'nullable, which few validators know',
    a(S),
    a({ ...S, nullable: true }),
    ['breaking: a cannot be compared: its "nullable" is different'],
    ['breaking: a cannot be compared: its "nullable" is different'],
  ],
  [
    'descriptions within members, items and alternatives',
    o({ a: { type: 'array', items: { ...S, description: 'x' } } }, { anyOf: [{ title: 'x' }] }),
    o({ a: { type: 'array', items: { ...S, description: 'y' } } }, { anyOf: [{ title: 'y' }] }),
    ['textual: a[] has another description', 'textual:  has another title'],
    ['textual: a[] has another description', 'textual:  has another title'],
  ],
  [
    'a description and a default',
    a({ ...S, description: 'x', default: 'x' }),
    a({ ...S, description: 'y', default: 'y' }),
    ['textual: a has another description', 'textual: a has another default'],
    ['textual: a has another description', 'textual: a has another default'],
  ],
]

const tree = (name: string, value: object, more: object = {}) => ({
  ...a({ $ref: `#/$defs/${name}` }),
  $defs: { [name]: o({ child: { $ref: `#/$defs/${name}` }, value, ...more }) },
})

const COMPOSED: readonly Row[] = [
  [
    'a reference in place of its target',
    { ...a({ $ref: '#/$defs/A' }), $defs: { A: S } },
    a(S),
    [SAME],
    [SAME],
  ],
  ['a recursive definition with another name', tree('A', S), tree('B', S), [SAME], [SAME]],
  [
    'a recursive definition with a wider member',
    tree('A', I),
    tree('A', N),
    ['additive: a.child.value accepts number too', 'additive: a.value accepts number too'],
    ['breaking: a.child.value may be number now', 'breaking: a.value may be number now'],
  ],
  [
    'a member of a part of allOf',
    a({ allOf: [o({ x: S }), o({ y: I }, { required: ['y'] })] }),
    a({ allOf: [o({ x: S }), o({ y: N }, { required: ['y'] })] }),
    ['additive: a.y accepts number too'],
    ['breaking: a.y may be number now'],
  ],
  [
    'one more part of allOf',
    a({ allOf: [o({ x: S }), o({ y: S })] }),
    a({ allOf: [o({ x: S }), o({ y: S }), { minProperties: 1 }] }),
    ['breaking: a has one more "allOf"'],
    ['additive: a has one more "allOf"'],
  ],
  [
    'a choice of members that are required',
    a(o({ x: S, y: S })),
    a(o({ x: S, y: S }, { anyOf: [{ required: ['x'] }, { required: ['y'] }] })),
    ['breaking: a has one more "anyOf"'],
    ['additive: a has one more "anyOf"'],
  ],
  [
    'a member that only another part of allOf had',
    a({ allOf: [o({ x: S }), o({ y: S })] }),
    a({ allOf: [o({ x: S, y: N }), o({ y: S })] }),
    ['breaking: a.y does not accept null, boolean, string, array, object any more'],
    ['additive: a.y is never null, boolean, string, array, object any more'],
  ],
  [
    'a further type of a union',
    a({ anyOf: [S, N] }),
    a({ anyOf: [S, N, { type: 'boolean' }] }),
    ['additive: a accepts boolean too'],
    ['breaking: a may be boolean now'],
  ],
  [
    'a further alternative of a discriminated union',
    a({ oneOf: [kind('x', { p: S }), kind('y')] }),
    a({ oneOf: [kind('x', { p: S }), kind('y'), kind('z')] }),
    ['additive: a accepts one more alternative'],
    ['breaking: a has an alternative that the committed schema does not allow'],
  ],
  [
    'a member of an alternative that is required now',
    a({ oneOf: [kind('x', { p: S }), kind('y')] }),
    a({ oneOf: [{ ...kind('x', { p: S }), required: ['kind', 'p'] }, kind('y')] }),
    ['breaking: a.p is required now'],
    ['additive: a.p is always present now'],
  ],
  [
    'a member of a recursive discriminated union',
    {
      oneOf: [
        kind('x', { p: I }),
        o({ kind: { const: 'y' }, c: { $ref: '#' } }, { required: ['kind', 'c'] }),
      ],
    },
    {
      oneOf: [
        kind('x', { p: N }),
        o({ kind: { const: 'y' }, c: { $ref: '#' } }, { required: ['kind', 'c'] }),
      ],
    },
    ['additive: p accepts number too', 'additive: c.p accepts number too'],
    ['breaking: p may be number now', 'breaking: c.p may be number now'],
  ],
  [
    'alternatives of oneOf that overlap',
    a({
      oneOf: [
        { ...S, minLength: 2 },
        { ...S, maxLength: 4 },
      ],
    }),
    a({
      oneOf: [
        { ...S, minLength: 2 },
        { ...S, maxLength: 5 },
      ],
    }),
    ['breaking: a cannot be compared: its "oneOf" is different'],
    ['breaking: a cannot be compared: its "oneOf" is different'],
  ],
]

/** Rows whose texts say more than the test is about. */
const startsWith = (texts: readonly string[]) =>
  texts.map((text) =>
    expect.stringMatching(new RegExp(`^${text.replace(/[$.*+?()[\]\\^|]/g, '\\$&')}`)),
  )

describe.each([
  ['members', MEMBERS],
  ['values', VALUES],
  ['keywords', KEYWORDS],
  ['compositions', COMPOSED],
])('a change of %s', (_, rows) => {
  it.each(rows)('is named for arguments: %s', (_name, before, after, input) => {
    expect(changes(before, after, 'input')).toEqual(startsWith(input))
  })

  it.each(rows)('is named for results: %s', (_name, before, after, _input, output) => {
    expect(changes(before, after, 'output')).toEqual(startsWith(output))
  })
})

describe('schemas that zod has converted', () => {
  it('have a new argument with a default as additive', () => {
    const json = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input' })
    const before = json(z.object({ a: z.string() }))
    const after = json(z.object({ a: z.string(), b: z.number().default(1) }))
    expect(changes(before, after, 'input')).toEqual(['additive: b is new'])
  })

  it('have a new member of a result as breaking, unless the object is loose', () => {
    const members = { a: z.string(), b: z.number() }
    const [strict, loose] = [z.object, z.looseObject]
    expect(
      changes(z.toJSONSchema(strict({ a: z.string() })), z.toJSONSchema(strict(members)), 'output'),
    ).toEqual(['breaking: b is new, and the committed schema allows no other members'])
    expect(
      changes(z.toJSONSchema(loose({ a: z.string() })), z.toJSONSchema(loose(members)), 'output'),
    ).toEqual([
      'additive: b is always present now',
      'additive: b is never null, boolean, string, array, object any more',
    ])
  })
})

describe('schemas that cannot be compared', () => {
  const doubled = (depth: number, leaf: object, twice: (next: object) => object) => ({
    ...a({ $ref: '#/$defs/d0' }),
    $defs: Object.fromEntries(
      Array.from({ length: depth }, (_, at) => {
        const next = at + 1 === depth ? leaf : { $ref: `#/$defs/d${at + 1}` }
        return [`d${at}`, twice(next)]
      }),
    ),
  })
  const external = { $ref: 'https://schemas.example/a.json' }

  it.each([
    ['that refer to another document', a(external), a({ ...external, title: 'x' })],
    ['with an expression that no engine can read', o({}, { patternProperties: { '(': S } }), a(S)],
    ['of a wrong form', { type: 'objekt' }, a(S)],
    ['with too many alternatives', doubled(24, S, (next) => ({ anyOf: [next, next] })), a(S)],
  ])('are breaking: %s', (_, before, after) => {
    for (const direction of ['input', 'output'] as const) {
      expect(changes(before, after, direction)[0]).toMatch(/^breaking: {2}cannot be compared: /)
    }
  })

  it('are no difference when they are the same', () => {
    expect(changes(a(external), a(external), 'input')).toEqual([])
  })

  it('end in time, also with references that share their targets', () => {
    const members = (next: object) => o({ l: next, r: next })
    expect(changes(doubled(24, S, members), doubled(24, N, members), 'input')[0]).toMatch(
      /^breaking: /,
    )
  })
})
