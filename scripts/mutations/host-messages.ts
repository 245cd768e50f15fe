/** What a test host and its parent send each other. A test file is named by its project: `workers:test/….test.ts`. */
import type { Coverage } from './coverage.ts'

export type HostRequest =
  | { readonly type: 'open'; readonly projects: readonly string[]; readonly maxWorkers?: number }
  | {
      readonly type: 'run'
      readonly files: readonly string[]
      /** The source files that differ from those of the run before. */
      readonly changed: readonly string[]
      /** Runs this test alone, by its id in vitest. */
      readonly test?: string
    }
  | { readonly type: 'record'; readonly projects: readonly string[] }
  | { readonly type: 'close' }

export interface TestFailure {
  readonly key: string
  /** The id of the test in vitest. A file that could not be loaded has none. */
  readonly id?: string
  readonly title: string
  readonly message: string
}

export type HostResponse =
  | {
      readonly type: 'opened'
      readonly files: readonly string[]
      /** The test files of projects that build something from the source before they run. */
      readonly rebuilt: readonly string[]
    }
  | {
      readonly type: 'ran'
      readonly failures: readonly TestFailure[]
      /** Errors that belong to no test. */
      readonly errors: readonly string[]
    }
  | { readonly type: 'recorded'; readonly coverage: Coverage }
  | { readonly type: 'failed'; readonly reason: string }

/** The process ended, or had to be ended, before its tests had: nothing is known of them. */
export class StoppedError extends Error {
  /** Whether it ended of its own accord. */
  readonly isEarly: boolean

  constructor(message: string, isEarly: boolean) {
    super(message)
    this.isEarly = isEarly
  }
}
