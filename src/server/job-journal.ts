/** What the handler of a job needs of its task, beyond the context of other handlers. */
import type { FullContext } from './context.ts'
import type { CompiledSchema } from './schema/compile.ts'

/** What a task remembers of its job. Plain JSON. */
export interface JobRecord {
  /** Undefined until the job has been started. */
  readonly id?: string
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** Functions that have thrown in a row. */
  readonly failures: number
  /** Keys of the events that the job has received. */
  readonly sent: readonly string[]
  /** The job has ended, so nothing is left to cancel. */
  readonly isOver?: boolean
}

/** `../features/tasks/jobs/job-journal.ts` implements it. */
export interface JobJournal {
  readonly idempotencyKey: string
  /** The record as last written. Undefined before the first. */
  read(): JobRecord | undefined
  write(record: JobRecord): void
  /** Returns the value that was delivered to an event; undefined when there is none. */
  delivered(
    key: string,
    schema: CompiledSchema | undefined,
  ): Promise<{ value: unknown } | undefined>
  /**
   * Ends this run of the handler, which does not continue. It runs again from the top at a time, and when
   * a value is delivered to one of the events.
   *
   * @param until epoch milliseconds
   */
  suspend(
    until: number,
    events: Iterable<readonly [string, CompiledSchema | undefined]>,
  ): Promise<never>
  /** Reports an error under a reference, and returns the error with which the task fails. */
  fault(message: string, error: unknown): Error
}

/** The member of a context by which `run-job.ts` reaches the journal; undefined outside of a task. */
export const JOB_JOURNAL: unique symbol = Symbol('edgeway.job')

/** The context of a handler as the dispatcher implements it. */
export type ContextWithJob = FullContext & { readonly [JOB_JOURNAL]: JobJournal | undefined }
