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

/** The pairs of characters that both have, as a share of all (Dice). Case is ignored. 1 for the same name. */
function likeness(name: string, other: string): number {
  const own = pairsOf(name)
  const others = pairsOf(other)
  const common = [...own].filter((pair) => others.has(pair))
  return (2 * common.length) / (own.size + others.size)
}

/** With the beginning as a character, so that names with the same one are more alike. */
function pairsOf(name: string): Set<string> {
  const plain = ` ${name.toLowerCase()}`
  return new Set([...plain].map((_, at) => plain.slice(at, at + 2)))
}
