/**
 * A form's schema: an author's object schema, narrowed to what a client can show.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#requested-schema
 */
import type { JsonSchema } from '../../protocol/content.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'

const SHARED = ['title', 'description', 'default'] as const
const FORMATS = new Set(['email', 'uri', 'date', 'date-time'])

/**
 * The schema that goes out.
 *
 * @throws {TypeError} naming the field that no form can show
 */
export function toFormSchema(schema: JsonSchema): JsonObject {
  const { type, properties, required } = schema
  if (type !== 'object' || !isJsonObject(properties)) {
    throw new TypeError('A form needs an object schema')
  }
  const fields = Object.entries(properties).map(
    ([name, field]) => [name, toField(name, field)] as const,
  )
  return {
    type: 'object',
    properties: Object.fromEntries(fields),
    ...(Array.isArray(required) && required.length > 0 ? { required } : undefined),
  }
}

function toField(name: string, field: unknown): JsonObject {
  if (!isJsonObject(field)) throw unshowable(name, 'it says nothing')
  switch (field.type) {
    case 'boolean':
      return pick(field, 'type')
    case 'number':
    case 'integer':
      return pick(field, 'type', 'minimum', 'maximum')
    case 'string':
      return toText(name, field)
    case 'array':
      return toChoices(name, field)
    default:
      return toUntyped(name, field)
  }
}

function toText(name: string, field: JsonObject): JsonObject {
  if (field.enum !== undefined) {
    if (!areStrings(field.enum)) throw unshowable(name, 'its choices are not all text')
    return pick(field, 'type', 'enum', 'enumNames')
  }
  if (field.oneOf !== undefined) {
    if (!areTitled(field.oneOf)) throw unshowable(name, 'oneOf must be a list of { const, title }')
    return pick(field, 'type', 'oneOf')
  }
  if (field.const !== undefined) return { ...pick(field, 'type'), enum: [field.const] }
  const text = pick(field, 'type', 'minLength', 'maxLength')
  // `pattern` has no place in a form; the answer is checked against the author's schema all the same.
  const { format } = field
  return typeof format === 'string' && FORMATS.has(format) ? { ...text, format } : text
}

/** Schema libraries write a titled choice as a union of constants, without a type. */
function toUntyped(name: string, field: JsonObject): JsonObject {
  const choices = field.oneOf ?? field.anyOf
  if (!areTitled(choices)) {
    throw unshowable(name, 'only text, numbers, booleans and choices of text can be shown')
  }
  const oneOf = choices.map(({ const: value, title }) => ({ const: value, title }))
  return { ...pick(field), type: 'string', oneOf }
}

function toChoices(name: string, field: JsonObject): JsonObject {
  const { items } = field
  const choices = isJsonObject(items) ? (items.anyOf ?? items.oneOf) : undefined
  const several = pick(field, 'type', 'minItems', 'maxItems')
  if (isJsonObject(items) && areStrings(items.enum)) {
    return { ...several, items: { type: 'string', enum: items.enum } }
  }
  if (areTitled(choices)) {
    const anyOf = choices.map(({ const: value, title }) => ({ const: value, title }))
    return { ...several, items: { anyOf } }
  }
  throw unshowable(name, 'a list must be of choices of text')
}

function pick(field: JsonObject, ...keywords: string[]): Record<string, JsonValue> {
  const picked: Record<string, JsonValue> = {}
  for (const keyword of [...keywords, ...SHARED]) {
    const value = field[keyword]
    if (value !== undefined) picked[keyword] = value
  }
  return picked
}

function areStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')
}

interface Titled {
  readonly const: string
  readonly title: string
}

function areTitled(value: unknown): value is readonly Titled[] {
  const isTitled = (item: unknown) =>
    isJsonObject(item) && typeof item.const === 'string' && typeof item.title === 'string'
  return Array.isArray(value) && value.length > 0 && value.every(isTitled)
}

function unshowable(name: string, why: string): TypeError {
  return new TypeError(`The field "${name}" cannot be shown in a form: ${why}`)
}
