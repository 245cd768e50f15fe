/** Which mutants a run plants: the same for the same seed and the same source. */
import type { Mutant, MutantKind } from './mutants.ts'
import { createRandom, type Random } from './random.ts'

export interface SourceFile {
  readonly path: string
  /** Lines that are neither empty nor comments. */
  readonly lines: number
  readonly mutants: readonly Mutant[]
}

/** How often a kind is drawn: boundaries are rare in the source, and often make no difference. */
const WEIGHTS: Readonly<Record<MutantKind, number>> = {
  condition: 35,
  return: 25,
  statement: 25,
  boundary: 15,
}

/** The room of a file: the folder below `src`, `durable-objects` or `packages`, or that folder itself. */
export function roomOf(path: string): string {
  const [top = '', folder = '', ...rest] = path.split('/')
  return rest.length === 0 ? top : `${top}/${folder}`
}

/** Counts the lines of a source that are neither empty nor comments. */
export function countCodeLines(source: string): number {
  const withoutComments = source.replaceAll(/^\s*\/\*[\s\S]*?\*\//gm, '')
  return withoutComments.split('\n').filter((line) => !/^\s*(?:\/\/.*)?$/.test(line)).length
}

/** Chooses `count` mutants, spread over the rooms by their lines, at most one on a line. */
export function chooseMutants(
  files: readonly SourceFile[],
  count: number,
  seed: number,
): readonly Mutant[] {
  const rooms = Map.groupBy(files, ({ path }) => roomOf(path))
  const names = [...rooms.keys()].sort()
  const shares = shareOut(
    count,
    names.map((name) => sum((rooms.get(name) ?? []).map(({ lines }) => lines))),
  )
  return names.flatMap((name, index) => {
    const candidates = (rooms.get(name) ?? []).flatMap(({ mutants }) => mutants)
    return draw(candidates, shares[index] ?? 0, createRandom(`${seed} ${name}`))
  })
}

/** Divides a number in proportion to weights, by the largest remainders. */
export function shareOut(count: number, weights: readonly number[]): readonly number[] {
  const total = sum(weights)
  if (total === 0) return weights.map(() => 0)
  const exact = weights.map((weight) => (count * weight) / total)
  const shares = exact.map(Math.floor)
  const byRemainder = exact
    .map((value, index) => ({ index, remainder: value - Math.floor(value) }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index)
  for (const { index } of byRemainder.slice(0, count - sum(shares))) {
    shares[index] = (shares[index] ?? 0) + 1
  }
  return shares
}

function draw(candidates: readonly Mutant[], count: number, random: Random): readonly Mutant[] {
  const remaining = Map.groupBy(candidates, ({ kind }) => kind)
  const lines = new Set<string>()
  const drawn: Mutant[] = []
  while (drawn.length < count) {
    const kind = random.pick([...remaining.keys()].map((name) => [name, WEIGHTS[name]] as const))
    const mutants = kind === undefined ? [] : (remaining.get(kind) ?? [])
    if (kind === undefined) break
    const [mutant] = mutants.splice(random.below(mutants.length), 1)
    if (mutants.length === 0) remaining.delete(kind)
    if (mutant === undefined) continue
    const line = `${mutant.file}:${mutant.line}`
    if (lines.has(line)) continue
    lines.add(line)
    drawn.push(mutant)
  }
  return drawn
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)
