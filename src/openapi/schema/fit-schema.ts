/**
 * Joins a schema with the definitions that it uses, and shortens it until it fits a limit. Some hosts
 * silently drop a tool whose input schema is larger.
 */
import type { JsonSchema } from '../../protocol/content.ts'
import { isJsonObject, type JsonValue } from '../../protocol/json.ts'
import {
  SCHEMA_ARRAY_KEYWORDS,
  SCHEMA_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
} from '../../server/schema/keywords.ts'
import type { ConvertedSchema, SchemaDefinition } from './schema-converter.ts'

type AnySchema = JsonSchema | boolean

/** What was removed from a schema so that it fits. `depth-n`: parts below n steps into the value have no schema. */
export type Pruning = 'none' | 'examples' | 'long-descriptions' | 'descriptions' | `depth-${number}`

export interface FittedSchema {
  readonly schema: JsonSchema
  readonly pruning: Pruning
}

/** Length to which descriptions of parts are cut first, in UTF-16 code units. */
const SHORT_DESCRIPTION = 120

/** Maximum number of subschemas of a schema without definitions. */
const MAX_INLINED = 2_000

/** The depths that are tried. At 0 an argument has only its type and description. */
const DEPTHS = [6, 5, 4, 3, 2, 1, 0] as const

const KEYWORD_PRUNINGS: readonly [Pruning, (schema: JsonSchema) => JsonSchema][] = [
  ['none', (schema) => schema],
  ['examples', ({ examples: _, ...rest }) => rest],
  ['long-descriptions', ({ examples: _, title: __, ...rest }) => shortenDescription(rest)],
  ['descriptions', ({ examples: _, title: __, description: ___, ...rest }) => rest],
]

/**
 * Returns the schema with its `$defs`, as complete as the limit allows.
 *
 * @param root an object schema; the descriptions of its properties are kept
 * @param maxLength in UTF-16 code units of JSON
 */
export function fitSchema({ schema, uses }: ConvertedSchema, maxLength: number): FittedSchema {
  const root = isJsonObject(schema) ? schema : {}
  const definitions = closure(uses)
  let fitted: FittedSchema = { schema: root, pruning: 'none' }
  const fits = (pruning: Pruning, candidate: JsonSchema) => {
    fitted = { schema: candidate, pruning }
    return JSON.stringify(candidate).length <= maxLength
  }
  for (const [pruning, prune] of KEYWORD_PRUNINGS) {
    const deep = (at: AnySchema): AnySchema =>
      isJsonObject(at) ? mapSubschemas(prune(at), deep) : at
    const defs = definitions.map(({ name, schema: at }) => [
      name,
      pruning === 'none' ? at : deep(at),
    ])
    const shallow = pruning === 'none' ? root : mapArguments(root, deep)
    const joined = defs.length === 0 ? shallow : { ...shallow, $defs: Object.fromEntries(defs) }
    if (fits(pruning, joined)) return fitted
  }
  const byName = new Map(
    definitions.map((definition) => [`#/$defs/${definition.name}`, definition]),
  )
  for (const depth of DEPTHS) {
    const inlined = inline(root, byName, depth)
    if (inlined !== undefined && fits(`depth-${depth}`, inlined)) return fitted
  }
  return fitted
}

/** All definitions that are needed, in the order in which they are found. */
function closure(uses: ReadonlySet<SchemaDefinition>): SchemaDefinition[] {
  const found = new Set(uses)
  for (const definition of found) for (const next of definition.uses) found.add(next)
  return [...found]
}

/** Rewrites the subschemas of each property, and keeps what the property itself says. */
function mapArguments(root: JsonSchema, replace: (at: AnySchema) => AnySchema): JsonSchema {
  return mapSubschemas(root, (at) => (isJsonObject(at) ? mapSubschemas(at, replace) : at))
}

function shortenDescription(schema: JsonSchema): JsonSchema {
  const { description } = schema
  return typeof description === 'string' && description.length > SHORT_DESCRIPTION
    ? { ...schema, description: `${description.slice(0, SHORT_DESCRIPTION)}…`.toWellFormed() }
    : schema
}

/** Replaces references by their targets down to a depth. Undefined if there are too many subschemas. */
function inline(
  root: JsonSchema,
  definitions: ReadonlyMap<string, SchemaDefinition>,
  maxDepth: number,
): JsonSchema | undefined {
  let count = 0
  const visit = (at: AnySchema, depth: number, open: readonly SchemaDefinition[]): AnySchema => {
    if (!isJsonObject(at) || ++count > MAX_INLINED) return true
    const { $ref, description: _, title: __, examples: ___, ...rest } = at
    const description =
      depth === 1 && at.description !== undefined ? { description: at.description } : {}
    const definition = definitions.get(String($ref))
    if (definition !== undefined) {
      // A reference that leads back to itself without a step says nothing.
      if (open.includes(definition)) return description
      const target = visit(definition.schema, depth, [...open, definition])
      const own = visit(rest, depth, open)
      const parts = [target, own].filter(
        (part) => isJsonObject(part) && Object.keys(part).length > 0,
      )
      const [only] = parts
      if (parts.length > 1) return { allOf: parts, ...description }
      return isJsonObject(only) ? { ...only, ...description } : description
    }
    if (depth > maxDepth)
      return { ...(at.type === undefined ? {} : { type: at.type }), ...description }
    const inner = mapSubschemas(rest, (child, isStep) =>
      visit(child, isStep ? depth + 1 : depth, isStep ? [] : open),
    )
    return { ...inner, ...description }
  }
  const inlined = visit(root, 0, [])
  return count > MAX_INLINED || !isJsonObject(inlined) ? undefined : inlined
}

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
function mapSubschemas(
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
