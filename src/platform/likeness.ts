/** Finds names that are like one which does not exist. */

/** The names that are most like another, the nearest first. */
export function nearestNames(names: Iterable<string>, wanted: string, count: number): string[] {
  const scored = Array.from(names, (name) => ({ name, score: likeness(name, wanted) }))
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, count)
    .map(({ name }) => name)
}

/** The pairs of characters that both have, as a share of all (Dice), whatever their case: 1 for the same name. */
function likeness(name: string, other: string): number {
  const left = new Map<string, number>()
  const pairs = pairsOf(name)
  for (const pair of pairs) left.set(pair, (left.get(pair) ?? 0) + 1)
  const others = pairsOf(other)
  let common = 0
  for (const pair of others) {
    const count = left.get(pair) ?? 0
    if (count === 0) continue
    left.set(pair, count - 1)
    common++
  }
  return (2 * common) / (pairs.length + others.length)
}

function pairsOf(text: string): string[] {
  const plain = ` ${text.toLowerCase()}`
  return Array.from({ length: plain.length - 1 }, (_, at) => plain.slice(at, at + 2))
}
