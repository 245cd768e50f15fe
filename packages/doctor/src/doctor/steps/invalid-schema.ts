/** Keywords of a JSON Schema with an invalid value. Limits of Edgeway are not among them. */
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import {
  KEYWORD_CHECKS,
  SCHEMA_ARRAY_KEYWORDS,
  SCHEMA_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
} from '../../../../../src/server/schema/keywords.ts'
import { isUnicodePattern } from '../../../../../src/server/schema/pattern.ts'
import { quoted } from '../../../../text/src/quoted.ts'

/** What a value of a keyword must be; undefined for a valid value. */
type Expectation = (keyword: string, value: unknown) => string | undefined

/** The first of them, as the end of a sentence; undefined for a valid schema. */
export function invalidKeyword(schema: unknown): string | undefined {
  const dialect = isJsonObject(schema) ? schema.$schema : undefined
  const isOlder = typeof dialect === 'string' && !dialect.includes('2020-12')
  // Before 2020-12, a list of schemas was one for each item.
  const isList: Expectation = (keyword, value) =>
    keyword === 'items' && Array.isArray(value) ? undefined : specified(keyword, value)
  return firstInvalid(schema, isOlder ? isList : specified)
}

/** The first of them that the validator of the TypeScript SDK refuses. */
export const uncompilableKeyword = (schema: unknown) => firstInvalid(schema, compiled)

function firstInvalid(schema: unknown, expectation: Expectation): string | undefined {
  const pending: unknown[] = [schema]
  // A list of its own instead of recursion: a server may nest as deeply as it wants.
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (!isJsonObject(value)) continue
    for (const [keyword, member] of Object.entries(value)) {
      const expected = expectation(keyword, member)
      if (expected !== undefined) return `${keyword} ${quoted(member)}, which is not ${expected}`
      for (const subschema of subschemasOf(keyword, member)) pending.push(subschema)
    }
  }
  return undefined
}

const isSchema = (value: unknown) => isJsonObject(value) || typeof value === 'boolean'

function specified(keyword: string, value: unknown): string | undefined {
  // Edgeway accepts more in the schemas of an author, and does not publish it.
  const patterns = keyword === 'pattern' ? [value] : namesIn(keyword, value)
  if (!patterns.every((one) => typeof one === 'string' && isUnicodePattern(one))) {
    return 'a regular expression with flag u'
  }
  if (SCHEMA_KEYWORDS.has(keyword)) return isSchema(value) ? undefined : 'a schema'
  if (SCHEMA_ARRAY_KEYWORDS.has(keyword)) {
    const isList = Array.isArray(value) && value.length > 0 && value.every(isSchema)
    return isList ? undefined : 'a list of schemas'
  }
  if (!SCHEMA_MAP_KEYWORDS.has(keyword)) {
    const check = Object.hasOwn(KEYWORD_CHECKS, keyword) ? KEYWORD_CHECKS[keyword] : undefined
    return check?.test(value) === false ? check.expected : undefined
  }
  const members = isJsonObject(value) ? Object.values(value) : [undefined]
  // `dependencies` may name required properties in a list.
  const isMap = members.every((member) => isSchema(member) || Array.isArray(member))
  return isMap ? undefined : 'an object of schemas'
}

const namesIn = (keyword: string, value: unknown) =>
  keyword === 'patternProperties' && isJsonObject(value) ? Object.keys(value) : []

/** Keywords of which this validator accepts any value. */
const UNREAD: readonly string[] = [
  'title',
  'description',
  '$id',
  '$anchor',
  '$defs',
  'contentSchema',
  'definitions',
  'dependentSchemas',
  'prefixItems',
  'unevaluatedItems',
  'unevaluatedProperties',
]

function compiled(keyword: string, value: unknown): string | undefined {
  if (UNREAD.includes(keyword)) return undefined
  if (keyword === 'enum' && Array.isArray(value) && value.length === 0) return 'a list with a value'
  const members = SCHEMA_ARRAY_KEYWORDS.has(keyword) && Array.isArray(value) ? value : undefined
  const named =
    SCHEMA_MAP_KEYWORDS.has(keyword) && isJsonObject(value) ? Object.values(value) : members
  // It passes over a subschema that is a text, and fails at null.
  return named?.includes(null) === false ? undefined : specified(keyword, value)
}

function subschemasOf(keyword: string, member: unknown): readonly unknown[] {
  if (SCHEMA_MAP_KEYWORDS.has(keyword)) return isJsonObject(member) ? Object.values(member) : []
  if (SCHEMA_ARRAY_KEYWORDS.has(keyword) && Array.isArray(member)) return member
  return SCHEMA_KEYWORDS.has(keyword) ? [member] : []
}
