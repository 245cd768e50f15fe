/**
 * Writes a schema as alternatives without alternatives: each has one type, or is a list of single values. `anyOf`,
 * `allOf`, `oneOf`, references and lists of types are gone afterwards.
 */
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { ANYTHING, type Constraints, combine, JSON_TYPES, type JsonType } from './constraints.ts'
import { areDisjoint } from './disjoint.ts'
import { isNothing, isReferenceAlone, isValidAt, type Place, placeIn, targetsOf } from './place.ts'
import { opaqueText, readConstraints } from './read-constraints.ts'

/** An alternative of one type. */
export interface Branch {
  readonly type: JsonType
  readonly constraints: Constraints
  /** All its values, when they can be listed. */
  readonly values?: readonly unknown[]
}

/** Alternatives within alternatives multiply. */
const MAX_ALTERNATIVES = 1000

/** A range of integers that is not longer is a list of values. */
const MAX_LISTED_RANGE = 32

/**
 * The alternatives of a value that is valid at every place. Each allows at least what it stands for: a value of
 * `oneOf` may match several.
 *
 * @throws {RangeError} for a schema with too many alternatives
 */
export function branchesOf(places: readonly Place[]): readonly Branch[] {
  const alternatives = product(places.map(alternativesOf))
  return alternatives.flatMap((constraints) => splitByType(constraints, places))
}

function alternativesOf(place: Place): readonly Constraints[] {
  const { schema } = place
  if (isNothing(schema)) return []
  if (!isJsonObject(schema)) return [ANYTHING]
  const targets = targetsOf(place).map((target) => alternativesOf(placeIn(place, target)))
  if (isReferenceAlone(place)) return product(targets)
  const { allOf, anyOf, oneOf } = schema
  const each = (list: unknown) =>
    (Array.isArray(list) ? list : []).map((one) => alternativesOf(placeIn(place, one)))
  return product([
    [readConstraints(place, schema)],
    ...targets,
    ...each(allOf),
    ...(Array.isArray(anyOf) ? [each(anyOf).flat()] : []),
    ...(Array.isArray(oneOf) ? [exactlyOne(place, oneOf, each(oneOf))] : []),
  ])
}

function product(lists: readonly (readonly Constraints[])[]): readonly Constraints[] {
  let all: readonly Constraints[] = [ANYTHING]
  for (const list of lists) {
    if (all.length * list.length > MAX_ALTERNATIVES) throw new RangeError('too many alternatives')
    all = all.flatMap((one) => list.flatMap((other) => combine(one, other) ?? []))
  }
  return all
}

/** A value that matches two alternatives is excluded. That is of no interest when no value can match two. */
function exactlyOne(
  place: Place,
  oneOf: readonly unknown[],
  alternatives: readonly (readonly Constraints[])[],
): readonly Constraints[] {
  const split = oneOf.map((one, at) =>
    (alternatives[at] ?? []).flatMap((constraints) =>
      splitByType(constraints, [placeIn(place, one)]),
    ),
  )
  const areApart = split.every((one, at) =>
    split.slice(at + 1).every((other) => one.every((a) => other.every((b) => areDisjoint(a, b)))),
  )
  if (areApart) return alternatives.flat()
  const text = opaqueText(placeIn(place, { oneOf }))
  const whole: Constraints = { ...ANYTHING, opaque: new Map([[text, 'oneOf']]) }
  return product([alternatives.flat(), [whole]])
}

/** @param places of which it is an alternative: they decide which single values are valid */
function splitByType(constraints: Constraints, places: readonly Place[]): readonly Branch[] {
  return JSON_TYPES.filter((type) => constraints.types.has(type)).flatMap((type) => {
    const listed = listValues(type, constraints)
    if (listed === undefined) return isEmpty(type, constraints) ? [] : [{ type, constraints }]
    const values = listed.filter((value) => isValidAt(places, value))
    return values.length === 0 ? [] : [{ type, constraints, values }]
  })
}

export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : (typeof value as JsonType)
}

function listValues(type: JsonType, constraints: Constraints): readonly unknown[] | undefined {
  const { values } = constraints
  if (values !== undefined) return [...values.values()].filter((value) => typeOf(value) === type)
  if (type === 'null') return [null]
  return type === 'boolean' ? [false, true] : undefined
}

/** The integers of a short range; undefined for any other alternative. */
export function rangeValues({ type, constraints }: Branch): readonly number[] | undefined {
  const { low, high, isInteger } = constraints
  if (type !== 'number' || !isInteger || low === undefined || high === undefined) return undefined
  const first = Math.ceil(low.value)
  const count = Math.floor(high.value) - first + 1
  if (!(count <= MAX_LISTED_RANGE) || !Number.isSafeInteger(first)) return undefined
  return Array.from({ length: Math.max(0, count) }, (_, at) => first + at)
}

/** Whether no value of the type is possible. */
function isEmpty(type: JsonType, { low, high, lengths, counts, sizes }: Constraints): boolean {
  const isNothing = ([least, most]: readonly [number, number]) => least > most
  switch (type) {
    case 'number':
      return (
        low !== undefined &&
        high !== undefined &&
        (low.value > high.value || (low.value === high.value && (low.isOpen || high.isOpen)))
      )
    case 'string':
      return isNothing(lengths)
    case 'array':
      return isNothing(counts)
    case 'object':
      return isNothing(sizes)
    default:
      return false
  }
}
