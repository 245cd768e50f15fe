/**
 * Reads a schema as a list of alternatives of one type each. References, unions and lists of types have one form
 * afterwards, however they were written.
 */
import { canonicalText } from '../../../../../src/protocol/canonical-json.ts'
import { isJsonObject, type JsonObject } from '../../../../../src/protocol/json.ts'
import { assertionsOfType, JSON_TYPES, type JsonType, ownAssertions } from './keywords.ts'
import { isNothing, isReferenceAlone, isValidAt, type Place, placeIn, targetsOf } from './place.ts'

export interface Alternative {
  readonly type: JsonType
  /** Its schema has no reference: what it refers to is in `allOf`. */
  readonly place: Place
  /** All its values, when they can be listed. */
  readonly values?: readonly unknown[]
}

/** A keyword instead, when it prevents the reading: such a schema is only found equal or different. */
export type Alternatives = readonly Alternative[] | string

/** References that share a target can multiply alternatives without bound. */
const MAX_ALTERNATIVES = 1000

const known = new WeakMap<object, Alternatives>()

/** @throws {RangeError} for a schema with too many alternatives */
export function alternativesOf(place: Place): Alternatives {
  const { schema } = place
  if (isNothing(place)) return []
  if (!isJsonObject(schema)) return alternativesOf(placeIn(place, {}))
  const alternatives = known.get(schema) ?? readAlternatives(place, schema)
  if (alternatives.length > MAX_ALTERNATIVES) throw new RangeError('it has too many alternatives')
  known.set(schema, alternatives)
  return alternatives
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Their meaning depends on all keywords beside them. */
const UNEVALUATED = ['unevaluatedProperties', 'unevaluatedItems']

function readAlternatives(place: Place, whole: JsonObject): Alternatives {
  const schema = isReferenceAlone(place) ? {} : whole
  const unevaluated = UNEVALUATED.find((keyword) => schema[keyword] !== undefined)
  if (unevaluated !== undefined) return unevaluated
  const own = ownAssertions(schema)
  const all = [...targetsOf(place), ...listOf(schema.allOf)]
  const unions = ['anyOf', 'oneOf'].filter((keyword) => Array.isArray(schema[keyword]))
  if (Object.keys(own).length === 0 && all.length + unions.length === 1) {
    const [keyword] = unions
    return keyword === undefined
      ? alternativesOf(placeIn(place, all[0]))
      : unionOf(place, keyword, listOf(schema[keyword]))
  }
  const composition = unions.map((keyword) => [keyword, schema[keyword]])
  const parts = { ...Object.fromEntries(composition), ...(all.length > 0 && { allOf: all }) }
  return splitByType(place, { ...own, ...parts })
}

function unionOf(place: Place, keyword: string, all: readonly unknown[]): Alternatives {
  const lists: (readonly Alternative[])[] = []
  for (const one of all) {
    const list = alternativesOf(placeIn(place, one))
    if (typeof list === 'string') return list
    lists.push(list)
  }
  // A value that matches two schemas of oneOf is invalid. That can be ignored when no value can match two.
  const areApart = lists.every((list, at) =>
    lists.slice(at + 1).every((other) => list.every((a) => other.every((b) => isApart(a, b)))),
  )
  return keyword === 'oneOf' && !areApart ? keyword : lists.flat()
}

function splitByType(place: Place, schema: JsonObject): readonly Alternative[] {
  const named: readonly unknown[] = schema.type === undefined ? JSON_TYPES : [schema.type].flat()
  const parts = listOf(schema.allOf).map((one) => alternativesOf(placeIn(place, one)))
  const isPossible = (type: JsonType) =>
    parts.every((part) => typeof part === 'string' || part.some((one) => one.type === type))
  const listed = listedValues(schema)
  const few: Partial<Record<JsonType, readonly unknown[]>> = {
    null: [null],
    boolean: [false, true],
  }
  const types = JSON_TYPES.filter(
    (type) => named.includes(type) || (type === 'number' && named.includes('integer')),
  )
  return types.filter(isPossible).flatMap((type): readonly Alternative[] => {
    const own = { type, place: placeIn(place, assertionsOfType(schema, type)) }
    const values = listed?.filter((value) => typeOf(value) === type) ?? few[type]
    if (values === undefined) return [own]
    const valid = values.filter((value) => isValidAt(place, value))
    return valid.length === 0 ? [] : [{ ...own, values: valid }]
  })
}

function listedValues(schema: JsonObject): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema.const]
  return Array.isArray(schema.enum) ? schema.enum : undefined
}

export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : (typeof value as JsonType)
}

/** Whether no value matches both, as in a discriminated union. In doubt a value may. */
function isApart(a: Alternative, b: Alternative): boolean {
  if (a.type !== b.type) return true
  if (a.values !== undefined && b.values !== undefined) {
    const texts = a.values.map(canonicalText)
    return !b.values.some((value) => texts.includes(canonicalText(value)))
  }
  const constants = constantsOf(b)
  return [...constantsOf(a)].some(([name, text]) => (constants.get(name) ?? text) !== text)
}

/** The required members of an object that have one value, by its text: they tell the alternatives of a union apart. */
export function constantsOf({ type, place }: Alternative): ReadonlyMap<string, string> {
  const { properties, required } = place.schema as JsonObject
  const members = Object.entries(type === 'object' ? (properties ?? {}) : {})
  const own = members.filter(([name]) => listOf(required).includes(name))
  return new Map(
    own.flatMap(([name, member]) => {
      const [target = member] = targetsOf(placeIn(place, member))
      const values = isJsonObject(target) ? listedValues(target) : undefined
      return values?.length === 1 ? [[name, canonicalText(values[0])]] : []
    }),
  )
}
