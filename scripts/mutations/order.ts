/** In which order the test files of a mutant run: those that should find it first, in groups that become larger. */

/** Divides test files that are in order into groups, the first of which are small. */
export function inGroups(files: readonly string[]): readonly (readonly string[])[] {
  const groups: (readonly string[])[] = []
  let start = 0
  for (let size = 6; start < files.length; size *= 2) {
    groups.push(files.slice(start, start + size))
    start += size
  }
  return groups
}

/** How many files have names that are near enough to run before all others. */
const NEAREST = 8

/** Words that many paths have. */
const COMMON = ['src', 'test', 'ts', 'tsx', 'features', 'index']

/**
 * Divides test files of which it is not known what they run into those whose names share the most words with a
 * source file, and the others.
 */
export function nearestFirst(
  files: readonly string[],
  source: string,
): readonly (readonly string[])[] {
  const words = wordsOf(source)
  const near = files
    .map((file) => ({ file, shared: [...wordsOf(file)].filter((word) => words.has(word)).length }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared)
    .slice(0, NEAREST)
    .map(({ file }) => file)
  const others = files.filter((file) => !near.includes(file))
  return [near, others].filter((group) => group.length > 0)
}

function wordsOf(path: string): ReadonlySet<string> {
  const words = path.toLowerCase().split(/[^a-z0-9]+/)
  return new Set(words.filter((word) => word !== '' && !COMMON.includes(word)))
}
