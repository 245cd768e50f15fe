/** The JSON Schema keywords: those that contain subschemas, and the required type of the others. */
import { isJsonObject } from '../../protocol/json.ts'
import { compilePattern } from './pattern.ts'

export const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
])

/** Includes `items`, which may be an array before 2020-12. */
export const SCHEMA_ARRAY_KEYWORDS: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'items',
  'oneOf',
  'prefixItems',
])

/** Includes `dependencies`, which may also name required properties: as arrays. */
export const SCHEMA_MAP_KEYWORDS: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
])

const TYPES = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])

const isString = (value: unknown) => typeof value === 'string'
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0
const isNumber = (value: unknown) => typeof value === 'number'
const isBoolean = (value: unknown) => typeof value === 'boolean'
const isStrings = (value: unknown) => Array.isArray(value) && value.every(isString)

function isType(value: unknown): boolean {
  const types = Array.isArray(value) ? value : [value]
  return types.length > 0 && types.every((type) => TYPES.has(type))
}

const isPattern = (value: unknown) =>
  typeof value === 'string' && compilePattern(value) !== undefined

/** The required type of a keyword's value. Other keywords accept any value. */
export const KEYWORD_CHECKS: Readonly<
  Record<string, { readonly expected: string; readonly test: (value: unknown) => boolean }>
> = {
  type: { expected: 'a JSON type or a list of them', test: isType },
  enum: { expected: 'an array', test: Array.isArray },
  required: { expected: 'an array of strings', test: isStrings },
  pattern: { expected: 'a regular expression', test: isPattern },
  patternProperties: {
    expected: 'an object whose names are regular expressions',
    test: (value) => isJsonObject(value) && Object.keys(value).every(isPattern),
  },
  title: { expected: 'a string', test: isString },
  description: { expected: 'a string', test: isString },
  format: { expected: 'a string', test: isString },
  $ref: { expected: 'a string', test: isString },
  $id: { expected: 'a string', test: isString },
  $anchor: { expected: 'a string', test: isString },
  minimum: { expected: 'a number', test: isNumber },
  maximum: { expected: 'a number', test: isNumber },
  exclusiveMinimum: { expected: 'a number', test: isNumber },
  exclusiveMaximum: { expected: 'a number', test: isNumber },
  multipleOf: {
    expected: 'a number above 0',
    test: (value) => isNumber(value) && (value as number) > 0,
  },
  minLength: { expected: 'a count', test: isCount },
  maxLength: { expected: 'a count', test: isCount },
  minItems: { expected: 'a count', test: isCount },
  maxItems: { expected: 'a count', test: isCount },
  minProperties: { expected: 'a count', test: isCount },
  maxProperties: { expected: 'a count', test: isCount },
  uniqueItems: { expected: 'a boolean', test: isBoolean },
}
