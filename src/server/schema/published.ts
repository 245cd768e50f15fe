/**
 * Schemas as clients receive them.
 *
 * Hosts refuse every request of a server for some keywords, and clients validate a result with its schema after the
 * handler has run. So an input is published without what hosts cannot read, and an output without what a validator of a
 * client could refuse and the server accepts. The server validates with the schema of the author.
 */
import type { JsonSchema } from '../../protocol/content.ts'
import { isJsonObject, type JsonValue } from '../../protocol/json.ts'
import { NO_DEFAULT } from './defaults.ts'
import { mapSubschemas } from './keywords.ts'
import { isPortablePattern } from './pattern.ts'

type Value = JsonValue | undefined
type Keywords = Record<string, Value>

/** Changes the keywords of one schema, whose subschemas are published already. */
type Rule = (schema: Keywords) => void

/** Returns the same object for a schema that needs no change. */
export function publishSchema(schema: JsonSchema, side: 'input' | 'output'): JsonSchema {
  const { $schema } = schema
  // An older dialect has no `prefixItems`: its tuples are `items`.
  const isOlder = typeof $schema === 'string' && !$schema.includes('2020-12')
  return (isOlder ? OLDER : CURRENT)[side](schema) as JsonSchema
}

/**
 * Removes the expressions that a test refuses. Where one of them names members, other members are permitted too.
 */
export function withoutPatterns(schema: Keywords, isKept: (pattern: string) => boolean): void {
  const { pattern, patternProperties } = schema
  if (typeof pattern === 'string' && !isKept(pattern)) delete schema.pattern
  if (!isJsonObject(patternProperties)) return
  const all = Object.entries(patternProperties)
  const kept = all.filter(([name]) => isKept(name))
  if (kept.length === all.length) return
  omit(schema, 'patternProperties additionalProperties unevaluatedProperties')
  if (kept.length > 0) schema.patternProperties = Object.fromEntries(kept)
}

/** Replaces what hosts cannot read, and says the same. */
const portable: Rule = (schema) => {
  withoutPatterns(schema, isPortablePattern)
  for (const keyword of ['enum', 'required', 'type']) {
    const list = schema[keyword]
    if (!Array.isArray(list)) continue
    const distinct = new Map(list.map((value) => [JSON.stringify(value), value]))
    schema[keyword] = orSame(list, [...distinct.values()]) as JsonValue
  }
  const { type, items, prefixItems, maxItems = Infinity } = schema
  // Claude Code reads `{}` as `false`.
  if (isText(schema.additionalProperties, '{}')) schema.additionalProperties = true
  // Every name is a string.
  if (isText(schema.propertyNames, 'true', '{}', '{"type":"string"}')) delete schema.propertyNames
  if (schema.default === NO_DEFAULT) delete schema.default
  // Hosts require that an object describes the items of an array. `{}` permits each value.
  const isArray = [type].flat().includes('array') || Array.isArray(prefixItems)
  if (schema.unevaluatedItems !== undefined || typeof items === 'object') return
  if (items === undefined && !isArray) return
  schema.items = {}
  if (items !== false) return
  schema.maxItems = Math.min(
    maxItems as number,
    Array.isArray(prefixItems) ? prefixItems.length : 0,
  )
}

const isText = (value: Value, ...texts: readonly string[]) => texts.includes(JSON.stringify(value))

/** Writes a tuple as 2020-12 does. */
const currentTuple: Rule = (schema) => {
  const { items, additionalItems } = schema
  if (!Array.isArray(items)) return
  omit(schema, 'items additionalItems')
  if (items.length > 0) schema.prefixItems = items
  if (additionalItems !== undefined) schema.items = additionalItems
}

/**
 * What the validators of two libraries decide differently: the flags of an expression, formats, the remainder of
 * decimals. Without it, an exclusion or a condition would exclude more. A model does not send a default.
 */
const DECIDED_BY_SERVER =
  'pattern format multipleOf not if then else contains minContains maxContains unevaluatedItems unevaluatedProperties default'

const accepting: Rule = (schema) => {
  withoutPatterns(schema, () => false)
  const { oneOf, anyOf, allOf = [], minLength, prefixItems, items } = schema
  omit(schema, DECIDED_BY_SERVER)
  if (Array.isArray(oneOf)) {
    delete schema.oneOf
    if (anyOf === undefined) schema.anyOf = oneOf
    else schema.allOf = [allOf, { anyOf: oneOf }].flat()
  }
  // Schema libraries count UTF-16 code units, of which a character has at most two.
  if (typeof minLength === 'number') schema.minLength = Math.ceil(minLength / 2)
  // A client of draft-07 reads no `prefixItems`, and applies `items` to all of them.
  if (Array.isArray(prefixItems) && items !== undefined && items !== false) schema.items = {}
}

function omit(schema: Keywords, keywords: string): void {
  for (const keyword of keywords.split(' ')) delete schema[keyword]
}

/**
 * Returns what applies rules to each subschema, the innermost first. Parts that schemas share, such as definitions of
 * OpenAPI, stay shared.
 */
function publisher(...rules: readonly Rule[]): Publish {
  const known = new WeakMap<object, unknown>()
  const publish: Publish = (schema) => {
    if (!isJsonObject(schema)) return schema
    const published = known.get(schema)
    if (published !== undefined) return published
    const entries = Object.entries(schema).map(([keyword, value]) => {
      // Without an expression, an exclusion and a condition would match more.
      const isExact = keyword === 'not' || keyword === 'if'
      return [keyword, isExact ? value : orSame(value, mapSubschemas(keyword, value, publish))]
    })
    const copy = Object.fromEntries(entries)
    for (const rule of rules) rule(copy)
    const result = orSame(schema, copy)
    known.set(schema, result)
    return result
  }
  return publish
}

type Publish = (schema: unknown) => unknown

/** Returns a changed copy, or the original where both have the same members. */
function orSame(original: unknown, copy: unknown): unknown {
  if (original === copy) return original
  const [before, after] = [Object(original), Object(copy)]
  const names = Object.keys(after)
  const isSame = names.every((name) => after[name] === before[name])
  return isSame && names.length === Object.keys(before).length ? original : copy
}

const OLDER = { input: publisher(portable), output: publisher(accepting, portable) }
const CURRENT = {
  input: publisher(currentTuple, portable),
  output: publisher(currentTuple, accepting, portable),
}
