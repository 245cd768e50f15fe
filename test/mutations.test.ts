/** The parts of `npm run mutations` that need no tests to run: which mutants there are, and what results mean. */
import { describe, expect, it } from 'vitest'
import { chooseMutants, countCodeLines, roomOf, shareOut } from '../scripts/mutations/choose.ts'
import { coveringTests, encodeLines } from '../scripts/mutations/coverage.ts'
import { StoppedError, type TestFailure } from '../scripts/mutations/host-messages.ts'
import { type Mutant, mutantsOf, mutate } from '../scripts/mutations/mutants.ts'
import { inGroups, nearestFirst } from '../scripts/mutations/order.ts'
import { formatReport } from '../scripts/mutations/report.ts'
import { findStale } from '../scripts/mutations/results.ts'
import { projectsOf } from '../scripts/mutations/suite.ts'
import { configsOf } from '../scripts/mutations/types.ts'
import {
  counts,
  type MutantResult,
  type RunTests,
  remainingStages,
  searchTests,
} from '../scripts/mutations/verdict.ts'

const changesOf = (source: string, file = 'src/a.ts') =>
  mutantsOf(file, source).map(({ kind, before, after }) => [kind, before, after].join(' | '))

describe('the mutants of a source', () => {
  it('negate the tests of choices and exchange && and ||', () => {
    expect(changesOf('if (a && b) f(c ? d : e)')).toEqual([
      'condition | a && b | !(a && b)',
      'condition | && | ||',
      'statement | f(c ? d : e) | ;',
      'condition | c | !(c)',
    ])
  })

  it('move boundaries, also those of loops, whose tests are not negated', () => {
    expect(changesOf('while (a < b || c >= d) {}')).toEqual([
      'condition | || | &&',
      'boundary | < | <=',
      'boundary | >= | >',
    ])
  })

  it('replace what functions return', () => {
    const source = [
      'function f() { return true }',
      'const g = () => a === b',
      'const h = () => ({ a })',
      'function i() { return [a] }',
      'const j = () => 5',
    ]
    expect(changesOf(source.join('\n'))).toEqual([
      'return | true | false',
      'return | a === b | !(a === b)',
      'return | { a } | undefined as never',
      'return | [a] | []',
      'return | 5 | (5 + 1)',
    ])
  })

  it('remove statements and what is thrown, but not what makes a loop end', () => {
    expect(changesOf('a = b\nthrow a\nwhile (a) { c += 1; d() }')).toEqual([
      'statement | a = b | ;',
      'statement | throw a | ;',
      'statement | d() | ;',
    ])
  })

  it('leave types, texts, comments, directives and calls of super alone', () => {
    const source = [
      "'use strict'",
      'type A<T> = T extends string ? 1 : 2',
      'let b: (c: number) => boolean // a < b && c',
      "const text = () => 'Sign in again.'",
      'const other = () => `Hello $' + '{name}`',
      'class C extends D { constructor() { super() } }',
      'const e = f as A<string> /* a < b */',
    ]
    expect(changesOf(source.join('\n'))).toEqual([])
  })

  it('know their line and the line on which their statement begins', () => {
    const [mutant] = mutantsOf('src/a.ts', 'f()\nconst a =\n  b\n  < c').filter(
      ({ kind }) => kind === 'boundary',
    )
    expect(mutant).toMatchObject({ line: 4, statementLine: 2 })
  })

  it('are applied at their place', () => {
    const source = 'if (a < b) f()'
    expect(mutantsOf('src/a.ts', source).map((mutant) => mutate(source, mutant))).toEqual([
      'if (!(a < b)) f()',
      'if (a <= b) f()',
      'if (a < b) ;',
    ])
  })
})

describe('the choice of mutants', () => {
  const source = Array.from({ length: 40 }, (_, i) => `if (a${i} < b${i}) f${i}()`).join('\n')
  const file = (path: string, lines: number) => ({ path, lines, mutants: mutantsOf(path, source) })
  const files = [
    file('src/auth/a.ts', 60),
    file('src/auth/b.ts', 40),
    file('packages/cli/src/edgeway.ts', 100),
  ]

  it('is the same for the same seed, and another for another seed', () => {
    expect(chooseMutants(files, 10, 1)).toEqual(chooseMutants(files, 10, 1))
    expect(chooseMutants(files, 10, 1)).not.toEqual(chooseMutants(files, 10, 2))
  })

  it('is spread over the rooms by their lines, with one mutant on a line', () => {
    const chosen = chooseMutants(files, 10, 1)
    expect(chosen.map(({ file }) => roomOf(file)).sort()).toEqual([
      ...Array(5).fill('packages/cli'),
      ...Array(5).fill('src/auth'),
    ])
    expect(new Set(chosen.map(({ file, line }) => `${file}:${line}`)).size).toBe(10)
  })

  it('ends where there are no more mutants', () => {
    expect(chooseMutants([file('src/auth/a.ts', 1)], 1000, 1)).toHaveLength(40)
  })

  it('gives what remains of a division to the largest remainders', () => {
    expect(shareOut(10, [1, 1, 1])).toEqual([4, 3, 3])
    expect(shareOut(3, [10, 1, 5, 0])).toEqual([2, 0, 1, 0])
  })

  it('counts lines that are neither empty nor comments', () => {
    expect(countCodeLines('/** A\n * B */\n\nconst a = 1 // c\n// d\n  /* e */\nf()\n')).toBe(2)
  })
})

