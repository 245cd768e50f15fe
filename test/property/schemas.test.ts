/** The interpreter of JSON Schema, with ajv as the oracle. */

import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../src/protocol/content.ts'
import { compileSchema } from '../../src/server/schema/compile.ts'
import { jsonSchema } from '../../src/server/schema/json-schema.ts'
import { verifies } from '../support/verifies.ts'
import { runs } from './settings.ts'

const DRAFT_7 = 'http://json-schema.org/draft-07/schema#'
const OPTIONS = { strict: false, validateFormats: false, logger: false } as const
const ORACLE = new Ajv2020(OPTIONS)
// `next` makes ajv read `maxContains` in draft-07 too, which `forAjv` adds.
const DRAFT_7_ORACLE = new Ajv({ ...OPTIONS, next: true })

// Without the names of inherited members, which ajv finds in every object.
const name = fc.constantFrom('a', 'b', 'ab', 'c')
const scalar = fc.oneof(
  fc.integer({ min: -3, max: 4 }),
  fc.constantFrom(0.5, -0, 1e9, 2.5),
  fc.constantFrom('', 'a', 'ab', 'abc', '😀', '😀b', '1'),
  fc.boolean(),
  fc.constant(null),
)
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}))

const count = fc.nat({ max: 3 })
const bound = fc.constantFrom(-2, 0, 0.5, 1, 2, 3)
const type = fc.constantFrom('array', 'boolean', 'integer', 'null', 'number', 'object', 'string')
const pattern = fc.constantFrom('^a', 'b$', '.', '^.{2}$', '[^a]')
const names = fc.uniqueArray(name, { maxLength: 2 })

/** The keywords without subschemas. */
const ASSERTIONS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
  enum: fc.uniqueArray(value, {
    minLength: 1,
    maxLength: 3,
    selector: (item) => JSON.stringify(item),
  }),
  const: value,
  minimum: bound,
  maximum: bound,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  multipleOf: fc.constantFrom(0.5, 1, 2, 3),
  minLength: count,
  maxLength: count,
  pattern,
  minItems: count,
  maxItems: count,
  uniqueItems: fc.boolean(),
  minProperties: count,
  maxProperties: count,
  required: names,
}

interface Dialect {
  readonly keywords: (
    schema: fc.Arbitrary<unknown>,
  ) => Readonly<Record<string, fc.Arbitrary<unknown>>>
  readonly definitions: string
  /** Whether `$ref` has no siblings: draft-07 ignores them, and ajv does so for some keywords only. */
  readonly refStandsAlone: boolean
}

const map = (schema: fc.Arbitrary<unknown>) =>
  fc.dictionary(name, schema, { maxKeys: 2, noNullPrototype: true })
const some = (schema: fc.Arbitrary<unknown>) => fc.array(schema, { minLength: 1, maxLength: 3 })

/** The keywords with subschemas that both dialects have. */
const applicators = (schema: fc.Arbitrary<unknown>) => ({
  allOf: some(schema),
  anyOf: some(schema),
  oneOf: some(schema),
  not: schema,
  if: schema,
  // biome-ignore lint/suspicious/noThenProperty: the name of the keyword
  then: schema,
  else: schema,
  properties: map(schema),
  patternProperties: fc.dictionary(pattern, schema, { maxKeys: 2, noNullPrototype: true }),
  additionalProperties: schema,
  propertyNames: schema,
  items: schema,
  contains: schema,
})

const MODERN: Dialect = {
  definitions: '$defs',
  refStandsAlone: false,
  keywords: (schema) => ({
    ...applicators(schema),
    prefixItems: some(schema),
    minContains: count,
    maxContains: count,
    dependentRequired: fc.dictionary(name, names, { maxKeys: 2, noNullPrototype: true }),
    dependentSchemas: map(schema),
    unevaluatedProperties: schema,
    unevaluatedItems: schema,
  }),
}

const OLDER: Dialect = {
  definitions: 'definitions',
  refStandsAlone: true,
  keywords: (schema) => ({
    ...applicators(schema),
    items: fc.oneof(schema, some(schema)),
    additionalItems: schema,
    dependencies: fc.dictionary(name, fc.oneof(schema, names), {
      maxKeys: 2,
      noNullPrototype: true,
    }),
  }),
}

