/** Random arguments that match an input schema. */
import fc from 'fast-check'

type Schema = Readonly<Record<string, unknown>>

/** Below this depth only required members are generated. */
const MAX_DEPTH = 3

const asSchema = (value: unknown): Schema =>
  typeof value === 'object' && value !== null ? (value as Schema) : {}

/** Texts that could leave their place in a request. */
const HOSTILE = [
  '../x',
  'a/b',
  'a?b=c',
  'a&b=c',
  'a#b',
  'é',
  '%2e%2e',
  'a b',
  '😀',
  ';x',
  '..x',
  'a,b',
]

/** Values of a schema. They may miss keywords that only narrow it; the caller filters. */
export function argumentsOf(schema: unknown, root: Schema, depth = 0): fc.Arbitrary<unknown> {
  const { $ref, enum: values, const: constant, anyOf, allOf, type, ...rest } = asSchema(schema)
  if (typeof $ref === 'string') {
    const name = $ref.replace('#/$defs/', '')
    return argumentsOf({ ...asSchema(asSchema(root.$defs)[name]) }, root, depth)
  }
  if (constant !== undefined) return fc.constant(constant)
  if (Array.isArray(values)) return fc.constantFrom(...values)
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map((one) => argumentsOf(one, root, depth)))
  if (Array.isArray(allOf)) {
    const parts = [{ ...rest, type }, ...allOf].map((one) => argumentsOf(one, root, depth))
    // A text would become an object of its code units.
    const merge = (all: unknown[]) =>
      Object.assign({}, ...all.filter((one) => typeof one === 'object'))
    return fc.tuple(...parts).map(merge)
  }
  const types = Array.isArray(type)
    ? type
    : [type ?? (rest.properties === undefined ? 'string' : 'object')]
  return fc.oneof(...types.map((one) => ofType(String(one), rest, root, depth)))
}

function ofType(type: string, schema: Schema, root: Schema, depth: number): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number': {
      const { minimum, exclusiveMinimum, maximum } = schema as Record<string, number | undefined>
      const min = Math.ceil(minimum ?? (exclusiveMinimum ?? -1) + 1)
      return fc.integer({ min, max: Math.max(min, Math.floor(maximum ?? min + 1_000)) })
    }
    case 'array': {
      const item = argumentsOf(schema.items, root, depth + 1)
      return fc.array(item, { minLength: Number(schema.minItems ?? 0), maxLength: 3 })
    }
    case 'object':
      return members(schema, root, depth)
    default:
      return text(schema)
  }
}

function members(schema: Schema, root: Schema, depth: number): fc.Arbitrary<unknown> {
  const required = Array.isArray(schema.required) ? schema.required.map(String) : []
  const properties = Object.entries(asSchema(schema.properties)).filter(
    ([name]) => depth < MAX_DEPTH || required.includes(name),
  )
  const model = Object.fromEntries(
    properties.map(([name, one]) => [name, argumentsOf(one, root, depth + 1)]),
  )
  return fc.record(model, {
    requiredKeys: required.filter((name) => name in model),
    noNullPrototype: true,
  })
}

const FORMATS: Readonly<Record<string, readonly string[]>> = {
  'date-time': ['2026-01-02T03:04:05Z'],
  date: ['2026-01-02'],
  uuid: ['1725ff48-ab45-4bb5-9d02-88745177dedb'],
  uri: ['https://a.example/b?c=d&e#f'],
  email: ['ada@example.com'],
}

function text({ format, pattern, minLength = 0, maxLength = 40 }: Schema): fc.Arbitrary<string> {
  const known = FORMATS[String(format)]
  if (known !== undefined) return fc.constantFrom(...known)
  if (typeof pattern === 'string') {
    return fc.stringMatching(new RegExp(pattern, 'u')).filter((one) => one.isWellFormed())
  }
  const [min, max] = [Number(minLength), Number(maxLength)]
  const any = fc.string({
    unit: 'grapheme',
    minLength: min,
    maxLength: Math.max(min, Math.min(max, 40)),
  })
  return min > 4 || max < 8
    ? any
    : fc.oneof(any, fc.constantFrom(...HOSTILE.filter((one) => one.length >= min)))
}
