/** Random schemas, changed versions of them, and values that a schema may allow. */
import type { ValidateFunction } from 'ajv'
import fc from 'fast-check'
import { isJsonObject, type JsonObject } from '../../../../src/protocol/json.ts'

type Schema = boolean | JsonObject

const NAMES = ['a', 'b', 'c'] as const
const TEXTS = ['', 'x', 'xy', 'xyz', 'a1', '2026-01-01', 'a@example.com'] as const
const NUMBERS = [-2, -1, 0, 0.5, 1, 1.5, 2, 3, 4, 6, 10] as const
const SCALARS = [...TEXTS, ...NUMBERS, true, false, null]

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })

function object(members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> {
  return fc.record(members).map((all) => {
    const entries = Object.entries(all).filter(([, value]) => value !== undefined)
    return Object.fromEntries(entries) as JsonObject
  })
}

const number = object({
  type: fc.constantFrom('number', 'integer'),
  minimum: optional(fc.constantFrom(...NUMBERS)),
  maximum: optional(fc.constantFrom(...NUMBERS)),
  exclusiveMinimum: optional(fc.constantFrom(0, 1)),
  multipleOf: optional(fc.constantFrom(0.5, 1, 2, 3)),
})

const text = object({
  type: fc.constant('string'),
  minLength: optional(fc.integer({ min: 0, max: 3 })),
  maxLength: optional(fc.integer({ min: 0, max: 3 })),
  pattern: optional(fc.constantFrom('^x', 'y', '^[a-z0-9]*$')),
  format: optional(fc.constantFrom('email', 'date')),
})

const constants = fc.oneof(
  object({ enum: fc.uniqueArray(fc.constantFrom(...SCALARS), { minLength: 1, maxLength: 3 }) }),
  object({ const: fc.constantFrom(...SCALARS) }),
)

const typed = object({
  type: fc.uniqueArray(fc.constantFrom('null', 'string', 'boolean', 'integer', 'array', 'object'), {
    minLength: 1,
    maxLength: 3,
  }),
})

function contents(any: fc.Arbitrary<Schema>): fc.Arbitrary<JsonObject> {
  return fc.oneof(
    object({ contains: optional(fc.constantFrom<Schema>({ type: 'string' }, { const: 1 })) }),
    object({ prefixItems: fc.array(any, { minLength: 1, maxLength: 2 }) }),
  )
}

export const schema: fc.Arbitrary<Schema> = fc.letrec<{ readonly any: Schema }>((tie) => {
  const any = tie('any')
  const list = fc.array(any, { minLength: 1, maxLength: 3 })
  const array = object({
    type: fc.constant('array'),
    items: optional(any),
    minItems: optional(fc.integer({ min: 0, max: 2 })),
    maxItems: optional(fc.integer({ min: 0, max: 3 })),
    uniqueItems: optional(fc.boolean()),
    // ajv accepts [] by "contains" beside "prefixItems".
  }).chain((own) => contents(any).map((more) => ({ ...own, ...more })))
  const members = object({
    type: fc.constant('object'),
    properties: optional(
      fc.dictionary(fc.constantFrom(...NAMES), any, {
        minKeys: 1,
        maxKeys: 3,
        noNullPrototype: true,
      }),
    ),
    patternProperties: fc.option(
      fc.dictionary(fc.constantFrom('^a', 'b'), any, {
        minKeys: 1,
        maxKeys: 1,
        noNullPrototype: true,
      }),
      { nil: undefined, freq: 1 },
    ),
    required: optional(fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 })),
    additionalProperties: optional(fc.oneof(fc.constant(false), any)),
    propertyNames: optional(fc.constantFrom<Schema>({ enum: ['a', 'b'] }, { maxLength: 1 })),
    minProperties: optional(fc.integer({ min: 0, max: 2 })),
    maxProperties: optional(fc.integer({ min: 0, max: 3 })),
  })
  const composed = fc.oneof(
    object({ anyOf: list }),
    object({ oneOf: list }),
    object({ allOf: list }),
    object({ not: any }),
    // biome-ignore lint/suspicious/noThenProperty: it is a keyword
    object({ if: any, then: any, else: any }),
    fc.tuple(members, object({ anyOf: list })).map(([a, b]) => ({ ...a, ...b })),
    fc.tuple(members, object({ unevaluatedProperties: any })).map(([a, b]) => ({ ...a, ...b })),
  )
  return {
    any: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.boolean(),
      constants,
      number,
      text,
      typed,
      array,
      members,
      composed,
    ) as fc.Arbitrary<Schema>,
  }
}).any

