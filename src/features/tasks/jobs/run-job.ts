/**
 * Runs a job in its task: starts it, asks for its status, sends its events and returns its output. Between
 * two questions the handler ends, and it runs again from the top with the record of the job.
 *
 * The record of a job is written before `start`, and the idempotency key is the name of the task, so an interrupted
 * start is recognised. Pauses grow with the age of the job: a thousandth of it at least. A job that has failed is a
 * tool error; a task fails when the state of its job is not known.
 */
import { withAbortDeadline } from '../../../platform/deadline.ts'
import type { FullContext } from '../../../server/context.ts'
import type { Job, JobCallContext, JobContext, JobStatus } from '../../../server/job.ts'
import {
  type ContextWithJob,
  JOB_JOURNAL,
  type JobJournal,
  type JobRecord,
} from '../../../server/job-journal.ts'
import { ToolError } from '../../../server/tool-error.ts'

/** The key under which the job, or its owner, reports that it has ended. */
export const CALLBACK_KEY = 'job'

/** How often functions may throw in a row: about five minutes with the default pauses. */
const MAX_FAILURES = 10

const MAX_ID_LENGTH = 1024

/** The part of its age that a job is left alone. It bounds how often a job is asked in its lifetime. */
const LEAST_PAUSE_OF_AGE = 1 / 1000

/**
 * @returns the output of the job
 * @throws {ToolError} when the job has failed, and as `start` throws it
 * @throws the fault of the journal, when the state of the job cannot be determined
 */
export async function runJob(job: Job, args: unknown, ctx: FullContext): Promise<unknown> {
  const journal = (ctx as ContextWithJob)[JOB_JOURNAL]
  if (journal === undefined) throw new TypeError('A job needs a task')
  const run = new JobRun(job, ctx, journal)
  return run.run(args)
}

class JobRun {
  readonly #job: Job
  readonly #ctx: FullContext
  readonly #journal: JobJournal
  #record: JobRecord

  constructor(job: Job, ctx: FullContext, journal: JobJournal) {
    this.#job = job
    this.#ctx = ctx
    this.#journal = journal
    this.#record = journal.read() ?? { startedAt: Date.now(), failures: 0, sent: [] }
  }

