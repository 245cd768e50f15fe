/**
 * Schemas as clients receive them.
 *
 * Hosts refuse every request of a server for some keywords, and clients validate a result with its schema after the
 * handler has run. So an input is published without what hosts cannot read, and an output without what a validator of a
 * client could refuse and the server accepts. The server validates with the schema of the author.
 */
import type { JsonSchema } from '../../protocol/content.ts'
import { isJsonObject, type JsonValue } from '../../protocol/json.ts'
import { SCHEMA_ARRAY_KEYWORDS, SCHEMA_KEYWORDS, SCHEMA_MAP_KEYWORDS } from './keywords.ts'
import { isPortablePattern } from './pattern.ts'

type Value = JsonValue | undefined
type Keywords = Record<string, Value>

/** Changes the keywords of one schema, whose subschemas are published already. */
type Rule = (schema: Keywords) => void

/** Returns the same object for a schema that needs no change. */
export function publishSchema(schema: JsonSchema, side: 'input' | 'output'): JsonSchema {
  return isOlder(schema) ? applyRule(schema, OLDER[side]) : applyRule(schema, CURRENT[side])
}

/** Whether the dialect has no `prefixItems`: its tuples are `items`. */
const isOlder = ({ $schema }: JsonSchema) =>
  typeof $schema === 'string' && !$schema.includes('2020-12')

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
  omit(schema, ['patternProperties', 'additionalProperties', 'unevaluatedProperties'])
  if (kept.length > 0) schema.patternProperties = Object.fromEntries(kept)
}

/** Replaces what hosts cannot read, and says the same. */
const portable: Rule = (schema) => {
  withoutPatterns(schema, isPortablePattern)
  for (const keyword of ['enum', 'required', 'type']) {
    const list = schema[keyword]
    if (Array.isArray(list)) schema[keyword] = withoutRepetition(list)
  }
  // Claude Code reads `{}` as `false`.
  if (isEmpty(schema.additionalProperties)) schema.additionalProperties = true
  if (saysNothingOfNames(schema.propertyNames)) delete schema.propertyNames
  if (schema.unevaluatedItems === undefined) withItems(schema)
}

const isEmpty = (value: Value) => isJsonObject(value) && Object.keys(value).length === 0

/** Every name is a string. */
const saysNothingOfNames = (names: Value) =>
  names === true ||
  (isJsonObject(names) &&
    Object.keys(names).every((key) => key === 'type' && names[key] === 'string'))

function withoutRepetition(list: readonly JsonValue[]): readonly JsonValue[] {
  const known = new Map(list.map((value) => [JSON.stringify(value), value]))
  return known.size === list.length ? list : [...known.values()]
}

/** Describes the items of an array by an object, which hosts require. `{}` permits each value. */
function withItems(schema: Keywords): void {
  const { type, items, prefixItems, maxItems } = schema
  const isArray = [type].flat().includes('array') || Array.isArray(prefixItems)
  if (Array.isArray(items) || (!isArray && items === undefined) || isJsonObject(items)) return
  if (items === false) {
    const length = Array.isArray(prefixItems) ? prefixItems.length : 0
    schema.maxItems = typeof maxItems === 'number' ? Math.min(maxItems, length) : length
  }
  schema.items = {}
}

/** Writes a tuple as 2020-12 does. */
const currentTuple: Rule = (schema) => {
  const { items, additionalItems } = schema
  if (!Array.isArray(items)) return
  omit(schema, ['items', 'additionalItems'])
  if (items.length > 0) schema.prefixItems = items
  if (additionalItems !== undefined) schema.items = additionalItems
}

/**
 * What the validators of two libraries decide differently: the flags of an expression, formats, the remainder of
 * decimals. Without it, an exclusion or a condition would exclude more.
 */
const DECIDED_BY_SERVER = [
  ...['pattern', 'format', 'multipleOf', 'not', 'if', 'then', 'else'],
  ...['contains', 'minContains', 'maxContains', 'unevaluatedItems', 'unevaluatedProperties'],
  // A model does not send it.
  'default',
]

const accepting: Rule = (schema) => {
  withoutPatterns(schema, () => false)
  const { oneOf, anyOf, allOf, minLength, prefixItems, items } = schema
  omit(schema, DECIDED_BY_SERVER)
  if (Array.isArray(oneOf)) {
    delete schema.oneOf
    if (anyOf === undefined) schema.anyOf = oneOf
    else schema.allOf = [...(Array.isArray(allOf) ? allOf : []), { anyOf: oneOf }]
  }
  // Schema libraries count UTF-16 code units, of which a character has at most two.
  if (typeof minLength === 'number') schema.minLength = Math.ceil(minLength / 2)
  // A client of draft-07 reads no `prefixItems`, and applies `items` to all of them.
  if (Array.isArray(prefixItems) && items !== undefined && items !== false) schema.items = {}
}

function omit(schema: Keywords, keywords: readonly string[]): void {
  for (const keyword of keywords) delete schema[keyword]
}

const inOrder =
  (...rules: readonly Rule[]): Rule =>
  (schema) => {
    for (const rule of rules) rule(schema)
  }

const OLDER = { input: portable, output: inOrder(accepting, portable) }
const CURRENT = {
  input: inOrder(currentTuple, OLDER.input),
  output: inOrder(currentTuple, OLDER.output),
}

/** By the rule. Parts that schemas share, such as definitions of OpenAPI, stay shared. */
const published = new WeakMap<Rule, WeakMap<object, JsonSchema>>()

/** Applies a rule to each subschema, the innermost first. */
function applyRule(root: JsonSchema, rule: Rule): JsonSchema {
  const known = published.get(rule) ?? new WeakMap<object, JsonSchema>()
  published.set(rule, known)
  const visit = (at: Value): Value => {
    if (!isJsonObject(at)) return at
    const result =
      known.get(at) ??
      changed(at, (schema) => {
        for (const [keyword, value] of Object.entries(schema)) {
          schema[keyword] = changeSubschemas(keyword, value, visit)
        }
        rule(schema)
      })
    known.set(at, result)
    return result
  }
  return visit(root) as JsonSchema
}

/** Not those of an exclusion and a condition: without an expression, they would match more. */
function changeSubschemas(keyword: string, value: Value, change: (at: Value) => Value): Value {
  if (keyword === 'not' || keyword === 'if') return value
  if (SCHEMA_MAP_KEYWORDS.has(keyword) && isJsonObject(value)) {
    return changed(value, (members) => {
      for (const [name, member] of Object.entries(value)) members[name] = change(member)
    })
  }
  if (SCHEMA_ARRAY_KEYWORDS.has(keyword) && Array.isArray(value)) {
    const items = value.map(change)
    return items.some((item, index) => item !== value[index]) ? (items as JsonValue[]) : value
  }
  return SCHEMA_KEYWORDS.has(keyword) ? change(value) : value
}

/** Returns a changed copy, or the same object where the copy has the same members. */
function changed(object: JsonSchema, change: (copy: Keywords) => void): JsonSchema {
  const copy: Keywords = Object.assign(Object.create(null), object)
  change(copy)
  const names = Object.keys(copy)
  const isSame =
    names.length === Object.keys(object).length &&
    names.every((name) => copy[name] === object[name])
  return isSame ? object : Object.fromEntries(Object.entries(copy))
}
