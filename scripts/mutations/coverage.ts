/** Which test files run a line of the source, as one run of the tests has recorded it. */
import type { Mutant } from './mutants.ts'

/** For each source file, the lines that each test file runs. */
export interface Coverage {
  /** Test files, as `workers:test/….test.ts`. */
  readonly tests: readonly string[]
  /** By source file: pairs of an index of `tests` and the lines that it runs, one bit for each, in base64. */
  readonly files: Readonly<Record<string, readonly (readonly [test: number, lines: string])[]>>
  /** How many lines each test file runs. */
  readonly sizes: readonly number[]
}

/**
 * The test files that run the line of a mutant, those that run the least besides it first: they are the tests of
 * its unit, and the quickest. Test files that run its file, but not its line, are not among them.
 */
export function coveringTests(
  coverage: Coverage,
  { file, line, statementLine }: Pick<Mutant, 'file' | 'line' | 'statementLine'>,
): readonly string[] {
  const covering = (coverage.files[file] ?? []).filter(([, lines]) => {
    const bits = Buffer.from(lines, 'base64')
    for (let at = statementLine; at <= line; at++) if (hasBit(bits, at)) return true
    return false
  })
  const size = ([test]: readonly [number, string]) => coverage.sizes[test] ?? 0
  return covering
    .toSorted((a, b) => size(a) - size(b) || a[0] - b[0])
    .flatMap(([test]) => coverage.tests[test] ?? [])
}

export function encodeLines(lines: Iterable<number>): string {
  const bits: number[] = []
  for (const line of lines) bits[line >> 3] = (bits[line >> 3] ?? 0) | (1 << (line & 7))
  return Buffer.from(Uint8Array.from(bits, (byte) => byte ?? 0)).toString('base64')
}

const hasBit = (bits: Buffer, line: number): boolean =>
  ((bits[line >> 3] ?? 0) & (1 << (line & 7))) !== 0