/** Ajv skips `contains` for an array that is shorter than the tuple of the same schema. */
function withoutSkipped(schema: JsonSchema): JsonSchema {
  const { contains: _, ...rest } = schema
  return schema.prefixItems !== undefined || Array.isArray(schema.items) ? rest : schema
}

/**
 * Ajv counts items as evaluated by the tuple of an alternative that does not match, and does not count
 * those that `contains` evaluates.
 */
function isDecidedByAjv(schema: JsonSchema): boolean {
  const text = JSON.stringify(schema)
  return !text.includes('"unevaluated') || !/"(?:anyOf|oneOf|not|if|contains)":/.test(text)
}

/**
 * Adds a `maxContains` that no value reaches. Without `minContains` and `maxContains`, ajv declares the result of
 * `contains` with `var` in its loop over the items and never initializes it. An empty array therefore gets the
 * result of the previous array in the same loop of `items`, although no `contains` matches an empty array.
 */
function forAjv(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (_, member: unknown) =>
    typeof member === 'object' && member !== null && 'contains' in member
      ? { maxContains: 1_000_000, ...member }
      : member,
  )
}

/** Schemas with few keywords each, so that a value often matches. Definitions are referred to from anywhere. */
function schemaOf({ keywords, definitions, refStandsAlone }: Dialect): fc.Arbitrary<JsonSchema> {
  const reference = fc.constantFrom('one', 'two').map((key) => `#/${definitions}/${key}`)
  const build = (subschema: fc.Arbitrary<unknown>, hasReferences: boolean) => {
    const all = Object.entries({
      ...ASSERTIONS,
      ...keywords(subschema),
      ...(hasReferences && { $ref: reference }),
    })
    return fc
      .subarray(all, { minLength: 1, maxLength: 3 })
      .chain((chosen) => fc.record(Object.fromEntries(chosen)))
      .map((own) => (refStandsAlone && '$ref' in own ? { $ref: own.$ref } : own))
      .map(withoutSkipped)
  }
  const { schema, plain } = fc.letrec<{ schema: unknown; plain: unknown }>((tie) => ({
    schema: fc.oneof({ maxDepth: 3, depthSize: 'small' }, fc.boolean(), build(tie('schema'), true)),
    plain: fc.oneof({ maxDepth: 2, depthSize: 'small' }, fc.boolean(), build(tie('plain'), false)),
  }))
  return fc
    .tuple(build(schema, true), plain, plain)
    .map(([root, one, two]) => ({ ...root, [definitions]: { one, two } }) as JsonSchema)
    .filter(isDecidedByAjv)
}

function matches(schema: JsonSchema, candidate: unknown): boolean {
  const result = compileSchema(jsonSchema(schema), 'input').validate(candidate)
  return !('issues' in result && result.issues !== undefined)
}

describe('a schema of 2020-12', () => {
  it('matches the values that ajv accepts, and no other', () => {
    verifies('json-schema/dialect-2020-12')
    const accepted = { true: 0, false: 0 }
    fc.assert(
      fc.property(
        schemaOf(MODERN),
        fc.array(value, { minLength: 12, maxLength: 12 }),
        (schema, values) => {
          const oracle = ORACLE.compile(forAjv(schema))
          for (const candidate of values) {
            const expected = oracle(candidate)
            accepted[`${expected}`]++
            expect([candidate, matches(schema, candidate)]).toEqual([candidate, expected])
          }
        },
      ),
      runs(150),
    )
    expect(Math.min(accepted.true, accepted.false)).toBeGreaterThan(100)
  })
})

describe('a schema of draft-07', () => {
  it('matches the values that ajv accepts, and no other', () => {
    verifies('json-schema/declared-dialect')
    fc.assert(
      fc.property(
        schemaOf(OLDER),
        fc.array(value, { minLength: 12, maxLength: 12 }),
        (plain, values) => {
          const schema = { ...plain, $schema: DRAFT_7 }
          const oracle = DRAFT_7_ORACLE.compile(forAjv(schema))
          for (const candidate of values) {
            expect([candidate, matches(schema, candidate)]).toEqual([candidate, oracle(candidate)])
          }
        },
      ),
      runs(80),
    )
  })
})
