/** Objects: what the receiver demands of their members, and the sender does not guarantee. */
import type { Constraints } from './constraints.ts'
import type { Comparison } from './inclusion.ts'
import { isDescribed, isForbidden, memberPlaces } from './members.ts'
import { memberAt, type Obstacle } from './obstacle.ts'
import { isNothing, isValidAt, type Place, placeIn } from './place.ts'
import { rangeObstacles } from './scalar-obstacles.ts'

/** @param declared the members that any alternative of the sender names */
export function objectObstacles(
  comparison: Comparison,
  sender: Constraints,
  receiver: Constraints,
  declared: ReadonlySet<string>,
  at: string,
): readonly Obstacle[] {
  const removed = removedMembers(comparison, sender, receiver)
  const missing = [...receiver.required].filter(
    (name) => !sender.required.has(name) && !removed.includes(name),
  )
  return [
    ...removed.map((name): Obstacle => ({ code: 'removed', at: memberAt(at, name) })),
    ...missing.map((name): Obstacle => ({ code: 'missing', at: memberAt(at, name) })),
    ...rangeObstacles(sizesOf(sender), receiver.sizes, 'Properties', at),
    ...namedObstacles(comparison, sender, receiver, declared, at).filter(
      (one) => !(one.code === 'closed' && removed.some((name) => memberAt(at, name) === one.at)),
    ),
    ...patternObstacles(comparison, sender, receiver, at),
    ...otherObstacles(comparison, sender, receiver, at),
    ...nameObstacles(comparison, sender, receiver, at),
  ]
}

function removedMembers(
  { rules }: Comparison,
  sender: Constraints,
  receiver: Constraints,
): readonly string[] {
  const [keeper, other] = rules.keepsNamesOf === 'sender' ? [sender, receiver] : [receiver, sender]
  return namesOf(keeper).filter(
    (name) =>
      !isForbidden(memberPlaces(keeper, name)) &&
      (!isDescribed(other, name) || isForbidden(memberPlaces(other, name))),
  )
}

const namesOf = ({ members }: Constraints): readonly string[] => [
  ...new Set(members.flatMap(({ properties }) => [...properties.keys()])),
]

/** The number of members that the other keywords allow. */
function sizesOf(sender: Constraints): readonly [number, number] {
  const named = closedNames(sender)?.length ?? Number.POSITIVE_INFINITY
  return [Math.max(sender.sizes[0], sender.required.size), Math.min(sender.sizes[1], named)]
}

/** All members that are possible; undefined when other names are. */
function closedNames({ members, ...rest }: Constraints): readonly string[] | undefined {
  const rule = members.find((one) => isClosed(one) && one.patterns.size === 0)
  if (rule === undefined) return undefined
  const all = { ...rest, members }
  return [...rule.properties.keys()].filter((name) => !isForbidden(memberPlaces(all, name)))
}

function namedObstacles(
  { rules, includes }: Comparison,
  sender: Constraints,
  receiver: Constraints,
  declared: ReadonlySet<string>,
  at: string,
): readonly Obstacle[] {
  const names = [...namesOf(sender), ...namesOf(receiver), ...sender.required]
  return [...new Set(names)].flatMap((name) => {
    const isSent =
      !rules.sendsNamedOnly ||
      declared.has(name) ||
      sender.required.has(name) ||
      isDescribed(sender, name)
    return isSent
      ? includes(memberPlaces(sender, name), memberPlaces(receiver, name), memberAt(at, name))
      : []
  })
}

/** Members whose names match a pattern. */
function patternObstacles(
  { rules, includes }: Comparison,
  sender: Constraints,
  receiver: Constraints,
  at: string,
): readonly Obstacle[] {
  const place = memberAt(at, '*')
  const found: Obstacle[] = []
  for (const { patterns } of receiver.members) {
    for (const [pattern, received] of patterns) {
      if (sender.members.some((rule) => isClosed(rule) && rule.patterns.size === 0)) continue
      const sent = sender.members.flatMap((rule) => rule.patterns.get(pattern) ?? othersOf(rule))
      const isSent = sent.length > 0 || sender.members.some(({ patterns: own }) => own.size > 0)
      if (rules.sendsNamedOnly && !isSent) continue
      found.push(...includes(sent, [received], place))
    }
  }
  for (const { patterns } of sender.members) {
    for (const [pattern, sent] of patterns) {
      const others = receiver.members.flatMap((rule) =>
        rule.patterns.has(pattern) ? [] : (rule.others ?? []),
      )
      found.push(...includes([sent], others, place))
    }
  }
  return found
}

type Rule = Constraints['members'][number]

const isClosed = ({ others }: Rule) => others !== undefined && isNothing(others.schema)

/** The schema of a member that no property and no pattern names. With patterns, one of them may apply instead. */
const othersOf = ({ others, patterns }: Rule): readonly Place[] =>
  others === undefined || patterns.size > 0 ? [] : [others]

/** Members that no property and no pattern names. */
function otherObstacles(
  { includes }: Comparison,
  sender: Constraints,
  receiver: Constraints,
  at: string,
): readonly Obstacle[] {
  const sent = sender.members.flatMap(({ others }) => others ?? [])
  if (isForbidden(sent)) return []
  const place = memberAt(at, '*')
  return receiver.members.flatMap(({ others }) =>
    others === undefined
      ? []
      : includes(sent, [others], place).map((one) =>
          one.code === 'closed' && one.at === place ? ({ ...one, code: 'open', at } as const) : one,
        ),
  )
}

/** `propertyNames`. */
function nameObstacles(
  { includes }: Comparison,
  sender: Constraints,
  receiver: Constraints,
  at: string,
): readonly Obstacle[] {
  const [first] = receiver.names
  if (first === undefined) return []
  const names = closedNames(sender)
  if (names !== undefined) {
    const wrong = names.filter((name) => !isValidAt(receiver.names, name))
    return wrong.map((name) => ({ code: 'closed', at: memberAt(at, name) }))
  }
  const texts = placeIn(first, { type: 'string' })
  const found = includes([texts, ...sender.names], receiver.names, at)
  return found.length === 0
    ? []
    : [{ code: 'keyword', at, keyword: 'propertyNames', isUndecided: true }]
}
