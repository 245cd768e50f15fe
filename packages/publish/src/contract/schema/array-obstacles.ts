/** Arrays: what the receiver demands of their length and items, and the sender does not guarantee. */
import type { Constraints } from './constraints.ts'
import type { Comparison } from './inclusion.ts'
import type { Obstacle } from './obstacle.ts'
import type { Place } from './place.ts'
import { rangeObstacles } from './scalar-obstacles.ts'

export function arrayObstacles(
  comparison: Comparison,
  sender: Constraints,
  receiver: Constraints,
  at: string,
): readonly Obstacle[] {
  const [, longest] = sender.counts
  const found = [...rangeObstacles(sender.counts, receiver.counts, 'Items', at)]
  if (receiver.isUnique && !sender.isUnique && longest > 1) {
    found.push({ code: 'keyword', at, keyword: 'uniqueItems', received: 'true' })
  }
  const tuple = Math.max(
    0,
    ...[...sender.items, ...receiver.items].map(({ tuple: items }) => items.length),
  )
  for (let index = 0; index < tuple && index < longest; index++) {
    found.push(...itemObstacles(comparison, sender, receiver, index, `${at}[${index}]`))
  }
  if (longest > tuple) {
    found.push(...itemObstacles(comparison, sender, receiver, tuple, `${at}[]`))
  }
  return found
}

function itemObstacles(
  { includes }: Comparison,
  sender: Constraints,
  receiver: Constraints,
  index: number,
  at: string,
): readonly Obstacle[] {
  const found = includes(itemPlaces(sender, index), itemPlaces(receiver, index), at)
  return found.map((one) =>
    one.code === 'closed' && one.at === at ? { ...one, code: 'open' } : one,
  )
}

const itemPlaces = ({ items }: Constraints, index: number): readonly Place[] =>
  items.flatMap(({ tuple, rest }) => tuple[index] ?? rest ?? [])
