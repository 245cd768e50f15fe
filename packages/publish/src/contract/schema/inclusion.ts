/**
 * Whether every value that one schema allows, the sender's, is allowed by another, the receiver's. The answer is the
 * list of what is in the way. An empty list is a proof; a doubt is in the list.
 */
import { arrayObstacles } from './array-obstacles.ts'
import { type Branch, branchesOf, rangeValues, typeOf } from './branches.ts'
import { combine } from './constraints.ts'
import { areDisjoint } from './disjoint.ts'
import { memberPlaces, namedValues } from './members.ts'
import { objectObstacles } from './object-obstacles.ts'
import type { Obstacle } from './obstacle.ts'
import { isValidAt, type Place, placeIn } from './place.ts'
import { numberObstacles, opaqueObstacles, textObstacles } from './scalar-obstacles.ts'
import { schemaText } from './schema-text.ts'

/** What counts beyond the values that are allowed. */
export interface Rules {
  /** Whose members a change must not lose: those that the sender names (arguments), or the receiver (results). */
  readonly keepsNamesOf: 'sender' | 'receiver'
  /** Whether a sender sends only the members that its schema names, unless it says which others it allows. */
  readonly sendsNamedOnly: boolean
}

/** One comparison. Its obstacles are those of the values that both sides have in common at `at`. */
export interface Comparison {
  readonly rules: Rules
  includes(sender: readonly Place[], receiver: readonly Place[], at: string): readonly Obstacle[]
}

/** Schemas that need more comparisons are too large. */
const MAX_COMPARISONS = 20_000
/** Of values within values. */
const MAX_DEPTH = 64

export function obstaclesBetween(
  sender: Place,
  receiver: Place,
  rules: Rules,
): readonly Obstacle[] {
  const keyOf = placeKeys()
  const open = new Set<string>()
  let count = 0
  const comparison: Comparison = {
    rules,
    includes(sent, received, at) {
      if (received.length === 0 || areEqual(sent, received)) return []
      const key = `${keyOf(sent)}|${keyOf(received)}`
      // A value is finite, so a recursive schema is proved by assuming what it leads back to.
      if (open.has(key)) return []
      if (++count > MAX_COMPARISONS || open.size > MAX_DEPTH) throw new RangeError('too large')
      open.add(key)
      try {
        return compareBranches(comparison, sent, received, at)
      } finally {
        open.delete(key)
      }
    },
  }
  try {
    return comparison.includes([sender], [receiver], '')
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const undecided = {
      code: 'unknown',
      at: '',
      sent: 'it is too large',
      isUndecided: true,
    } as const
    return [undecided]
  }
}

function compareBranches(
  comparison: Comparison,
  sent: readonly Place[],
  received: readonly Place[],
  at: string,
): readonly Obstacle[] {
  const senders = branchesOf(sent)
  const receivers = branchesOf(received)
  if (senders.length === 0) return []
  if (receivers.length === 0) return [{ code: 'closed', at }]
  const declared = new Set(
    senders.flatMap(({ constraints }) =>
      constraints.members.flatMap(({ properties }) => [...properties.keys()]),
    ),
  )
  const rejected = senders.flatMap(({ values = [] }) =>
    values.filter((value) => !isValidAt(received, value)),
  )
  const others = senders.filter(
    (one) =>
      one.values === undefined &&
      rangeValues(one)?.every((value) => isValidAt(received, value)) !== true,
  )
  return [
    ...nullableObstacles(senders, receivers, at),
    ...valueObstacles(rejected, receivers, at),
    ...others.flatMap((branch) => branchObstacles(comparison, branch, receivers, declared, at)),
  ]
}

/** Validators that know the keyword `nullable` of OpenAPI accept null by it, and all others ignore it. */
function nullableObstacles(
  senders: readonly Branch[],
  receivers: readonly Branch[],
  at: string,
): readonly Obstacle[] {
  const isNullable = (branches: readonly Branch[]) =>
    branches.some(({ constraints }) => [...constraints.opaque.values()].includes('nullable'))
  if (isNullable(senders) === isNullable(receivers)) return []
  return [{ code: 'unknown', at, keyword: 'nullable', isUndecided: true }]
}

