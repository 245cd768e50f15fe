/** What one alternative of a schema demands, as a value that can be combined with another and compared. */
import { canonicalText } from '../../../../../src/protocol/canonical-json.ts'
import type { Place } from './place.ts'

export const JSON_TYPES = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const
export type JsonType = (typeof JSON_TYPES)[number]

export interface Bound {
  readonly value: number
  /** Whether the value itself is excluded. */
  readonly isOpen: boolean
}

/** The keywords of one schema object that say which schema an item has. */
export interface ItemsRule {
  readonly tuple: readonly Place[]
  /** Undefined: any. */
  readonly rest: Place | undefined
}

/** The keywords of one schema object that say which schema a member has. */
export interface MembersRule {
  readonly properties: ReadonlyMap<string, Place>
  readonly patterns: ReadonlyMap<string, Place>
  /** Undefined: any, and the author has not said so. */
  readonly others: Place | undefined
}

export interface Constraints {
  readonly types: ReadonlySet<JsonType>
  /** Whether its numbers are integers. */
  readonly isInteger: boolean
  /** The only values, by their canonical text. */
  readonly values: ReadonlyMap<string, unknown> | undefined
  readonly low: Bound | undefined
  readonly high: Bound | undefined
  readonly multiples: readonly number[]
  /** Smallest and largest length of a text, of an array, and number of members. */
  readonly lengths: readonly [number, number]
  readonly counts: readonly [number, number]
  readonly sizes: readonly [number, number]
  /** Such as `pattern ^a` and `format email`. */
  readonly texts: ReadonlySet<string>
  readonly isUnique: boolean
  readonly items: readonly ItemsRule[]
  readonly members: readonly MembersRule[]
  readonly required: ReadonlySet<string>
  /** `propertyNames`. */
  readonly names: readonly Place[]
  /** Keywords that are only found equal or not: their text, and their name for a message. */
  readonly opaque: ReadonlyMap<string, string>
}

const ANY_COUNT = [0, Number.POSITIVE_INFINITY] as const

export const ANYTHING: Constraints = {
  types: new Set(JSON_TYPES),
  isInteger: false,
  values: undefined,
  low: undefined,
  high: undefined,
  multiples: [],
  lengths: ANY_COUNT,
  counts: ANY_COUNT,
  sizes: ANY_COUNT,
  texts: new Set(),
  isUnique: false,
  items: [],
  members: [],
  required: new Set(),
  names: [],
  opaque: new Map(),
}

/** Both at once; undefined when no type is left. */
export function combine(a: Constraints, b: Constraints): Constraints | undefined {
  const types = new Set([...a.types].filter((type) => b.types.has(type)))
  if (types.size === 0) return undefined
  return {
    types,
    isInteger: a.isInteger || b.isInteger,
    values: commonValues(a.values, b.values),
    low: stricter(a.low, b.low, (x, y) => x > y),
    high: stricter(a.high, b.high, (x, y) => x < y),
    multiples: [...a.multiples, ...b.multiples],
    lengths: commonRange(a.lengths, b.lengths),
    counts: commonRange(a.counts, b.counts),
    sizes: commonRange(a.sizes, b.sizes),
    texts: new Set([...a.texts, ...b.texts]),
    isUnique: a.isUnique || b.isUnique,
    items: [...a.items, ...b.items],
    members: [...a.members, ...b.members],
    required: new Set([...a.required, ...b.required]),
    names: [...a.names, ...b.names],
    opaque: new Map([...a.opaque, ...b.opaque]),
  }
}

function commonValues(a: Constraints['values'], b: Constraints['values']): Constraints['values'] {
  if (a === undefined || b === undefined) return a ?? b
  return new Map([...a].filter(([text]) => b.has(text)))
}

export const valuesOf = (values: readonly unknown[]): ReadonlyMap<string, unknown> =>
  new Map(values.map((value) => [canonicalText(value), value]))

function stricter(
  a: Bound | undefined,
  b: Bound | undefined,
  isStricter: (x: number, y: number) => boolean,
): Bound | undefined {
  if (a === undefined || b === undefined) return a ?? b
  if (a.value === b.value) return a.isOpen ? a : b
  return isStricter(a.value, b.value) ? a : b
}

const commonRange = (a: readonly [number, number], b: readonly [number, number]) =>
  [Math.max(a[0], b[0]), Math.min(a[1], b[1])] as const
