/**
 * Converts schemas of a description to JSON Schema 2020-12. A schema behind a reference becomes one
 * definition, which every tool that needs it shares; recursion stays a reference.
 *
 * @see https://spec.openapis.org/oas/v3.0.4#schema-object
 */
import type { JsonSchema } from '../../../../src/protocol/content.ts'
import { isJsonObject, type JsonValue } from '../../../../src/protocol/json.ts'
import { KEYWORD_CHECKS } from '../../../../src/server/schema/keywords.ts'
import { compilePattern } from '../../../../src/server/schema/pattern.ts'
import { withoutPatterns } from '../../../../src/server/schema/published.ts'
import { descriptionError, member } from '../document/description-error.ts'
import type { Located, LocatedObject, OpenAPIDocument } from '../document/document.ts'
import { toArgumentName, uniqueName } from '../document/tool-names.ts'
import { repairValues } from './contradictions.ts'
import { listOf } from './core-schema.ts'
import { discriminate } from './discriminator.ts'
import { hiddenProperties, type SchemaSide } from './hidden-properties.ts'
import { partOf } from './inheritance.ts'
import { allowNull, translateVersion30 } from './version-30.ts'

/** Maximum nesting of schemas without a reference between them. */
const MAX_DEPTH = 48

/** A converted schema that others refer to. */
export interface SchemaDefinition {
  readonly name: string
  schema: JsonSchema | boolean
  /** The definitions that it refers to. */
  readonly uses: Set<SchemaDefinition>
}

export interface ConvertedSchema {
  readonly schema: JsonSchema | boolean
  /** The definitions that it refers to; they refer to others. */
  readonly uses: ReadonlySet<SchemaDefinition>
}

/** Keywords that are copied if their value is well-formed. Custom keywords and `$id` are left out. */
const COPIED = [
  'type',
  'enum',
  'const',
  'title',
  'description',
  'default',
  'format',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
  'contentEncoding',
  'contentMediaType',
] as const

/** A response may have more than the description says, and other texts. */
const INPUT_ONLY: ReadonlySet<string> = new Set(['format', 'pattern', 'default'])

const SCHEMA_KEYWORDS = [
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
] as const

const MAP_KEYWORDS = ['properties', 'patternProperties', 'dependentSchemas'] as const

export class SchemaConverter {
  readonly #document: OpenAPIDocument
  readonly #side: SchemaSide
  readonly #definitions = new Map<object, SchemaDefinition>()
  readonly #bases = new Map<object, Located>()
  readonly #names = new Set<string>()
  /** Converts the definitions that are known only by name. */
  readonly #pending: (() => void)[] = []

  constructor(document: OpenAPIDocument, side: SchemaSide) {
    this.#document = document
    this.#side = side
  }