function valueObstacles(
  rejected: readonly unknown[],
  receivers: readonly Branch[],
  at: string,
): readonly Obstacle[] {
  const types = new Set(receivers.map(({ type }) => type))
  const lostTypes = [...new Set(rejected.map(typeOf))].filter((type) => !types.has(type))
  const values = rejected.filter((value) => types.has(typeOf(value)))
  return [
    ...lostTypes.map((type): Obstacle => ({ code: 'type', at, sent: type })),
    ...(values.length === 0
      ? []
      : [
          {
            code: 'values',
            at,
            sent: values.map((value) => JSON.stringify(value)).join(', '),
          } as const,
        ]),
  ]
}

/** An alternative of the sender must be within one of the receiver's. */
function branchObstacles(
  comparison: Comparison,
  sender: Branch,
  receivers: readonly Branch[],
  declared: ReadonlySet<string>,
  at: string,
): readonly Obstacle[] {
  const { type } = sender
  const sameType = receivers.filter((one) => one.type === type)
  if (sameType.length === 0) return [{ code: 'type', at, sent: typeName(sender) }]
  const open = sameType.filter(({ values }) => values === undefined)
  if (open.length === 0) {
    const values = sameType.flatMap(({ values = [] }) => values)
    return [{ code: 'choices', at, received: values.map((one) => JSON.stringify(one)).join(', ') }]
  }
  const [only, ...others] = open
  const isOnly = only !== undefined && others.length === 0
  const candidates = isOnly ? open : open.filter((one) => !areDisjoint(sender, one))
  if (candidates.length === 0) return [{ code: 'alternative', at }]
  const found = candidates.map((one) => pairObstacles(comparison, sender, one, declared, at))
  const best = found.reduce((a, b) => (b.length < a.length ? b : a))
  if (best.length === 0 || candidates.length === 1) return best
  const parts = splitByMember(sender)
  if (parts.length > 1) {
    return parts.flatMap((part) => branchObstacles(comparison, part, receivers, declared, at))
  }
  // Together, several alternatives may still allow what none of them does alone.
  return best.map((one) => ({ ...one, isUndecided: true }))
}

const typeName = ({ type, constraints }: Branch) =>
  type === 'number' && constraints.isInteger ? 'integer' : type

function pairObstacles(
  comparison: Comparison,
  { type, constraints: sender }: Branch,
  { constraints: receiver }: Branch,
  declared: ReadonlySet<string>,
  at: string,
): readonly Obstacle[] {
  const own = () => {
    switch (type) {
      case 'number':
        return numberObstacles(sender, receiver, at)
      case 'string':
        return textObstacles(sender, receiver, at)
      case 'array':
        return arrayObstacles(comparison, sender, receiver, at)
      case 'object':
        return objectObstacles(comparison, sender, receiver, declared, at)
      default:
        return []
    }
  }
  return [...own(), ...opaqueObstacles(sender, receiver, at)]
}

/** A discriminator with more values is not split. */
const MAX_PARTS = 32

/** An object with a required member of few values, as one alternative for each value. */
function splitByMember(branch: Branch): readonly Branch[] {
  if (branch.type !== 'object') return []
  const { constraints } = branch
  for (const name of constraints.required) {
    const places = memberPlaces(constraints, name)
    const values = [...(namedValues(places) ?? [])]
    const [place] = places
    if (place === undefined || values.length < 2 || values.length > MAX_PARTS) continue
    return values.flatMap((text) => {
      const only = placeIn(place, { const: JSON.parse(text) })
      const rule = { properties: new Map([[name, only]]), patterns: new Map(), others: undefined }
      const part = combine(constraints, { ...constraints, members: [rule] })
      return part === undefined ? [] : [{ ...branch, constraints: part }]
    })
  }
  return []
}

function areEqual(sent: readonly Place[], received: readonly Place[]): boolean {
  // More places of the sender only narrow what it sends.
  const texts = new Set(sent.map(schemaText))
  return received.every((place) => {
    const text = schemaText(place)
    return text === 'true' || text === '{}' || (text !== undefined && texts.has(text))
  })
}

/** Names places by the identity of their schemas. */
function placeKeys(): (places: readonly Place[]) => string {
  const ids = new Map<unknown, number>()
  const idOf = (schema: unknown) => {
    const known = ids.get(schema) ?? ids.size
    ids.set(schema, known)
    return known
  }
  return (places) => places.map(({ schema }) => idOf(schema)).join(',')
}