describe('the test files that run the line of a mutant', () => {
  const coverage = {
    tests: ['workers:test/all.test.ts', 'workers:test/unit.test.ts', 'node:test/other.test.ts'],
    sizes: [5000, 20, 300],
    files: {
      'src/a.ts': [
        [0, encodeLines([3, 40])],
        [1, encodeLines([40])],
        [2, encodeLines([3])],
      ] as const,
    },
  }

  it('are those that run it, the smallest first', () => {
    const mutant = { file: 'src/a.ts', line: 42, statementLine: 40 }
    expect(coveringTests(coverage, mutant)).toEqual([
      'workers:test/unit.test.ts',
      'workers:test/all.test.ts',
    ])
  })

  it('are none for a line that no test runs', () => {
    expect(coveringTests(coverage, { file: 'src/a.ts', line: 9, statementLine: 8 })).toEqual([])
    expect(coveringTests(coverage, { file: 'src/b.ts', line: 3, statementLine: 3 })).toEqual([])
  })

  it('are run in groups that become larger', () => {
    const files = Array.from({ length: 20 }, (_, i) => `${i}`)
    expect(inGroups(files).map((group) => group.length)).toEqual([6, 12, 2])
    expect(inGroups(files).flat()).toEqual(files)
  })
})

describe('the test files of which it is not known what they run', () => {
  it('run in two groups, of which the first has the names that are nearest to the source', () => {
    const files = ['doctor:test/doctor/tls.test.ts', 'doctor:test/doctor/sign-in.test.ts']
    const other = 'node:test/release.test.ts'
    expect(nearestFirst([other, ...files], 'packages/doctor/src/doctor/probes/sign-in.ts')).toEqual(
      [[files[1], files[0]], [other]],
    )
    expect(nearestFirst([other], 'packages/doctor/src/doctor/probes/sign-in.ts')).toEqual([[other]])
  })
})

describe('a failed test', () => {
  const failure = (
    message: string,
    title = 'answers 400',
    key = 'workers:test/auth/a.test.ts',
  ) => ({
    ...{ key, title, message },
  })
  const timeout = 'Test timed out in 60000ms.'

  it('counts by its assertion or its error', () => {
    expect(counts(failure('expected 1 to be 2'))).toBe(true)
    expect(counts(failure("Cannot read properties of undefined (reading 'id')"))).toBe(true)
  })

  it('counts by its timeout only where the test is about time', () => {
    expect(counts(failure(timeout))).toBe(false)
    expect(counts(failure('Hook timed out in 60000ms.'))).toBe(false)
    expect(counts(failure(timeout, 'ends a call after its deadline'))).toBe(true)
    expect(counts(failure(timeout, 'ends', 'workers:test/dispatch/timeouts.test.ts'))).toBe(true)
  })
})

