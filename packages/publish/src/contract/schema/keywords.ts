/** Which keywords of a schema decide about values, and of which type. All others are annotations, which validators ignore. */
import type { JsonObject } from '../../../../../src/protocol/json.ts'

export const JSON_TYPES = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const
export type JsonType = (typeof JSON_TYPES)[number]

const words = (text: string): readonly string[] => text.split(' ')

/** Keywords that validators ignore for values of other types. `format` also has names for numbers, such as `int32`. */
const OF_TYPE: Readonly<Record<JsonType, readonly string[]>> = {
  null: [],
  boolean: [],
  number: words('minimum maximum exclusiveMinimum exclusiveMaximum multipleOf format'),
  string: words(
    'minLength maxLength pattern format contentEncoding contentMediaType contentSchema',
  ),
  array: words(
    'items prefixItems additionalItems minItems maxItems uniqueItems contains minContains maxContains unevaluatedItems',
  ),
  object: words(
    'properties patternProperties additionalProperties propertyNames required minProperties maxProperties dependentRequired dependentSchemas dependencies unevaluatedProperties',
  ),
}

export const REFERENCES = words('$ref $dynamicRef $recursiveRef')

/** Keywords whose subschemas are parts of the schema itself. */
const COMPOSITION = [...REFERENCES, 'allOf', 'anyOf', 'oneOf']

const TYPED: ReadonlySet<string> = new Set(Object.values(OF_TYPE).flat())

/** `nullable` is a keyword of OpenAPI, which some validators know and others ignore. */
const UNTYPED = new Set([...COMPOSITION, ...words('type enum const not if then else nullable')])

export const isAssertion = (keyword: string): boolean => TYPED.has(keyword) || UNTYPED.has(keyword)

const select = (schema: JsonObject, isSelected: (keyword: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => isSelected(keyword)))

/** The assertions of a schema without references, unions and `allOf`. */
export const ownAssertions = (schema: JsonObject): JsonObject =>
  select(schema, (keyword) => isAssertion(keyword) && !COMPOSITION.includes(keyword))

/** The same schema for values of one type. */
export function assertionsOfType(schema: JsonObject, type: JsonType): JsonObject {
  const named = [schema.type].flat()
  const isInteger = type === 'number' && named.includes('integer') && !named.includes('number')
  const own = select(schema, (keyword) => !TYPED.has(keyword) || OF_TYPE[type].includes(keyword))
  return { ...own, type: isInteger ? 'integer' : type }
}
