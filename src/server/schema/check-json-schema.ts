/**
 * What a JSON Schema must satisfy before a definition may use it: keywords of the right shape, every
 * reference inside the document, and bounds on depth and size, so that validating against it cannot
 * be made expensive and never reaches the network.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/index#json-schema-usage
 */

import type { JsonSchema } from '../../protocol/content.ts'
import { isJsonObject } from '../../protocol/json.ts'
import {
  KEYWORD_CHECKS,
  SCHEMA_ARRAY_KEYWORDS,
  SCHEMA_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
} from './keywords.ts'

export const MAX_SCHEMA_DEPTH = 32
export const MAX_SUBSCHEMAS = 2000
export const MAX_SCHEMA_BYTES = 256 * 1024

/** One step from a schema to a subschema: `properties/name`, `allOf/0`, `not`. */
export interface SchemaStep {
  readonly keyword: string
  readonly key: string | undefined
}

export type VisitSchema = (schema: JsonSchema, path: readonly SchemaStep[]) => void

/** Names a place in a schema for an error message. */
export function describePath(path: readonly SchemaStep[]): string {
  const steps = path.flatMap(({ keyword, key }) => (key === undefined ? [keyword] : [keyword, key]))
  return steps.length === 0 ? 'the root' : steps.join('/')
}

/**
 * Visits every subschema, the root first.
 *
 * @throws {TypeError} where something that must be a schema is not one, or a bound is exceeded
 */
export function walkSchema(root: JsonSchema, visit: VisitSchema): void {
  let count = 0
  const descend = (schema: unknown, path: readonly SchemaStep[]): void => {
    if (typeof schema === 'boolean') return
    if (!isJsonObject(schema)) throw new TypeError(`${describePath(path)} is not a schema`)
    if (path.length > MAX_SCHEMA_DEPTH) {
      throw new TypeError(`deeper than ${MAX_SCHEMA_DEPTH} subschemas`)
    }
    if (++count > MAX_SUBSCHEMAS) throw new TypeError(`more than ${MAX_SUBSCHEMAS} subschemas`)
    visit(schema, path)
    for (const [keyword, value] of Object.entries(schema)) {
      for (const [key, child] of subschemas(keyword, value, path)) {
        descend(child, [...path, { keyword, key }])
      }
    }
  }
  descend(root, [])
}

function subschemas(
  keyword: string,
  value: unknown,
  path: readonly SchemaStep[],
): Iterable<readonly [string | undefined, unknown]> {
  if (SCHEMA_MAP_KEYWORDS.has(keyword)) {
    if (isJsonObject(value)) return Object.entries(value)
    throw new TypeError(`${keyword} at ${describePath(path)} must be an object`)
  }
  if (SCHEMA_ARRAY_KEYWORDS.has(keyword) && Array.isArray(value)) {
    return value.map((child, index) => [String(index), child] as const)
  }
  if (SCHEMA_KEYWORDS.has(keyword)) return [[undefined, value]]
  if (SCHEMA_ARRAY_KEYWORDS.has(keyword)) {
    throw new TypeError(`${keyword} at ${describePath(path)} must be an array`)
  }
  return []
}

/**
 * Checks a schema from top to bottom.
 *
 * @throws {TypeError} saying where and what
 */
export function checkJsonSchema(schema: JsonSchema, visit?: VisitSchema): void {
  const bytes = JSON.stringify(schema).length
  if (bytes > MAX_SCHEMA_BYTES) {
    throw new TypeError(`${bytes} characters long; the limit is ${MAX_SCHEMA_BYTES}`)
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
    if (!identifiers.has(ref) && !resolvesInside(schema, ref)) {
      throw new TypeError(
        `the reference "${ref.slice(0, 200)}" at ${at} does not point into the same schema; other documents are never fetched`,
      )
    }
  }
}

/** Whether `#` or a JSON pointer fragment (RFC 6901) leads to something in the document. */
function resolvesInside(schema: JsonSchema, ref: string): boolean {
  if (ref === '#') return true
  if (!ref.startsWith('#/')) return false
  let at: unknown = schema
  for (const token of ref.slice(2).split('/')) {
    let key: string
    try {
      key = decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~')
    } catch {
      return false
    }
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return false
    at = (at as Record<string, unknown>)[key]
  }
  return true
}