describe('the search for a test that finds a mutant', () => {
  /** Runs files that fail with the mutant, or always, as often as their number says. */
  const runner = (withMutant: Record<string, string[]>, without: readonly string[] = []) => {
    const runs: string[][] = []
    const run: RunTests = async (files, isPlanted) => {
      runs.push([...files])
      const failures = files.flatMap((key): TestFailure[] => {
        const message = isPlanted ? withMutant[key]?.shift() : undefined
        if (message !== undefined) return [{ key, title: 'fails', message }]
        return !isPlanted && without.includes(key) ? [{ key, title: 'fails', message: 'no' }] : []
      })
      return { failures, errors: [] }
    }
    return { run, runs }
  }

  it('ends with a test that fails twice and passes without the mutant', async () => {
    const { run, runs } = runner({ b: ['no', 'no'] })
    const search = await searchTests([['a', 'b'], ['c']], run)
    expect(search.found).toMatchObject({ key: 'b', title: 'fails' })
    expect(runs).toEqual([['a', 'b'], ['b'], ['b']])
  })

  it('goes on after a test that fails once', async () => {
    const { run, runs } = runner({ b: ['no'] })
    expect(await searchTests([['a', 'b'], ['c']], run)).toEqual({ ignored: ['b > fails'] })
    expect(runs).toEqual([['a', 'b'], ['b'], ['a'], ['c']])
  })

  it('goes on after a test that fails without the mutant too', async () => {
    const { run } = runner({ b: ['no', 'no'] }, ['b'])
    expect(await searchTests([['b']], run)).toEqual({ ignored: ['b > fails'] })
  })

  it('repeats a failed test alone, and its whole file where it fails after others only', async () => {
    const tests: (string | undefined)[] = []
    let fails = 1
    const run: RunTests = async ([key = ''], isPlanted, test) => {
      tests.push(test)
      const hasFailed = isPlanted && (test === undefined || --fails < 0)
      const failure = { key, id: 'the-id', title: 'fails', message: 'no' }
      return { failures: hasFailed ? [failure] : [], errors: [] }
    }
    expect(await searchTests([['a']], run)).toMatchObject({ found: { key: 'a' } })
    expect(tests).toEqual([undefined, 'the-id', undefined, undefined])
    tests.length = 0
    expect(await searchTests([['a']], run)).toMatchObject({ found: { key: 'a' } })
    expect(tests).toEqual([undefined, 'the-id', 'the-id'])
  })

  it('goes on after a timeout, and runs the other files of the group', async () => {
    const { run, runs } = runner({ a: ['Test timed out in 5ms.'], b: ['no', 'no'] })
    const search = await searchTests([['a', 'b']], run)
    expect(search).toMatchObject({ found: { key: 'b' }, ignored: ['a > fails'] })
    expect(runs).toEqual([['a', 'b'], ['b'], ['b']])
  })

  it('runs the files of a process that ended early again in halves', async () => {
    const runs: (readonly string[])[] = []
    const run: RunTests = async (files, isPlanted) => {
      runs.push(files)
      if (files.includes('a')) throw new StoppedError('ended', true)
      const failure = { key: 'c', title: 'fails', message: 'no' }
      return { failures: isPlanted && files.includes('c') ? [failure] : [], errors: [] }
    }
    const search = await searchTests([['a', 'b', 'c']], run)
    expect(search).toMatchObject({ found: { key: 'c' }, ignored: ['ended'] })
    expect(runs).toEqual([['a', 'b', 'c'], ['a', 'b'], ['a'], ['b'], ['c'], ['c'], ['c']])
  })

  it('asks a survivor only what it has not been asked', () => {
    const wanted = ['types', 'test', 'test:long', 'against'] as const
    expect(remainingStages(undefined, wanted)).toEqual(wanted)
    expect(remainingStages({ asked: 'test' }, wanted)).toEqual(['test:long', 'against'])
    expect(remainingStages({ asked: 'test', foundBy: 'test' }, wanted)).toEqual([])
    expect(remainingStages({ asked: 'test' }, ['types', 'test'])).toEqual([])
  })
})

describe('the results of a run', () => {
  const [mutant] = mutantsOf('src/auth/a.ts', 'if (a) f()')
  const result = (id: number, changes: Partial<MutantResult>): MutantResult => ({
    ...(mutant as Mutant),
    ...{ id, seed: 1, asked: 'test', ignored: [], seconds: { types: 4, test: 2 }, ...changes },
  })

  it('belong to the mutants of the source as it was', () => {
    expect(findStale(new Map([[1, result(1, {})]]), [mutant as Mutant])).toBeUndefined()
    expect(findStale(new Map([[1, result(1, { start: 99 })]]), [mutant as Mutant])).toBe(1)
  })

  it('are printed by kind, by room and by what found them, with what nothing found', () => {
    const report = formatReport([
      result(1, { foundBy: 'types' }),
      result(2, { foundBy: 'test' }),
      result(3, { foundBy: 'against', asked: 'against' }),
      result(4, { asked: 'against', ignored: ['test/a.test.ts > fails'] }),
    ])
    expect(report.split('\n').map((line) => line.trimEnd())).toEqual([
      '4 mutants: 2 found by npm test, 0 only by test:long, 1 only by the old suite, 1 by nothing.',
      '',
      'kind       mutants  by types  npm test  test:long  old suite  survive',
      'condition        4         1         1          0          1        1',
      'boundary         0         0         0          0          0        0',
      'return           0         0         0          0          0        0',
      'statement        0         0         0          0          0        0',
      'all              4         1         1          0          1        1',
      '',
      'room      mutants  by types  npm test  test:long  old suite  survive',
      'src/auth        4         1         1          0          1        1',
      'all             4         1         1          0          1        1',
      '',
      'by types: 4 mutants, median 4 s, longest 4 s, together 0 min',
      'npm test: 4 mutants, median 2 s, longest 2 s, together 0 min',
      '',
      'Only the old suite finds:',
      '  3. src/auth/a.ts:1 (condition, the last that was asked: old suite)',
      '    - a',
      '    + !(a)',
      '',
      'Nothing finds:',
      '  4. src/auth/a.ts:1 (condition, the last that was asked: old suite)',
      '    - a',
      '    + !(a)',
      '    failed, and does not count: test/a.test.ts > fails',
    ])
  })
})

describe('the scripts of package.json', () => {
  const scripts = {
    typecheck: 'tsc -b tsconfig.json packages/inspector/page/tsconfig.json --force',
    test: 'npm run lint && vitest run --project workers --project node',
    old: 'vitest run',
  }
  const manifest = JSON.stringify({ scripts })

  it('say which projects a suite has, and which configurations the type checker reads', () => {
    expect(projectsOf(manifest, 'test')).toEqual(['workers', 'node'])
    expect(projectsOf(manifest, 'old')).toEqual([])
    expect(configsOf(manifest)).toEqual(['tsconfig.json', 'packages/inspector/page/tsconfig.json'])
  })
})
