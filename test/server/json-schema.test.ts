/** The interpreter of raw JSON Schema: what matches, what it reports, and what it costs. */

import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { compileSchema, describeIssues } from '../../src/server/schema/compile.ts'
import { jsonSchema } from '../../src/server/schema/json-schema.ts'
import type { Issue, ValidationResult } from '../../src/server/schema/standard-schema.ts'
import { verifies } from '../support/verifies.ts'

type RawSchema = { readonly [keyword: string]: unknown }

function issuesOf(schema: RawSchema, value: unknown): readonly Issue[] {
  const compiled = compileSchema(jsonSchema(schema), 'input')
  const result = compiled.validate(value) as ValidationResult<unknown>
  return result.issues ?? []
}

const matches = (schema: RawSchema, value: unknown) => issuesOf(schema, value).length === 0
const node = {
  type: 'object',
  properties: { value: { type: 'integer' }, next: { $ref: '#/$defs/node' } },
}
const DRAFT_7 = 'http://json-schema.org/draft-07/schema#'

/** Schema, values that match, values that do not. */
const KEYWORDS: readonly (readonly [RawSchema, readonly unknown[], readonly unknown[]])[] = [
  [{ type: 'integer' }, [1, 1.0, -0], [1.5, '1', null, true, [], {}]],
  [{ type: ['string', 'null'] }, ['', null], [0, false, [], {}]],
  [{ type: 'object' }, [{}], [[], null, '{}']],
  [{ const: { a: [1] } }, [{ a: [1] }], [{ a: [2] }, { a: [1], b: 1 }, null]],
  [{ const: null }, [null], [0, '', false]],
  [{ enum: ['a', 1, [2]] }, ['a', 1, [2]], ['1', [1], {}]],
  [{ minimum: 1, maximum: 2 }, [1, 2, 'x'], [0.9, 2.1]],
  [{ exclusiveMinimum: 1, exclusiveMaximum: 2 }, [1.5], [1, 2]],
  [{ multipleOf: 0.1 }, [0.3, 1, 0], [0.35, 1e-9]],
  [{ multipleOf: 1e-8 }, [12.34567891], [12.345678912]],
  [{ multipleOf: 3 }, [9, -3], [10, 1e308]],
  [{ minLength: 2, maxLength: 3 }, ['ab', '😀😀😀', 5], ['a', 'abcd', '😀']],
  [{ pattern: '^a+$' }, ['aa', 1], ['b', '']],
  [{ required: ['a', 'toString'] }, [{ a: 1, toString: 1 }, 'x'], [{ a: 1 }, {}]],
  [{ properties: { a: false, b: true } }, [{}, { b: 1 }], [{ a: 1 }]],
  [
    {
      properties: { a: {} },
      patternProperties: { '^x': { type: 'number' } },
      additionalProperties: false,
    },
    [{ a: 1, xy: 2 }, {}],
    [{ b: 1 }, { xy: 'z' }, { constructor: 1 }],
  ],
  [{ additionalProperties: { type: 'string' } }, [{ a: 'x' }], [{ a: 1 }]],
  [{ propertyNames: { maxLength: 1 } }, [{ a: 1 }], [{ ab: 1 }]],
  [{ minProperties: 1, maxProperties: 2 }, [{ a: 1 }], [{}, { a: 1, b: 1, c: 1 }]],
  [{ dependentRequired: { a: ['b'] } }, [{ a: 1, b: 1 }, { b: 1 }], [{ a: 1 }]],
  [{ dependentSchemas: { a: { required: ['b'] } } }, [{ a: 1, b: 1 }], [{ a: 1 }]],
  [{ items: { type: 'number' } }, [[], [1, 2], 'x'], [[1, '2']]],
  [{ prefixItems: [{ type: 'number' }], items: false }, [[], [1]], [['x'], [1, 2]]],
  [{ minItems: 1, maxItems: 2 }, [[1]], [[], [1, 2, 3]]],
  [{ contains: { type: 'number' } }, [['a', 1]], [[], ['a']]],
  [{ contains: { const: 1 }, minContains: 2, maxContains: 3 }, [[1, 1]], [[1], [1, 1, 1, 1]]],
  [
    { uniqueItems: true },
    [[1, '1', true, null, 'null', [1], ['1'], {}, '{}', '[1]']],
    [
      [1, 2, 1],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [[[]], [[]]],
    ],
  ],
  [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1], [0, 3]],
  [{ anyOf: [{ type: 'string' }, { minimum: 5 }] }, ['a', 5], [4]],
  [{ oneOf: [{ minimum: 1 }, { maximum: 5 }] }, [0, 6], [3]],
  [{ not: { type: 'string' } }, [1], ['a']],
  [
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    { if: { required: ['a'] }, then: { required: ['b'] }, else: { required: ['c'] } },
    [{ a: 1, b: 1 }, { c: 1 }],
    [{ a: 1 }, {}],
  ],
  [{ $ref: '#/$defs/node', $defs: { node } }, [{ next: { value: 1 } }], [{ next: { value: '1' } }]],
  [{ items: { $ref: '#' }, type: 'array' }, [[], [[], [[]]]], [[1], [[[1]]]]],
  [{ $ref: '#here', $defs: { a: { $anchor: 'here', type: 'string' } } }, ['a'], [1]],
  [
    { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
    [{ a: 1 }, {}],
    [{ a: 1, b: 1 }],
  ],
  [
    {
      anyOf: [{ required: ['a'], properties: { a: {} } }, { properties: { b: {} } }],
      unevaluatedProperties: false,
    },
    [{ a: 1, b: 1 }, { b: 1 }],
    [{ c: 1 }],
  ],
  [{ prefixItems: [{}], unevaluatedItems: false }, [[1]], [[1, 2]]],
  [{ contains: { const: 1 }, unevaluatedItems: { type: 'string' } }, [[1, 'a']], [[1, 2]]],
  [{ $schema: DRAFT_7, items: [{ type: 'number' }], additionalItems: false }, [[1]], [[1, 2]]],
  [
    { $schema: DRAFT_7, definitions: { a: {} }, $ref: '#/definitions/a', type: 'string' },
    [1, 'a'],
    [],
  ],
  [
    {
      $schema: DRAFT_7,
      dependencies: { a: { anyOf: [{ $ref: '#/definitions/two' }] } },
      definitions: { two: { minProperties: 2 } },
    },
    [{ a: 1, b: 1 }, { b: 1 }],
    [{ a: 1 }],
  ],
  [
    { $schema: DRAFT_7, dependencies: { a: ['b'], c: { required: ['d'] } } },
    [{ b: 1 }],
    [{ a: 1 }, { c: 1 }],
  ],
  [{ unknown: 1, format: 'unknown' }, ['x', 1], []],
]