  /** @throws {DescriptionError} for a schema that is not one, and for a reference that leads nowhere */
  convert(located: Located): ConvertedSchema {
    const uses = new Set<SchemaDefinition>()
    const schema = this.#convert(located, uses, 0)
    // Not by recursion: a chain of references may be longer than the stack.
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) next()
    return { schema, uses }
  }

  #convert(
    { value: source, place }: Located,
    uses: Set<SchemaDefinition>,
    depth: number,
    isPart = false,
  ): JsonSchema | boolean {
    if (typeof source === 'boolean') return source
    if (source === null) return {}
    if (!isJsonObject(source)) throw descriptionError('it is not a schema', place)
    if (depth > MAX_DEPTH) {
      throw descriptionError(
        `schemas are nested deeper than ${MAX_DEPTH}; give the description with its references, not dereferenced`,
        place,
      )
    }
    const { $ref } = source
    if (typeof $ref !== 'string') {
      const value = isPart ? partOf(this.#document, source) : source
      return this.#keywords({ value, place }, uses, depth)
    }
    const target = this.#document.target($ref, place)
    const definition = this.#define(isPart ? this.#baseOf(target) : target)
    uses.add(definition)
    const reference = { $ref: `#/$defs/${definition.name}` }
    // 3.0 ignores the siblings of a reference. A description does no harm.
    const { description } = source
    if (!this.#document.isVersion30) {
      const { $ref: _, ...siblings } = source
      return { ...this.#keywords({ value: siblings, place }, uses, depth), ...reference }
    }
    return typeof description === 'string' ? { ...reference, description } : reference
  }

  /** Returns what a part of `allOf` refers to: the schema, or its base. */
  #baseOf(located: Located): Located {
    const { value, place } = located
    if (!isJsonObject(value)) return located
    const known = this.#bases.get(value)
    if (known !== undefined) return known
    const part = partOf(this.#document, value)
    const named = member(place?.parent, `${place?.token}_base`)
    const base = part === value ? located : { value: part, place: named }
    this.#bases.set(value, base)
    return base
  }

  /** Returns the definition of a schema. One definition serves all references to it. */
  #define({ value, place }: Located): SchemaDefinition {
    const key = typeof value === 'object' && value !== null ? value : { value }
    const known = this.#definitions.get(key)
    if (known !== undefined) return known
    const name = uniqueName(toArgumentName(place?.token ?? 'schema'), (one) => this.#names.has(one))
    this.#names.add(name)
    const definition: SchemaDefinition = { name, schema: true, uses: new Set() }
    this.#definitions.set(key, definition)
    this.#pending.push(() => {
      definition.schema = this.#convert({ value, place }, definition.uses, 0)
    })
    return definition
  }

  #keywords(
    { value: written, place }: LocatedObject,
    uses: Set<SchemaDefinition>,
    depth: number,
  ): JsonSchema {
    const source = repairValues(this.#document.isVersion30 ? translateVersion30(written) : written)
    const keep = (at: unknown, ...tokens: (string | number)[]) =>
      this.#convert(
        { value: at, place: tokens.reduce(member, place) },
        uses,
        depth + 1,
        tokens[0] === 'allOf',
      )
    const members: [string, JsonValue][] = []
    for (const keyword of COPIED) {
      const value = source[keyword]
      if (value === undefined || (this.#side === 'output' && INPUT_ONLY.has(keyword))) continue
      if (isWellFormed(keyword, value)) members.push([keyword, value])
    }
    if (source.deprecated === true) members.push(['deprecated', true])
    if (Array.isArray(source.examples)) members.push(['examples', source.examples])
    const parts = listOf(source.allOf)
    for (const keyword of SCHEMA_KEYWORDS) {
      const value = source[keyword]
      if (value === undefined) continue
      // It would forbid the properties of the parts.
      if (keyword === 'additionalProperties' && value === false && parts.length > 0) continue
      if (this.#side === 'output' && keyword.endsWith('Properties') && value === false) continue
      members.push([keyword, keep(value, keyword)])
    }
    const hidden = hiddenProperties(this.#document, { value: source, place }, this.#side)
    for (const keyword of MAP_KEYWORDS) {
      const value = source[keyword]
      if (!isJsonObject(value)) continue
      const entries = this.#document
        .entries(value, member(place, keyword))
        .filter(([name]) => keyword !== 'properties' || !hidden.has(name))
      const kept = entries.map(([name, at]) => [name, this.#convert(at, uses, depth + 1)] as const)
      members.push([keyword, Object.fromEntries(kept)])
    }
    if (Array.isArray(source.required)) {
      const required = source.required.filter(
        (name) => typeof name === 'string' && !hidden.has(name),
      )
      if (required.length > 0) members.push(['required', [...new Set(required)]])
    }
    const { items, prefixItems } = source
    // An array of schemas is the older spelling of prefixItems.
    const tuple = Array.isArray(items) ? items : prefixItems
    const tupleKeyword = Array.isArray(items) ? 'items' : 'prefixItems'
    if (Array.isArray(tuple) && tuple.length > 0) {
      members.push(['prefixItems', tuple.map((at, index) => keep(at, tupleKeyword, index))])
    }
    if (items !== undefined && !Array.isArray(items)) members.push(['items', keep(items, 'items')])
    const allOf = parts.map((at, index) => withoutRequired(keep(at, 'allOf', index), hidden))
    const [anyOf = [], oneOf = []] = (['anyOf', 'oneOf'] as const).map((keyword) => {
      const converted = listOf(source[keyword]).map((at, index) => keep(at, keyword, index))
      return this.#side === 'output'
        ? converted
        : discriminate(source, listOf(source[keyword]), converted)
    })
    if (anyOf.length > 0 && oneOf.length > 0) allOf.push({ anyOf: oneOf })
    if (allOf.length > 0) members.push(['allOf', allOf])
    // The alternatives of a description often overlap, which oneOf forbids: the API decides.
    const either = anyOf.length > 0 ? anyOf : oneOf
    if (either.length > 0) members.push(['anyOf', either])
    const schema = Object.fromEntries(members)
    withoutPatterns(schema, (pattern) => compilePattern(pattern) !== undefined)
    return this.#document.isVersion30 && written.nullable === true ? allowNull(schema) : schema
  }
}

function isWellFormed(keyword: string, value: JsonValue): boolean {
  if (keyword.startsWith('content')) return typeof value === 'string'
  // No value is one of none.
  if (keyword === 'enum' && Array.isArray(value) && value.length === 0) return false
  return KEYWORD_CHECKS[keyword]?.test(value) !== false
}

/** A part of `allOf` may require a property that another part hides. */
function withoutRequired(
  part: JsonSchema | boolean,
  hidden: ReadonlySet<string>,
): JsonSchema | boolean {
  if (typeof part === 'boolean' || hidden.size === 0 || !Array.isArray(part.required)) return part
  const { required, ...rest } = part
  const kept = (required as readonly string[]).filter((name) => !hidden.has(name))
  return kept.length === 0 ? rest : { ...rest, required: kept }
}
