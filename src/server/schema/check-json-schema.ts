/**
 * Checks a JSON Schema at registration: keywords have the right type, references point into the
 * document, and depth and size are bounded. Validation then has a bounded cost and never uses the
 * network.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/index#json-schema-usage
 */

import type { JsonSchema } from '../../protocol/content.ts'
import { isJsonObject } from '../../protocol/json.ts'
import { targetOf } from './json-pointer.ts'
import { KEYWORD_CHECKS, mapSubschemas } from './keywords.ts'

/** Maximum nesting of subschemas. */
export const MAX_SCHEMA_DEPTH = 32
/** Maximum number of subschemas in one schema. */
export const MAX_SUBSCHEMAS = 2000
/** Maximum length of a schema as JSON, in UTF-16 code units. */
export const MAX_SCHEMA_LENGTH = 256 * 1024

/** One step from a schema to a subschema: `properties/name`, `allOf/0`, `not`. */
export interface SchemaStep {
  readonly keyword: string
  readonly key: string | undefined
}

export type VisitSchema = (schema: JsonSchema, path: readonly SchemaStep[]) => void

/** Describes a position in a schema for an error message. */
export function describePath(path: readonly SchemaStep[]): string {
  const steps = path.flatMap(({ keyword, key }) => (key === undefined ? [keyword] : [keyword, key]))
  return steps.length === 0 ? 'the root' : steps.join('/')
}

/**
 * Visits every subschema, the root first.
 *
 * @throws {TypeError} if a subschema is not a schema, or a bound is exceeded
 */
export function walkSchema(root: JsonSchema, visit: VisitSchema): void {
  let count = 0
  const descend = (schema: unknown, path: readonly SchemaStep[]): void => {
    if (typeof schema === 'boolean') return
    // The properties that `dependencies` requires.
    if (Array.isArray(schema) && path.at(-1)?.keyword === 'dependencies') return
    if (!isJsonObject(schema)) throw new TypeError(`${describePath(path)} is not a schema`)
    if (path.length > MAX_SCHEMA_DEPTH) {
      throw new TypeError(`deeper than ${MAX_SCHEMA_DEPTH} subschemas`)
    }
    if (++count > MAX_SUBSCHEMAS) throw new TypeError(`more than ${MAX_SUBSCHEMAS} subschemas`)
    visit(schema, path)
    for (const [keyword, value] of Object.entries(schema)) {
      mapSubschemas(keyword, value, (child, key) => descend(child, [...path, { keyword, key }]))
    }
  }
  descend(root, [])
}

/**
 * Checks a schema and all its subschemas.
 *
 * @throws {TypeError} that names the position and the fault
 */
export function checkJsonSchema(schema: JsonSchema, visit?: VisitSchema): void {
  const { length } = JSON.stringify(schema)
  if (length > MAX_SCHEMA_LENGTH) {
    throw new TypeError(`${length} characters long; the limit is ${MAX_SCHEMA_LENGTH}`)
  }
  const identifiers = new Set<string>()
  const references: { readonly ref: string; readonly at: string }[] = []
  walkSchema(schema, (subschema, path) => {
    for (const [keyword, { expected, test }] of Object.entries(KEYWORD_CHECKS)) {
      if (Object.hasOwn(subschema, keyword) && !test(subschema[keyword])) {
        throw new TypeError(`${keyword} at ${describePath(path)} must be ${expected}`)
      }
    }
    for (const keyword of ['$id', '$anchor', '$dynamicAnchor']) {
      const name = subschema[keyword]
      if (typeof name === 'string') identifiers.add(keyword === '$id' ? name : `#${name}`)
    }
    for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
      const ref = subschema[keyword]
      if (typeof ref === 'string') references.push({ ref, at: describePath(path) })
    }
    visit?.(subschema, path)
  })
  for (const { ref, at } of references) {
    if (!identifiers.has(ref) && targetOf(schema, ref) === undefined) {
      throw new TypeError(
        `the reference "${ref.slice(0, 200)}" at ${at} does not point into the same schema; other documents are never fetched`,
      )
    }
  }
}