/** A schema with one subschema or keyword changed, so that most of it stays comparable. */
export function changed(original: Schema): fc.Arbitrary<Schema> {
  if (!isJsonObject(original)) return schema
  const keywords = Object.keys(original)
  return fc
    .tuple(fc.nat(), fc.nat({ max: 4 }), schema, fc.constantFrom(-1, 1))
    .chain(([at, how, other, step]) => {
      const keyword = keywords[at % Math.max(1, keywords.length)] ?? ''
      const value = original[keyword]
      const { [keyword]: _, ...rest } = original
      if (how === 0) return fc.constant(rest as Schema)
      if (how === 1 && isJsonObject(other)) return fc.constant({ ...original, ...other } as Schema)
      if (how === 2)
        return fc.constantFrom<Schema>({ anyOf: [original, other] }, { allOf: [original, other] })
      if (typeof value === 'number') {
        return fc.constant({ ...original, [keyword]: Math.max(0, value + step) } as Schema)
      }
      return changedValue(keyword, value).map((one) => ({ ...original, [keyword]: one }) as Schema)
    })
}

function changedValue(keyword: string, value: unknown): fc.Arbitrary<unknown> {
  const isSchemas = ['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(keyword)
  if (isSchemas && Array.isArray(value)) {
    return fc.oneof(
      schema.map((one) => [...value, one]),
      value.length > 1 ? fc.constant(value.slice(1)) : fc.constant(value),
      changed(value[0] as Schema).map((one) => [one, ...value.slice(1)]),
    )
  }
  if (Array.isArray(value)) {
    return fc
      .oneof(
        fc.constant(value.slice(1)),
        fc.constantFrom(...NAMES).map((one) => [...value, one]),
      )
      .map((all) => (all.length === 0 ? value : [...new Set(all)]))
      .filter(
        (all) =>
          keyword !== 'type' || all.every((one) => !(NAMES as readonly unknown[]).includes(one)),
      )
  }
  if ((keyword === 'properties' || keyword === 'patternProperties') && isJsonObject(value)) {
    return fc.oneof(
      schema.map((one) => ({ ...value, c: one })),
      fc.constant(Object.fromEntries(Object.entries(value).slice(1))),
      ...Object.entries(value).map(([name, one]) =>
        changed(one as Schema).map((other) => ({ ...value, [name]: other })),
      ),
    )
  }
  return isJsonObject(value) || typeof value === 'boolean'
    ? changed(value as Schema)
    : fc.constant(value)
}

const FLAT: readonly unknown[] = [...SCALARS, [], {}]

/** Values near a schema: each has what its keywords name. Many are invalid. */
export function valuesNear(original: unknown, depth = 3): fc.Arbitrary<unknown> {
  const flat = fc.constantFrom(...FLAT)
  if (!isJsonObject(original) || depth === 0) return flat
  const near = (one: unknown) => valuesNear(one, depth - 1)
  const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => {
    const list = original[keyword]
    return Array.isArray(list) ? list : []
  })
  const choices: fc.Arbitrary<unknown>[] = [flat, ...parts.map(near)]
  if (Array.isArray(original.enum)) choices.push(fc.constantFrom(...original.enum))
  if (original.const !== undefined) choices.push(fc.constant(original.const))
  const { items = true, prefixItems = [] } = original
  const tuple = (prefixItems as readonly unknown[]).map(near)
  choices.push(
    fc.tuple(fc.tuple(...tuple), fc.array(near(items), { maxLength: 3 })).map((all) => all.flat(1)),
  )
  choices.push(objectsNear(original, parts, near), objectsNear(original, parts, near))
  return fc.oneof(...choices)
}

/** Members that the schema names anywhere; others only when it says which are allowed. */
function objectsNear(
  original: JsonObject,
  parts: readonly unknown[],
  near: (one: unknown) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const all = [original, ...parts].filter(isJsonObject)
  const members: Record<string, fc.Arbitrary<unknown>> = {}
  for (const { properties, additionalProperties, patternProperties, required } of all) {
    for (const [name, one] of Object.entries((properties as JsonObject | undefined) ?? {})) {
      members[name] ??= near(one)
    }
    for (const name of (required as readonly string[] | undefined) ?? [])
      members[name] ??= near(true)
    if ((additionalProperties ?? false) !== false) members.c ??= near(additionalProperties)
    for (const one of Object.values((patternProperties as JsonObject | undefined) ?? {})) {
      members.ab ??= near(one)
    }
  }
  return fc.record(members, { requiredKeys: [], noNullPrototype: true })
}

/** The values of a list that a validator accepts. */
export const accepted = (validate: ValidateFunction, values: readonly unknown[]) =>
  values.filter((value) => validate(value))
