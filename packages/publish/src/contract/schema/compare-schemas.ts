/** Compares two versions of a schema: what breaks, what is added, and which texts differ. */
import { canonicalText } from '../../../../../src/protocol/canonical-json.ts'
import type { JsonSchema } from '../../../../../src/protocol/content.ts'
import { changedAnnotations } from './annotations.ts'
import { obstaclesBetween, type Rules } from './inclusion.ts'
import type { Obstacle } from './obstacle.ts'
import { obstacleText, type Role } from './obstacle-text.ts'
import { type Place, rootPlace } from './place.ts'

/** `input`: clients send the values. `output`: clients read them. */
export type Direction = 'input' | 'output'

export interface SchemaChange {
  readonly kind: 'breaking' | 'additive' | 'textual'
  /** The place in the value, such as `filter.tags[]`; empty for the whole. */
  readonly at: string
  /** A sentence without a subject. */
  readonly text: string
}

/**
 * A change is breaking when a value that was correct may be refused: an argument that clients send, or a result that
 * they read by the old schema. It is breaking too when the comparison cannot decide.
 */
export function compareSchemas(
  before: JsonSchema,
  after: JsonSchema,
  direction: Direction,
): readonly SchemaChange[] {
  if (canonicalText(before) === canonicalText(after)) return []
  let places: readonly [Place, Place]
  try {
    places = [rootPlace(before), rootPlace(after)]
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return [{ kind: 'breaking', at: '', text: `cannot be compared: ${error.message}` }]
  }
  const [old, now] = places
  const isInput = direction === 'input'
  const keepsNamesOf = isInput ? 'sender' : 'receiver'
  const between = (sender: Place, receiver: Place, rules: Partial<Rules> = {}) =>
    obstaclesBetween(sender, receiver, { keepsNamesOf, sendsNamedOnly: false, ...rules })
  const breaking = isInput ? between(old, now, { sendsNamedOnly: true }) : between(now, old)
  const widened = isInput ? between(now, old) : between(old, now)
  const broken = new Set(breaking.map(({ at }) => at))
  const additive = widened.filter(({ at }) => !broken.has(at))
  const changes = [
    ...changesOf('breaking', breaking, direction),
    ...changesOf('additive', additive, direction),
    ...changedAnnotations(before, after).map(
      ({ at, text }): SchemaChange => ({ kind: 'textual', at, text }),
    ),
  ]
  if (changes.length > 0) return changes
  return [
    { kind: 'textual', at: '', text: 'is written in another way and accepts the same values' },
  ]
}

function changesOf(
  kind: 'breaking' | 'additive',
  obstacles: readonly Obstacle[],
  direction: Direction,
): readonly SchemaChange[] {
  const role: Role = `${kind}-${direction}`
  const all = withTypesTogether(withoutInner(obstacles))
  const changes = all.map((one) => ({ kind, at: one.at, text: obstacleText(one, role) }))
  // Alternatives often have the same obstacle.
  return [...new Map(changes.map((one) => [`${one.at}\n${one.text}`, one])).values()]
}

/** What is new or removed needs no description of its type. */
function withoutInner(obstacles: readonly Obstacle[]): readonly Obstacle[] {
  const whole = obstacles.filter(({ code }) => code === 'removed').map(({ at }) => at)
  const isInner = ({ code, at }: Obstacle) =>
    code !== 'removed' &&
    whole.some(
      (outer) => at === outer || (at.startsWith(outer) && /^[.[]/.test(at.slice(outer.length))),
    )
  return obstacles.filter((one) => !isInner(one))
}

/** One obstacle for all types of a place. */
function withTypesTogether(obstacles: readonly Obstacle[]): readonly Obstacle[] {
  const typesAt = (at: string) =>
    obstacles.flatMap((one) => (one.code === 'type' && one.at === at ? (one.sent ?? []) : []))
  return obstacles.map((one) =>
    one.code === 'type' ? { ...one, sent: [...new Set(typesAt(one.at))].join(', ') } : one,
  )
}
