/** What the results of the tests say about a mutant. */

import { StoppedError, type TestFailure } from './host-messages.ts'
import type { Mutant } from './mutants.ts'

/** What finds a mutant, in the order in which they are asked. `against` is the suite of an earlier commit. */
export const STAGES = ['types', 'test', 'test:long', 'against'] as const
export type Stage = (typeof STAGES)[number]

/** What is known of one mutant: one line of the file of results. */
export interface MutantResult extends Mutant {
  readonly id: number
  readonly seed: number
  /** What found it, or undefined for a mutant that survives what has been asked. */
  readonly foundBy?: Stage
  /** The test or the type error that found it. */
  readonly test?: string
  readonly message?: string
  /** The last of what has been asked. */
  readonly asked: Stage
  /** What failed and does not count: timeouts, errors of no test, and what fails without the mutant too. */
  readonly ignored: readonly string[]
  readonly seconds: Readonly<Partial<Record<Stage, number>>>
}

const TIMED_OUT = /^(?:Test|Hook) timed out in /m

/** Words of a title or of a file that say that a test is about time. */
const ABOUT_TIME =
  /\b(?:time|times out|time-?outs?|timed|deadlines?|expir\w+|durations?|delays?|waits?|seconds?|minutes?|milliseconds|intervals?|ages?|alarms?|retry-after|slow|late|stall\w*|idle|keep-?alives?|heartbeats?)\b/i

/** Whether a failure shows that a test found something: an assertion, or an error that a test does not expect. */
export function counts({ key, title, message }: TestFailure): boolean {
  if (!TIMED_OUT.test(message)) return true
  return ABOUT_TIME.test(title) || ABOUT_TIME.test(key.replaceAll(/[/.]|-(?!after)/g, ' '))
}

export const nameOf = ({ key, title }: Pick<TestFailure, 'key' | 'title'>): string =>
  `${key.slice(key.indexOf(':') + 1)} > ${title}`

/** What still has to be asked of a mutant, given what is known of it. */
export function remainingStages(
  known: Pick<MutantResult, 'foundBy' | 'asked'> | undefined,
  wanted: readonly Stage[],
): readonly Stage[] {
  if (known === undefined) return wanted
  if (known.foundBy !== undefined) return []
  return wanted.filter((stage) => STAGES.indexOf(stage) > STAGES.indexOf(known.asked))
}

export interface RunOutcome {
  readonly failures: readonly TestFailure[]
  readonly errors: readonly string[]
}

/**
 * Runs test files over the tree, with the mutant or without it, until one fails; or one test of a file alone.
 *
 * @throws {StoppedError}
 */
export type RunTests = (
  files: readonly string[],
  withMutant: boolean,
  test?: string,
) => Promise<RunOutcome>

export interface Search {
  readonly found?: TestFailure
  readonly ignored: readonly string[]
}

/**
 * Looks for a test that finds the mutant, group by group. A failure is a find if the same test fails a second
 * time with the mutant and passes without it. Files whose failures do not count are left out, and the rest of
 * their group is run again. Files whose process ends early are run again in halves, so that one of them hides no other.
 */
export async function searchTests(
  groups: readonly (readonly string[])[],
  run: RunTests,
): Promise<Search> {
  const ignored = new Set<string>()
  const remaining = [...groups]
  for (let files = remaining.shift(); files !== undefined; files = remaining.shift()) {
    try {
      const { failures, errors } = await run(files, true)
      for (const error of errors) ignored.add(`no test: ${error}`)
      for (const failure of failures) {
        if (counts(failure) && (await isConfirmed(failure, run))) {
          return { found: failure, ignored: [...ignored] }
        }
        ignored.add(nameOf(failure))
      }
      const failed = new Set(failures.map(({ key }) => key))
      const others = files.filter((file) => !failed.has(file))
      if (failed.size > 0 && others.length > 0) remaining.unshift(others)
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error
      ignored.add(error.message)
      if (error.isEarly) remaining.unshift(...halvesOf(files))
    }
  }
  return { ignored: [...ignored] }
}

/** None for a single file. */
function halvesOf(files: readonly string[]): readonly (readonly string[])[] {
  const middle = Math.ceil(files.length / 2)
  return files.length < 2 ? [] : [files.slice(0, middle), files.slice(middle)]
}

/** Repeats a failure with the test alone, or where it only fails after others of its file, with the file. */
async function isConfirmed(failure: TestFailure, run: RunTests): Promise<boolean> {
  const { key, id, title } = failure
  const isSame = (other: TestFailure) => other.title === title && other.key === key
  for (const test of id === undefined ? [undefined] : [id, undefined]) {
    const again = await run([key], true, test)
    if (!again.failures.some((other) => isSame(other) && counts(other))) continue
    const without = await run([key], false, test)
    return without.failures.length === 0 && without.errors.length === 0
  }
  return false
}
