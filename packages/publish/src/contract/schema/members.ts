/** The schemas of a member of an object. */

import { canonicalText } from '../../../../../src/protocol/canonical-json.ts'
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { type Constraints, valuesOf } from './constraints.ts'
import { isNothing, isReferenceAlone, type Place, placeIn, targetsOf } from './place.ts'

/** All must be valid. None: the member may have any value. */
export function memberPlaces({ members }: Constraints, name: string): readonly Place[] {
  return members.flatMap(({ properties, patterns, others }) => {
    const own = properties.get(name)
    const matching = [...patterns].flatMap(([pattern, place]) =>
      new RegExp(pattern, 'u').test(name) ? place : [],
    )
    const known = own === undefined ? matching : [own, ...matching]
    return known.length > 0 || others === undefined ? known : [others]
  })
}

/** Whether a schema names the member, or says which others are allowed. */
export const isDescribed = (constraints: Constraints, name: string): boolean =>
  constraints.members.some(({ others }) => others !== undefined) ||
  memberPlaces(constraints, name).length > 0

export const isForbidden = (places: readonly Place[]): boolean =>
  places.some(({ schema }) => isNothing(schema))

/** How many references lead to a constant at most. */
const MAX_STEPS = 8

/** The single values that a schema names itself, as a discriminator does; undefined when it names none. */
export function namedValues(places: readonly Place[]): ReadonlySet<string> | undefined {
  const [first, ...others] = places.flatMap((place) => namedBy(place, MAX_STEPS))
  return first && new Set([...first].filter((text) => others.every((set) => set.has(text))))
}

function namedBy(place: Place, steps: number): readonly ReadonlySet<string>[] {
  const { schema } = place
  if (!isJsonObject(schema) || steps === 0) return []
  const referred = targetsOf(place).flatMap((target) => namedBy(placeIn(place, target), steps - 1))
  if (isReferenceAlone(place)) return referred
  return [
    ...(Array.isArray(schema.enum) ? [new Set(valuesOf(schema.enum).keys())] : []),
    ...(Object.hasOwn(schema, 'const') ? [new Set([canonicalText(schema.const)])] : []),
    ...referred,
  ]
}

/** The types that a schema names itself; undefined when it names none. */
export function namedTypes(places: readonly Place[]): ReadonlySet<unknown> | undefined {
  // One of the places is enough: the others only narrow it.
  const place = places.find(
    (one) => isJsonObject(one.schema) && one.schema.type !== undefined && !isReferenceAlone(one),
  )
  if (place === undefined) return undefined
  const { type } = place.schema as { readonly type: unknown }
  return new Set([type].flat().map((one) => (one === 'integer' ? 'number' : one)))
}
