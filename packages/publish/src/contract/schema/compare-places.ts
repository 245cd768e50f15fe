/**
 * Walks two versions of a schema together and names each change that it knows: what it makes narrower, and what it makes
 * wider. A change that no rule knows is `incompatible`. So a list without a narrower or incompatible change says that
 * every value of the old schema is one of the new schema.
 */
import type { JsonObject } from '../../../../../src/protocol/json.ts'
import { type Alternative, alternativesOf, constantsOf, typeOf } from './alternatives.ts'
import { type Finding, finding, notCompared } from './finding.ts'
import { keywordChanges } from './keyword-changes.ts'
import { arrayChanges, objectChanges } from './member-changes.ts'
import { isValidAt, type Place, placeIn } from './place.ts'
import { haveSameText } from './schema-text.ts'

export type Compare = (before: Place, after: Place, at: string) => readonly Finding[]

/** Schemas that need more comparisons are too large. */
const MAX_COMPARISONS = 20_000
/** Of values within values. */
const MAX_DEPTH = 64

/** Keywords with a second schema for the same value. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', 'dependencies']
/** Keywords with a second schema for the same member or item. */
const OVERLAPPING = ['contains', 'patternProperties']

export class SchemaComparison {
  readonly #isNamed: (name: string) => boolean
  readonly #ids = new Map<unknown, number>()
  readonly #open = new Set<string>()
  #count = 0

  /** @param isNamed whether the committed document says anywhere which value a member of that name has */
  constructor(isNamed: (name: string) => boolean) {
    this.#isNamed = isNamed
  }

  /**
   * @param isShared whether several committed schemas may apply to the value
   * @throws {RangeError} for schemas that are too large
   */
  compare(before: Place, after: Place, at: string, isShared: boolean): readonly Finding[] {
    if (haveSameText(before, after)) return []
    const key = `${this.#idOf(before)} ${this.#idOf(after)} ${isShared}`
    // A value is finite, so a recursive schema needs no second comparison within itself.
    if (this.#open.has(key)) return []
    if (++this.#count > MAX_COMPARISONS || this.#open.size > MAX_DEPTH) {
      throw new RangeError('it is too large')
    }
    this.#open.add(key)
    const found = this.#changes(before, after, at, isShared)
    this.#open.delete(key)
    return found
  }

  #idOf({ schema }: Place): number {
    const id = this.#ids.get(schema) ?? this.#ids.size
    this.#ids.set(schema, id)
    return id
  }

  #changes(before: Place, after: Place, at: string, isShared: boolean): readonly Finding[] {
    const [old, now] = [alternativesOf(before), alternativesOf(after)]
    if (typeof old === 'string') return [notCompared(at, old)]
    if (typeof now === 'string') return [notCompared(at, now)]
    const { pairs, some, others } = pairsOfAlternatives(old.filter(isOpen), now.filter(isOpen))
    const lost = valuesOf(old).filter((value) => !isValidAt(after, value))
    const won = valuesOf(now).filter((value) => !isValidAt(before, value))
    const isUnion = isShared || old.filter(({ type }) => type === 'object').length > 1
    return [
      ...(isNullable(old) === isNullable(now) ? [] : [notCompared(at, 'nullable')]),
      ...differingValues('narrower', lost, some, now, at),
      ...differingValues('wider', won, others, old, at),
      ...pairs.flatMap((pair) => this.#pairChanges(pair, at, isUnion)),
    ]
  }

  #pairChanges([{ type, place: before }, { place: after }]: Pair, at: string, isUnion: boolean) {
    const has = (keyword: string) => Object.hasOwn(before.schema as object, keyword)
    const isShared = isUnion || IN_PLACE.some(has)
    const areInnerShared = isShared || OVERLAPPING.some(has)
    const compare: Compare = (was, is, place) => this.compare(was, is, place, areInnerShared)
    const isNamed = (name: string) => isShared && this.#isNamed(name)
    return [
      ...(type === 'object' ? objectChanges(compare, before, after, at, isNamed) : []),
      ...keywordChanges(before, after, at),
      ...(type === 'array' ? arrayChanges(compare, before, after, at) : []),
      ...['allOf', 'anyOf', 'oneOf'].flatMap((one) => partChanges(compare, one, before, after, at)),
    ]
  }
}

