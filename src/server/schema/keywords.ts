/** The JSON Schema keywords: those that contain subschemas, and the required type of the others. */
import { isJsonObject } from '../../protocol/json.ts'
import { compilePattern } from './pattern.ts'

const words = (text: string) => text.split(' ')

const ARRAYS = 'allOf anyOf oneOf prefixItems'
const MAPS = '$defs definitions dependencies dependentSchemas properties'

export const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set(
  words(
    'additionalItems additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems unevaluatedProperties',
  ),
)

/** Includes `items`, which may be an array before 2020-12. */
export const SCHEMA_ARRAY_KEYWORDS: ReadonlySet<string> = new Set(words(`${ARRAYS} items`))

/** Includes `dependencies`, which may also name required properties: as arrays. */
export const SCHEMA_MAP_KEYWORDS: ReadonlySet<string> = new Set(words(`${MAPS} patternProperties`))

/** Returns the value of a keyword with each subschema in it replaced. Another value is returned as it is. */
export function mapSubschemas<Value>(
  keyword: string,
  value: Value,
  change: (child: unknown, key?: string) => unknown,
): Value | unknown {
  if (SCHEMA_MAP_KEYWORDS.has(keyword) && isJsonObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, child]) => [name, change(child, name)]),
    )
  }
  if (SCHEMA_ARRAY_KEYWORDS.has(keyword) && Array.isArray(value)) {
    return value.map((child, index) => change(child, `${index}`))
  }
  return SCHEMA_KEYWORDS.has(keyword) ? change(value) : value
}

const TYPES: readonly unknown[] = words('array boolean integer null number object string')

type Test = (value: unknown) => boolean

const isString: Test = (value) => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number'
const isPattern: Test = (value) => typeof value === 'string' && compilePattern(value) !== undefined
const isListOf =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every(test)

/** The keywords of a row, the required type of their values, and whether a value has it. */
const CHECKS: readonly (readonly [keywords: string, expected: string, test: Test])[] = [
  [
    'type',
    'a JSON type or a list of them',
    (value) => {
      const types = [value].flat()
      return types.length > 0 && types.every((type) => TYPES.includes(type))
    },
  ],
  [`enum ${ARRAYS}`, 'an array', Array.isArray],
  [MAPS, 'an object', isJsonObject],
  ['required', 'an array of strings', isListOf(isString)],
  ['pattern', 'a regular expression', isPattern],
  [
    'patternProperties',
    'an object whose names are regular expressions',
    (value) => isJsonObject(value) && Object.keys(value).every(isPattern),
  ],
  ['title description format $ref $id $anchor', 'a string', isString],
  ['minimum maximum exclusiveMinimum exclusiveMaximum', 'a number', isNumber],
  ['multipleOf', 'a number above 0', (value) => isNumber(value) && value > 0],
  [
    'minLength maxLength minItems maxItems minProperties maxProperties',
    'a count',
    (value) => Number.isInteger(value) && (value as number) >= 0,
  ],
  ['uniqueItems', 'a boolean', (value) => typeof value === 'boolean'],
]

/** The required type of a keyword's value. Other keywords accept any value. */
export const KEYWORD_CHECKS: Readonly<
  Record<string, { readonly expected: string; readonly test: Test }>
> = Object.fromEntries(
  CHECKS.flatMap(([keywords, expected, test]) =>
    words(keywords).map((keyword) => [keyword, { expected, test }]),
  ),
)