/** Format, texts that have it, texts that do not. */
const FORMATS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    'date',
    ['2024-02-29', '2000-12-31'],
    ['2023-02-29', '2024-13-01', '2024-1-1', '2024-01-32', ''],
  ],
  [
    'time',
    ['12:00:00Z', '23:59:60z', '01:29:60+01:30', '00:00:00.5-23:59'],
    ['24:00:00Z', '12:00:00', '12:00:60Z', '12:60:00Z'],
  ],
  [
    'date-time',
    ['2024-02-29T12:00:00Z', '2024-02-29 12:00:00.123+02:00'],
    ['2024-02-29', '2024-02-29T12:00:00', '2024-02-30T12:00:00Z'],
  ],
  [
    'duration',
    ['P1Y2M3DT4H5M6S', 'PT36H', 'P2W', 'P1D'],
    ['P', 'PT', 'P1YT', '1D', 'P1D2H', 'P1W2D', 'P1Y2D'],
  ],
  [
    'email',
    ['a.b+c@example.com', '"a b"@example.com', 'x@[127.0.0.1]', 'x@[IPv6:::1]'],
    ['a', '@b.c', 'a@', 'a..b@c.d', '.a@b.c', 'a@-b.c', `${'a'.repeat(65)}@b.c`],
  ],
  ['hostname', ['a', 'a-b.example', '1.2'], ['', '-a', 'a-', 'a..b', 'a_b', 'x'.repeat(64)]],
  [
    'ipv4',
    ['0.0.0.0', '255.255.255.255'],
    ['256.0.0.1', '1.2.3', '01.2.3.4', '1.2.3.4.5', '1.2.3.'],
  ],
  [
    'ipv6',
    [
      '::',
      '::1',
      '1:2:3:4:5:6:7:8',
      '1::8',
      '::ffff:1.2.3.4',
      '1:2:3:4:5:6:1.2.3.4',
      '1:2:3:4:5:6:7::',
    ],
    [
      '',
      ':',
      '1:2',
      ':::',
      '1::2::3',
      '12345::',
      '1:2:3:4:5:6:7:8:9',
      '1.2.3.4::',
      '::1%eth0',
      '1:2:3:4:5:6:7:8::',
    ],
  ],
  [
    'uri',
    [
      'https://a.example:80/b?c=d#e',
      'urn:a:b',
      'mailto:x@y.z',
      'http://[::1]/',
      'http://u:p@h/',
      'http://[v1.a:b]/',
    ],
    [
      '',
      '//a',
      'a/b',
      'http://a b',
      'http://a\\b',
      'http://[::1',
      'http://a:x/',
      'a:%zz',
      'http://a#b#c',
      'http://[a]/',
      'http://[v1.]/',
      'http://[v1.a/b]/',
      '1a:b',
    ],
  ],
  [
    'uri-reference',
    ['', 'a', '/a?b#c', '//h/p', '#x', './a:b'],
    ['\\a', 'a b', '1:b', '%', 'a[b]'],
  ],
  [
    'uri-template',
    ['a/{b}/{+c*}{?d,e:3}', '', '{a.b}'],
    ['{', '}', '{a', 'a}', '{{a}}', '{}', '{a b}', 'a b', '{a:0}'],
  ],
  [
    'url',
    ['https://a.example/b', 'http://10.0.0.1', 'ftp://a'],
    ['a', 'javascript:alert(1)', 'https://', 'https://a b'],
  ],
  [
    'uuid',
    ['2eb8aa08-aa98-11ea-b4aa-73b441d16380'],
    ['2eb8aa08aa9811eab4aa73b441d16380', '2eb8aa08-aa98-11ea-b4aa-73b441d1638g'],
  ],
  ['regex', ['^a(b|c)*$', ''], ['(', 'a**', '\\']],
  ['json-pointer', ['', '/a/b~0~1', '/'], ['a', '/~', '/~2']],
  ['relative-json-pointer', ['0', '1/a', '0#', '10/a/b'], ['', '-1', '01', '0##', '1a', '/a']],
]