/** Schemas that must match besides. It is enough to compare each with one of the other version. */
function partChanges(
  compare: Compare,
  keyword: string,
  before: Place,
  after: Place,
  at: string,
): readonly Finding[] {
  const [old = [], now = []] = [before, after].map((place) => {
    const value = (place.schema as JsonObject)[keyword]
    if (!Array.isArray(value)) return []
    const schemas = keyword === 'allOf' ? value : [{ [keyword]: value }]
    return schemas.map((schema) => placeIn(place, schema))
  })
  const same = pairsOf(old, now, haveSameText)
  const { pairs, some, others } = pairsOf(same.some, same.others, () => true)
  return [
    ...pairs.flatMap(([was, is]) => compare(was, is, at)),
    ...some.map(() => finding('keyword', 'wider', at, `has one "${keyword}" less`)),
    ...others.map(() => finding('keyword', 'narrower', at, `has one more "${keyword}"`)),
  ]
}

type Pair = readonly [before: Alternative, after: Alternative]

/** Pairs each with the first of the others that fits. `some` and `others` are those that are left. */
function pairsOf<Item>(
  some: readonly Item[],
  others: readonly Item[],
  fits: (a: Item, b: Item) => boolean,
) {
  const rest = [...others]
  const pairs: (readonly [Item, Item])[] = []
  const left = some.filter((one) => {
    const at = rest.findIndex((other) => fits(one, other))
    pairs.push(...(at === -1 ? [] : rest.splice(at, 1)).map((other) => [one, other] as const))
    return at === -1
  })
  return { pairs, some: left, others: rest }
}

/** Those that differ, by type and discriminator. */
function pairsOfAlternatives(some: readonly Alternative[], others: readonly Alternative[]) {
  const keyOf = (one: Alternative) => JSON.stringify([...constantsOf(one)].sort())
  const isLike = (a: Alternative, b: Alternative) =>
    a.type === b.type && (keyOf(a) === keyOf(b) || keyOf(a) === '[]' || keyOf(b) === '[]')
  const same = pairsOf(some, others, (a, b) => haveSameText(a.place, b.place))
  return pairsOf(same.some, same.others, isLike)
}

const isOpen = ({ values }: Alternative) => values === undefined
const valuesOf = (all: readonly Alternative[]) => all.flatMap(({ values = [] }) => values)
const isNullable = (all: readonly Alternative[]) =>
  all.some(({ place }) => (place.schema as JsonObject).nullable === true)

/**
 * @param values that only one version allows
 * @param left the alternatives to which the other version has none like it
 */
function differingValues(
  effect: 'narrower' | 'wider',
  values: readonly unknown[],
  left: readonly Alternative[],
  others: readonly Alternative[],
  at: string,
): readonly Finding[] {
  const like = (type: unknown) => others.filter((other) => other.type === type)
  const names = values.map((value) =>
    like(typeOf(value)).length === 0 ? typeOf(value) : JSON.stringify(value),
  )
  const types = left.filter(({ type }) => like(type).length === 0)
  names.push(...types.map(({ place }) => String((place.schema as JsonObject).type)))
  const all = [...new Set(names)].join(', ')
  return [
    ...(all === '' ? [] : [finding('values', effect, at, all)]),
    ...left
      .filter((one) => !types.includes(one))
      .map(({ type }) => {
        if (like(type).some(isOpen)) return finding('alternative', effect, at)
        const choices = valuesOf(like(type)).map((value) => JSON.stringify(value))
        return finding('choices', effect, at, choices.join(', '))
      }),
  ]
}
