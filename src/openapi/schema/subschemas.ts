/** Rewrites the subschemas of a converted schema. */
import type { JsonSchema } from '../../protocol/content.ts'
import { isJsonObject, type JsonValue } from '../../protocol/json.ts'
import {
  SCHEMA_ARRAY_KEYWORDS,
  SCHEMA_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
} from '../../server/schema/keywords.ts'

type AnySchema = JsonSchema | boolean

/** Keywords whose subschemas describe the same value, so that they are no step into it. */
const IN_PLACE: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'dependentSchemas',
  'else',
  'if',
  'not',
  'oneOf',
  'then',
])

/**
 * Returns a copy of a schema with each direct subschema replaced.
 *
 * @param replace receives a subschema, and whether it describes a part of the value
 */
export function mapSubschemas(
  schema: JsonSchema,
  replace: (subschema: AnySchema, isStep: boolean) => AnySchema,
): JsonSchema {
  const apply = (value: JsonValue | undefined, isStep: boolean) =>
    isJsonObject(value) || typeof value === 'boolean' ? replace(value, isStep) : value
  const entries = Object.entries(schema).map(([keyword, value]) => {
    const isStep = !IN_PLACE.has(keyword)
    if (SCHEMA_MAP_KEYWORDS.has(keyword) && isJsonObject(value)) {
      const members = Object.entries(value).map(([name, at]) => [name, apply(at, isStep)])
      return [keyword, Object.fromEntries(members)]
    }
    if (SCHEMA_ARRAY_KEYWORDS.has(keyword) && Array.isArray(value)) {
      return [keyword, value.map((at) => apply(at, isStep))]
    }
    return [keyword, SCHEMA_KEYWORDS.has(keyword) ? apply(value, isStep) : value]
  })
  return Object.fromEntries(entries)
}