describe('validation with raw JSON Schema', () => {
  it.each(KEYWORDS)('distinguishes values by %j', (schema, good, bad) => {
    verifies('json-schema/dialect-2020-12')
    expect(good.filter((value) => !matches(schema, value))).toEqual([])
    expect(bad.filter((value) => matches(schema, value))).toEqual([])
  })

  it.each(FORMATS)('distinguishes texts by the format %s', (format, good, bad) => {
    expect(good.filter((text) => !matches({ format }, text))).toEqual([])
    expect(bad.filter((text) => matches({ format }, text))).toEqual([])
    expect(matches({ format }, 5)).toBe(true)
  })

  it('names the path and the rule of each fault', () => {
    const schema = {
      type: 'object',
      properties: { a: { items: { type: 'integer', minimum: 1 } }, kind: { enum: ['x', 'y'] } },
      required: ['kind', 'name'],
      additionalProperties: false,
    }
    expect(describeIssues(issuesOf(schema, { a: [0, 'x'], kind: 'z', more: 1 }))).toBe(
      [
        'name: is required',
        'a.0: must be at least 1',
        'a.1: must be integer, not string',
        'kind: must be one of ["x","y"]',
        'more: is not allowed',
      ].join('\n'),
    )
  })

  it('reports the faults of all alternatives when none matches, and none when one matches', () => {
    const schema = { anyOf: [{ type: 'string' }, { type: 'object', required: ['a'] }] }
    expect(issuesOf(schema, {}).map(({ message }) => message)).toEqual([
      'must be string, not object',
      'is required',
    ])
    const many = { anyOf: [{ items: { type: 'string' } }, { items: { type: 'number' } }] }
    expect(issuesOf(many, Array(50).fill(1))).toEqual([])
  })

  it.each<[string, RawSchema]>([
    ['$ref', { $ref: '#' }],
    ['allOf', { allOf: [{ $ref: '#' }] }],
    [
      'two definitions',
      {
        $ref: '#/$defs/a',
        $defs: { a: { $ref: '#/$defs/b' }, b: { anyOf: [{ $ref: '#/$defs/a' }] } },
      },
    ],
    ['dependencies', { type: 'object', dependencies: { a: { $ref: '#' } } }],
  ])('refuses a schema that leads back to itself through %s', (_, schema) => {
    verifies('json-schema/valid-schemas')
    expect(() => compileSchema(jsonSchema(schema), 'input')).toThrow(/leads back to itself/)
  })
})

