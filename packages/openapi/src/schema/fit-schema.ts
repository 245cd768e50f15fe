/**
 * Joins a schema with the definitions that it uses, and shortens it until it fits a limit. Some hosts
 * silently drop a tool whose input schema is larger.
 */
import type { JsonSchema } from '../../../../src/protocol/content.ts'
import { isJsonObject, type JsonValue } from '../../../../src/protocol/json.ts'
import {
  SCHEMA_ARRAY_KEYWORDS,
  SCHEMA_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
} from '../../../../src/server/schema/keywords.ts'
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

/** The most steps into the arguments. At 0 an argument has only its type and description. */
const MAX_STEPS = 6

const LAST_PRUNING: readonly [Pruning, Prune] = [
  'descriptions',
  ({ examples: _, title: __, description: ___, ...rest }) => rest,
]

const KEYWORD_PRUNINGS: readonly (readonly [Pruning, Prune])[] = [
  ['none', (schema) => schema],
  ['examples', ({ examples: _, ...rest }) => rest],
  ['long-descriptions', ({ examples: _, title: __, ...rest }) => shortenDescription(rest)],
  LAST_PRUNING,
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
  const isFitting = (candidate: JsonSchema) => JSON.stringify(candidate).length <= maxLength
  for (const [pruning, prune] of KEYWORD_PRUNINGS) {
    const isWhole = pruning === 'none'
    // Whole definitions are shared by all tools, and not copied.
    const deep = isWhole ? (at: AnySchema) => at : deepPruning(prune)
    const shallow = isWhole ? root : mapArguments(root, deep)
    if (leastLength(shallow, definitions, pruning, deep, maxLength) > maxLength) continue
    const joined = join(shallow, definitions, deep)
    if (isFitting(joined)) return { schema: joined, pruning }
  }
  const byName = new Map(
    definitions.map((definition) => [`#/$defs/${definition.name}`, definition]),
  )
  let fitted: FittedSchema | undefined
  // A schema of more steps is longer, so the first one that does not fit ends the search.
  for (let depth = 0; depth <= MAX_STEPS; depth++) {
    const inlined = inline(root, byName, depth)
    if (inlined === undefined || (fitted !== undefined && !isFitting(inlined))) break
    fitted = { schema: inlined, pruning: `depth-${depth}` }
  }
  if (fitted !== undefined) return fitted
  const [pruning, prune] = LAST_PRUNING
  const deep = deepPruning(prune)
  return { schema: join(mapArguments(root, deep), definitions, deep), pruning }
}

type Prune = (schema: JsonSchema) => JsonSchema
type Replace = (at: AnySchema) => AnySchema

function deepPruning(prune: Prune): Replace {
  const deep = (at: AnySchema): AnySchema =>
    isJsonObject(at) ? mapSubschemas(prune(at), deep) : at
  return deep
}

function join(
  root: JsonSchema,
  definitions: readonly SchemaDefinition[],
  replace: Replace,
): JsonSchema {
  if (definitions.length === 0) return root
  return {
    ...root,
    $defs: Object.fromEntries(definitions.map((one) => [one.name, replace(one.schema)])),
  }
}

/** The lengths of definitions as JSON, which all tools share: one may be needed by hundreds of them. */
const lengths = new WeakMap<SchemaDefinition, Map<Pruning, number>>()

/** The least length of a schema with its definitions. Counting ends above the limit. */
function leastLength(
  root: JsonSchema,
  definitions: readonly SchemaDefinition[],
  pruning: Pruning,
  replace: Replace,
  maxLength: number,
): number {
  let length = JSON.stringify(root).length
  for (const definition of definitions) {
    if (length > maxLength) break
    const known = lengths.get(definition) ?? new Map<Pruning, number>()
    lengths.set(definition, known)
    const own = known.get(pruning) ?? JSON.stringify(replace(definition.schema)).length
    known.set(pruning, own)
    length += own
  }
  return length
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
    if (depth > maxDepth) {
      const items = at.type === 'array' ? { items: {} } : {}
      return { ...(at.type === undefined ? {} : { type: at.type }), ...items, ...description }
    }
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
