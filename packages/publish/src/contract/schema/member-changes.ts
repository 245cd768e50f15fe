/** The changes of the members of objects and of the items of arrays. */
import type { JsonObject } from '../../../../../src/protocol/json.ts'
import type { Compare } from './compare-places.ts'
import { type Finding, finding, memberAt, notCompared } from './finding.ts'
import { isNothing, type Place, placeIn } from './place.ts'
import { haveSameText, isAnything } from './schema-text.ts'

interface Members {
  readonly properties: ReadonlyMap<string, Place>
  readonly patterns: Place
  /** Undefined: any, and the author has not said so. */
  readonly others: Place | undefined
  readonly required: readonly string[]
}

function membersOf(place: Place): Members {
  const { properties, patternProperties, additionalProperties, required } =
    place.schema as JsonObject
  const entries = Object.entries(properties ?? {})
  return {
    properties: new Map(entries.map(([name, one]) => [name, placeIn(place, one)])),
    patterns: placeIn(place, { patternProperties: patternProperties ?? {} }),
    others: additionalProperties === undefined ? undefined : placeIn(place, additionalProperties),
    required: Array.isArray(required) ? required.map(String) : [],
  }
}

const MATCHED = 'cannot be compared: its name matches a pattern of "patternProperties"'

/** @param isNamed whether another committed schema of the same object may say which value a member has */
export function objectChanges(
  compare: Compare,
  before: Place,
  after: Place,
  at: string,
  isNamed: (name: string) => boolean,
): readonly Finding[] {
  const [old, now] = [membersOf(before), membersOf(after)]
  if (!haveSameText(old.patterns, now.patterns)) return [notCompared(at, 'patternProperties')]
  const patterns = Object.keys((old.patterns.schema as JsonObject).patternProperties ?? {})
  const any = placeIn(before, true)
  const [were, are] = [old.others ?? any, now.others ?? any]

  const memberChanges = (name: string): readonly Finding[] => {
    const [was, is] = [old.properties.get(name), now.properties.get(name)]
    const place = memberAt(at, name)
    if (was !== undefined && is !== undefined) return compare(was, is, place)
    if (patterns.some((pattern) => new RegExp(pattern, 'u').test(name))) {
      return [finding('keyword', 'incompatible', place, MATCHED)]
    }
    if (was !== undefined) {
      const isRemoved = (isNothing(are) || isAnything(are)) && !isNothing(was)
      return isRemoved ? [finding('removed', 'incompatible', place)] : compare(was, are, place)
    }
    if (is === undefined) return []
    if (isNothing(were)) return isNothing(is) ? [] : [finding('added', 'wider', place)]
    // A schema that says nothing of other members is no promise to accept them under every name: otherwise no
    // optional argument could ever be added.
    const isPromised = old.others !== undefined || old.required.includes(name) || isNamed(name)
    if (isPromised || isNothing(is)) return compare(were, is, place)
    return [finding('added', 'compatible', place)]
  }

  const required = (some: Members, others: Members, effect: 'narrower' | 'wider') =>
    some.required
      .filter((name) => !others.required.includes(name))
      .map((name) => finding('required', effect, memberAt(at, name)))
  const isClosed = isNothing(are)
  const names = new Set([...old.properties.keys(), ...now.properties.keys()])
  return [
    ...required(now, old, 'narrower'),
    ...required(old, now, 'wider'),
    ...[...names].flatMap(memberChanges),
    ...(isClosed === isNothing(were)
      ? compare(were, are, memberAt(at, '*'))
      : [finding('others', isClosed ? 'narrower' : 'wider', at)]),
  ]
}

/** Before 2020-12 a tuple is `items`, and its rest `additionalItems`. */
function itemsOf(place: Place): { readonly tuple: readonly Place[]; readonly rest: Place } {
  const { items, prefixItems, additionalItems } = place.schema as JsonObject
  const [tuple, rest] = Array.isArray(items) ? [items, additionalItems] : [prefixItems, items]
  const places = Array.isArray(tuple) ? tuple.map((one) => placeIn(place, one)) : []
  return { tuple: places, rest: placeIn(place, rest ?? true) }
}

export function arrayChanges(
  compare: Compare,
  before: Place,
  after: Place,
  at: string,
): readonly Finding[] {
  const [old, now] = [itemsOf(before), itemsOf(after)]
  const { length } = old.tuple.length > now.tuple.length ? old.tuple : now.tuple
  const tuple = Array.from({ length }, (_, index) =>
    compare(old.tuple[index] ?? old.rest, now.tuple[index] ?? now.rest, `${at}[${index}]`),
  )
  return [...tuple.flat(), ...compare(old.rest, now.rest, `${at}[]`)]
}