describe('the cost of validation with raw JSON Schema', () => {
  const MANY = 100_000
  const keys = Object.fromEntries(Array.from({ length: MANY }, (_, at) => [`key${at}`, at]))
  const numbers = Array.from({ length: MANY }, (_, at) => at)

  it.each<[string, RawSchema, unknown]>([
    ['items', { items: { type: 'string' } }, numbers],
    ['prefixItems and items', { prefixItems: [{}], items: { type: 'string' } }, numbers],
    ['additionalProperties', { additionalProperties: false }, keys],
    ['a nested object', { properties: { a: { additionalProperties: false } } }, { a: keys }],
    ['patternProperties', { patternProperties: { '^k': { type: 'string' } } }, keys],
    ['propertyNames', { propertyNames: { maxLength: 1 } }, keys],
    ['unevaluatedProperties', { allOf: [{}], unevaluatedProperties: false }, keys],
    ['unevaluatedItems', { allOf: [{}], unevaluatedItems: false }, numbers],
    ['anyOf', { anyOf: Array(50).fill({ items: { type: 'string' } }) }, numbers],
    ['required', { required: Array.from({ length: 20_000 }, (_, at) => `r${at}`) }, {}],
    [
      'enum',
      { items: { enum: Array.from({ length: 100 }, (_, at) => `${at}`.repeat(100)) } },
      numbers,
    ],
  ])('records at most eleven faults of %s', (_, schema, value) => {
    const issues = issuesOf(schema, value)
    expect(issues).toHaveLength(11)
    const text = describeIssues(issues)
    expect(text.length).toBeLessThan(6000)
    expect(text).toMatch(/\n… and more$/)
  })

  it.each<[string, RawSchema]>([
    ['contains', { contains: { type: 'string' } }],
    ['not', { items: { not: {} }, maxItems: 0 }],
  ])('records no faults of the items that %s tries', (_, schema) => {
    expect(issuesOf(schema, numbers).length).toBeLessThanOrEqual(11)
  })

  it('compares 100,000 items for uniqueItems in linear time', () => {
    const start = performance.now()
    expect(matches({ uniqueItems: true }, numbers)).toBe(true)
    expect(
      matches(
        { uniqueItems: true },
        numbers.map((at) => ({ at, more: [at] })),
      ),
    ).toBe(true)
    // A comparison of all pairs takes minutes.
    expect(performance.now() - start).toBeLessThan(5000)
  })

  it('ends when alternatives of a recursive schema multiply with the depth of a value', () => {
    const child = { properties: { child: { $ref: '#/$defs/any' } } }
    const schema = {
      $ref: '#/$defs/any',
      $defs: {
        any: { oneOf: [{ ...child, required: ['x'] }, { ...child, required: ['y'] }, child] },
      },
    }
    let value: unknown = 'leaf'
    for (let depth = 0; depth < 60; depth++) value = { child: value }
    const issues = issuesOf(schema, value)
    expect(issues.length).toBeGreaterThan(0)
  })

  it('does not match a pattern with a text longer than 100,000, unless maxLength has refused it', () => {
    const long = 'a'.repeat(100_001)
    expect(issuesOf({ pattern: '^a*$' }, long.slice(1))).toEqual([])
    expect(issuesOf({ pattern: '^a*$' }, long)).toMatchObject([
      { message: 'is too long to be matched with its pattern' },
    ])
    expect(issuesOf({ pattern: '^(a|a)*b$', maxLength: 20 }, long)).toMatchObject([
      { message: 'must have at most 20 characters' },
    ])
  })
})

describe('the cost of validation with a Standard Schema', () => {
  const schema = z.object({ list: z.array(z.union([z.url(), z.boolean(), z.coerce.number()])) })
  const validate = (value: unknown) =>
    compileSchema(schema, 'input').validate(value) as ValidationResult<unknown>

  it('records at most eleven faults of a value with more than 10,000 parts', () => {
    expect(validate({ list: Array(50_000).fill({}) }).issues).toHaveLength(11)
    expect(validate({ list: Array(100).fill({}) }).issues).toHaveLength(100)
  })

  it('leaves texts of a format and a few faults of a large value to the schema', () => {
    expect(validate({ list: Array(50_000).fill('https://ä.example/ü') }).issues).toBeUndefined()
    const list = [...Array(50_000).fill(1), {}, {}]
    expect(validate({ list }).issues).toHaveLength(2)
  })
})
