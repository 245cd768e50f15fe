/** JSON Schema of the choices of zod 3, in the form that the SDK 1.x gives them. */
import type { JsonSchema } from '../../../src/protocol/content.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'

/** The types of a JSON value as JSON Schema names them. */
function typeOf(value: JsonValue): string {
  return value === null ? 'null' : typeof value
}

/** JSON has no undefined, symbol, bigint or NaN, so a client cannot send one. */
export function literalSchema(value: unknown): JsonSchema {
  return isJsonPrimitive(value) ? { type: typeOf(value), const: value } : { not: {} }
}

function isJsonPrimitive(value: unknown): value is JsonValue {
  if (typeof value === 'number') return Number.isFinite(value)
  return value === null || typeof value === 'string' || typeof value === 'boolean'
}

const only = (types: readonly string[]): JsonValue => {
  const different = [...new Set(types)]
  return different.length === 1 ? (different[0] as string) : different
}

export function enumSchema(values: readonly JsonValue[]): JsonSchema {
  return { type: only(values.map(typeOf)), enum: values }
}

/** The values of a TypeScript enum. One of numbers also has its names as values. */
export function enumValues(values: Readonly<Record<string, JsonValue>>): JsonValue[] {
  const names = Object.keys(values).filter(
    (name) => typeof values[String(values[name])] !== 'number',
  )
  return names.map((name) => values[name] ?? null)
}

const PRIMITIVES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'null']

/** Many clients show a list of types or of values better than `anyOf`. */
export function unionSchema(options: readonly JsonSchema[]): JsonSchema {
  const have = (...keywords: readonly string[]) =>
    options.every(
      (option) =>
        PRIMITIVES.includes(option.type) && Object.keys(option).join() === keywords.join(),
    )
  if (have('type')) return { type: only(options.map(({ type }) => type as string)) }
  if (have('type', 'const')) return enumSchema(options.map((option) => option.const as JsonValue))
  if (have('type', 'enum')) {
    return enumSchema([...new Set(options.flatMap((option) => option.enum as JsonValue[]))])
  }
  return { anyOf: options }
}

/** A description of a primitive is also that of the choice. */
export function nullableSchema(inner: JsonSchema): JsonSchema {
  const { description: _, ...bare } = inner
  const union = unionSchema([bare, { type: 'null' }])
  return 'type' in union ? union : unionSchema([inner, { type: 'null' }])
}
