/**
 * Converts an author's object schema to the schema of a form, with the keywords that clients can show.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#requested-schema
 */
import type { JsonSchema } from '../../../protocol/content.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../protocol/json.ts'

const SHARED = ['title', 'description', 'default'] as const
const FORMATS = new Set(['email', 'uri', 'date', 'date-time'])

/**
 * Returns the schema to send.
 *
 * @throws {TypeError} that names the field that a form cannot show
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
  if (!isJsonObject(field)) throw cannotShow(name, 'it has no schema')
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
    if (!areStrings(field.enum)) throw cannotShow(name, 'its choices are not all strings')
    return pick(field, 'type', 'enum', 'enumNames')
  }
  if (field.oneOf !== undefined) {
    if (!areTitled(field.oneOf)) throw cannotShow(name, 'oneOf must be a list of { const, title }')
    return pick(field, 'type', 'oneOf')
  }
  if (field.const !== undefined) return { ...pick(field, 'type'), enum: [field.const] }
  const text = pick(field, 'type', 'minLength', 'maxLength')
  // Forms have no `pattern`. The answer is validated against the author's schema in any case.
  const { format } = field
  return typeof format === 'string' && FORMATS.has(format) ? { ...text, format } : text
}

/** Schema libraries convert a titled choice to a union of constants without a type. */
function toUntyped(name: string, field: JsonObject): JsonObject {
  const choices = field.oneOf ?? field.anyOf
  if (!areTitled(choices)) {
    throw cannotShow(name, 'only strings, numbers, booleans and choices of strings can be shown')
  }
  const oneOf = choices.map(({ const: value, title }) => ({ const: value, title }))
  return { ...pick(field), type: 'string', oneOf }
}

function toChoices(name: string, field: JsonObject): JsonObject {
  const { items } = field
  const choices = isJsonObject(items) ? (items.anyOf ?? items.oneOf) : undefined
  const array = pick(field, 'type', 'minItems', 'maxItems')
  if (isJsonObject(items) && areStrings(items.enum)) {
    return { ...array, items: { type: 'string', enum: items.enum } }
  }
  if (areTitled(choices)) {
    const anyOf = choices.map(({ const: value, title }) => ({ const: value, title }))
    return { ...array, items: { anyOf } }
  }
  throw cannotShow(name, 'an array must have choices of strings as items')
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

function cannotShow(name: string, why: string): TypeError {
  return new TypeError(`The field "${name}" cannot be shown in a form: ${why}`)
}