  async run(args: unknown): Promise<unknown> {
    const { id } = this.#record
    if (id === undefined) return this.#start(args)
    let status: JobStatus<unknown>
    try {
      await this.#sendEvents(id)
      status = await this.#call((ctx) => this.#job.status(id, ctx))
    } catch (error) {
      return this.#retry('The state of the job could not be read', error)
    }
    switch (status?.state) {
      case 'running':
        // Reports are numbered, and the later one counts.
        if (status.message !== undefined) {
          await this.#ctx.progress(Date.now(), undefined, status.message)
        }
        this.#write({ failures: 0 })
        return this.#pause(0)
      case 'completed':
        this.#write({ isOver: true })
        return status.output
      case 'failed':
        this.#write({ isOver: true })
        throw errorOf(status)
      case 'unknown':
        this.#write({ isOver: true })
        throw this.#journal.fault(
          'The job is not known to its service any more',
          new Error(`The service does not know the job ${id}`),
        )
      default:
        return this.#retry(
          'The state of the job could not be read',
          new TypeError('status of a job must return { state }'),
        )
    }
  }

  async #start(args: unknown): Promise<never> {
    const { idempotent, cancel } = this.#job
    const wasStarted = this.#journal.read() !== undefined
    if (wasStarted && !idempotent) {
      throw this.#journal.fault(
        'The server was interrupted while the job was being started. It may run, and its start is not idempotent, so it was not started again',
        new Error('The start of a job was interrupted'),
      )
    }
    // Written before it starts, so that an interruption is noticed.
    if (!wasStarted) this.#write({})
    let isAbandoned = false
    try {
      const id = await this.#call(async (ctx) => {
        const { webhook } = this.#ctx
        const callbackUrl = () => webhook(CALLBACK_KEY)
        const started = checkId(await this.#job.start(args, { ...ctx, webhook, callbackUrl }))
        // The task has ended meanwhile, and could not know which job to cancel.
        if (isAbandoned || this.#ctx.signal.aborted) {
          await cancel(started, { ...ctx, signal: AbortSignal.timeout(this.#job.timeoutMs) })
        }
        return started
      })
      this.#write({ id, startedAt: Date.now(), failures: 0 })
    } catch (error) {
      isAbandoned = !idempotent
      if (error instanceof ToolError) {
        this.#write({ isOver: true })
        throw error
      }
      const message = 'The job could not be started'
      if (!idempotent) throw this.#journal.fault(message, error)
      return this.#retry(message, error)
    }
    return this.#pause(0)
  }

  /** Sends each event that was delivered and that the job has not received. */
  async #sendEvents(id: string): Promise<void> {
    for (const [key, schema] of this.#openEvents()) {
      const delivered = await this.#journal.delivered(key, schema)
      if (delivered === undefined) continue
      const event = { key, value: delivered.value }
      if (key !== CALLBACK_KEY) await this.#call(async (ctx) => this.#job.send?.(id, event, ctx))
      this.#write({ sent: [...this.#record.sent, key] })
    }
  }

  #openEvents() {
    const events = [[CALLBACK_KEY, undefined] as const, ...this.#job.events]
    return events.filter(([key]) => !this.#record.sent.includes(key))
  }

  /** Waits before the functions are called again, or gives up. */
  #retry(message: string, error: unknown): Promise<never> {
    const failures = this.#record.failures + 1
    if (failures >= MAX_FAILURES) {
      throw this.#journal.fault(`${message}, ${MAX_FAILURES} times in a row`, error)
    }
    this.#write({ failures })
    return this.#pause(this.#job.minMs * 2 ** failures)
  }

  #pause(leastMs: number): Promise<never> {
    const { minMs, maxMs } = this.#job
    const age = Date.now() - this.#record.startedAt
    const pause = Math.min(Math.max(minMs, age / 2, leastMs), maxMs)
    const until = Date.now() + Math.ceil(Math.max(pause, age * LEAST_PAUSE_OF_AGE))
    return this.#journal.suspend(until, this.#openEvents())
  }

  #write(changes: Partial<JobRecord>): void {
    this.#record = { ...this.#record, ...changes }
    this.#journal.write(this.#record)
  }

  /** Calls a function of the job with its deadline. */
  #call<T>(work: (ctx: JobCallContext) => T | Promise<T>): Promise<T> {
    const { env, auth, task, signal } = this.#ctx
    return callWithDeadline(this.#job.timeoutMs, (deadline) =>
      work({
        env,
        auth,
        taskId: task?.id ?? '',
        idempotencyKey: this.#journal.idempotencyKey,
        signal: AbortSignal.any([signal, deadline]),
      }),
    )
  }
}

function errorOf({ message, error }: Extract<JobStatus<unknown>, { state: 'failed' }>): Error {
  if (message !== undefined) return new ToolError(message)
  return error instanceof Error ? error : new Error('The job has failed', { cause: error })
}

function checkId(id: unknown): string {
  if (typeof id !== 'string' || id.length > MAX_ID_LENGTH) {
    throw new TypeError(`start of a job must return an id of at most ${MAX_ID_LENGTH} characters`)
  }
  return id
}

/** Rejects when the work has not settled after the time, and aborts its signal. */
function callWithDeadline<T>(
  timeoutMs: number,
  work: (signal: JobContext['signal']) => T | Promise<T>,
): Promise<T> {
  return withAbortDeadline(
    timeoutMs,
    async (signal) => work(signal),
    (): never => {
      throw new DOMException(
        `A function of the job took longer than ${timeoutMs} ms`,
        'TimeoutError',
      )
    },
  )
}
