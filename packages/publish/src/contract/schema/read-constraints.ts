/** Reads the constraints of one schema object from its own keywords, without its alternatives and references. */
import { isJsonObject, type JsonObject } from '../../../../../src/protocol/json.ts'
import {
  ANYTHING,
  type Bound,
  type Constraints,
  type ItemsRule,
  JSON_TYPES,
  type JsonType,
  type MembersRule,
  valuesOf,
} from './constraints.ts'
import { OPAQUE_GROUPS, UNEVALUATED } from './keywords.ts'
import { type Place, placeIn } from './place.ts'
import { schemaText } from './schema-text.ts'

type Mutable = { -readonly [Name in keyof Constraints]: Constraints[Name] }

/** @throws {RangeError} when a keyword that can only be found equal is too large for that */
export function readConstraints(place: Place, schema: JsonObject): Constraints {
  const found: Mutable = { ...ANYTHING, ...typesOf(schema.type) }
  const values = [
    ...(Array.isArray(schema.enum) ? [schema.enum] : []),
    ...(Object.hasOwn(schema, 'const') ? [[schema.const]] : []),
  ].map(valuesOf)
  const [first, second] = values
  if (first !== undefined) {
    found.values =
      second === undefined ? first : new Map([...first].filter(([text]) => second.has(text)))
  }
  readNumbers(schema, found)
  found.lengths = rangeOf(schema.minLength, schema.maxLength)
  found.counts = rangeOf(schema.minItems, schema.maxItems)
  found.sizes = rangeOf(schema.minProperties, schema.maxProperties)
  const texts = (['pattern', 'format', 'contentEncoding', 'contentMediaType'] as const).flatMap(
    (keyword) => (typeof schema[keyword] === 'string' ? `${keyword} ${schema[keyword]}` : []),
  )
  found.texts = new Set(texts)
  found.isUnique = schema.uniqueItems === true
  found.items = itemsOf(place, schema)
  found.members = membersOf(place, schema)
  if (Array.isArray(schema.required)) found.required = new Set(schema.required.map(String))
  if (schema.propertyNames !== undefined) found.names = [placeIn(place, schema.propertyNames)]
  found.opaque = opaqueOf(place, schema)
  return found
}

function typesOf(type: unknown): Pick<Constraints, 'types' | 'isInteger'> {
  if (type === undefined) return { types: ANYTHING.types, isInteger: false }
  const named = [type].flat()
  const isInteger = named.includes('integer') && !named.includes('number')
  const types = JSON_TYPES.filter(
    (one) => named.includes(one) || (one === 'number' && named.includes('integer')),
  )
  return { types: new Set<JsonType>(types), isInteger }
}

function readNumbers(schema: JsonObject, found: Mutable): void {
  const bound = (
    closed: unknown,
    open: unknown,
    isOpenStricter: (a: number, b: number) => boolean,
  ) =>
    [
      ...(typeof closed === 'number' ? [{ value: closed, isOpen: false }] : []),
      ...(typeof open === 'number' ? [{ value: open, isOpen: true }] : []),
    ].reduce<Bound | undefined>(
      (best, one) => (best === undefined || isOpenStricter(one.value, best.value) ? one : best),
      undefined,
    )
  found.low = bound(schema.minimum, schema.exclusiveMinimum, (a, b) => a >= b)
  found.high = bound(schema.maximum, schema.exclusiveMaximum, (a, b) => a <= b)
  if (typeof schema.multipleOf === 'number') found.multiples = [schema.multipleOf]
}

function rangeOf(low: unknown, high: unknown): readonly [number, number] {
  return [
    typeof low === 'number' ? low : 0,
    typeof high === 'number' ? high : Number.POSITIVE_INFINITY,
  ]
}

/** Before 2020-12 the tuple is `items`, and the rest `additionalItems`. */
function itemsOf(place: Place, schema: JsonObject): readonly ItemsRule[] {
  const { items, prefixItems, additionalItems } = schema
  const tuple = Array.isArray(items) ? items : Array.isArray(prefixItems) ? prefixItems : []
  const rest = Array.isArray(items) ? additionalItems : items
  if (tuple.length === 0 && rest === undefined) return []
  return [
    {
      tuple: tuple.map((item) => placeIn(place, item)),
      rest: rest === undefined ? undefined : placeIn(place, rest),
    },
  ]
}

function membersOf(place: Place, schema: JsonObject): readonly MembersRule[] {
  const { properties, patternProperties, additionalProperties } = schema
  const places = (map: unknown) =>
    new Map(
      Object.entries(isJsonObject(map) ? map : {}).map(([name, one]) => [
        name,
        placeIn(place, one),
      ]),
    )
  const others = additionalProperties ?? onlyEvaluated(schema)
  const rule = {
    properties: places(properties),
    patterns: places(patternProperties),
    others: others === undefined ? undefined : placeIn(place, others),
  }
  const isEmpty = rule.properties.size === 0 && rule.patterns.size === 0 && others === undefined
  return isEmpty ? [] : [rule]
}

const IN_PLACE = [
  ...['allOf', 'anyOf', 'oneOf', 'if', '$ref', '$dynamicRef', '$recursiveRef'],
  ...['dependentSchemas', 'dependencies'],
]

/** Beside no keyword that evaluates members, `unevaluatedProperties` is `additionalProperties`. */
function onlyEvaluated(schema: JsonObject): unknown {
  const isAlone = IN_PLACE.every((keyword) => schema[keyword] === undefined)
  return isAlone ? schema.unevaluatedProperties : undefined
}

function opaqueOf(place: Place, schema: JsonObject): ReadonlyMap<string, string> {
  // `nullable: false` is what every schema without it says.
  const says = (keyword: string) =>
    schema[keyword] !== undefined && !(keyword === 'nullable' && schema[keyword] === false)
  const groups = OPAQUE_GROUPS.filter(([keyword = '']) => says(keyword)).map((group) => {
    const members = group.filter((keyword) => schema[keyword] !== undefined)
    const own = Object.fromEntries(members.map((keyword) => [keyword, schema[keyword]]))
    return [own, group[0] ?? ''] as const
  })
  const left = UNEVALUATED.filter(
    (keyword) =>
      schema[keyword] !== undefined &&
      !(keyword === 'unevaluatedProperties' && onlyEvaluated(schema) !== undefined),
  )
  const all = [...groups, ...left.map((keyword) => [schema, keyword] as const)]
  return new Map(all.map(([own, name]) => [opaqueText(placeIn(place, own)), name]))
}

/** @throws {RangeError} when it is too large */
export function opaqueText(place: Place): string {
  const text = schemaText(place)
  if (text === undefined) throw new RangeError('too large')
  return text
}
