/** Cancels the job of a task that has ended before it: by an alarm, until its service has accepted it. */
import { JOB_RECORD, jobKeyOf, jobRecordOf } from '../../src/features/tasks/jobs/job-journal.ts'
import { withAbortDeadline } from '../../src/platform/deadline.ts'
import type { AuthInfo } from '../../src/protocol/auth-info.ts'
import { MODERN } from '../../src/protocol/revisions.ts'
import { type JobRow, TASK_RUN } from './schema.ts'
import type { TaskParts } from './task-parts.ts'
import type { TaskRun } from './task-run.ts'

/** Attempts to cancel one job. The last one is about nine minutes after the first. */
const MAX_ATTEMPTS = 10

/** The pause after the first attempt. Each further one is twice as long. */
const FIRST_PAUSE_MS = 1_000

/** The longest that a function of a job takes; see `src/features/tasks/jobs/external-job.ts`. */
const FUNCTION_TIMEOUT_MS = 60_000

export class JobCancellation {
  readonly #parts: TaskParts

  constructor(parts: TaskParts) {
    this.#parts = parts
  }

  /** When the next attempt is due, in epoch milliseconds; undefined when no job is left to cancel. */
  get nextAt(): number | undefined {
    return this.#row?.next_at
  }

  /** Whether the task has a job that has not ended. */
  get hasJob(): boolean {
    return this.#openJob() !== undefined
  }

  /**
   * Called in the transaction that ends the task, before its journal is deleted. Returns when the first
   * attempt is due; undefined when the task has no job that runs.
   */
  plan(run: TaskRun): number | undefined {
    const { statements } = this.#parts.storage
    const job = this.#openJob(run)
    if (job === undefined) return undefined
    const { id = null } = job
    // A job whose start is under way can be found once the start has returned, or was given up.
    const next_at = Date.now() + (id === null ? FUNCTION_TIMEOUT_MS : 0)
    statements.insertJob({ job_id: id, caller: statements.task()?.caller ?? null, next_at })
    return next_at
  }

  /** Attempts to cancel the job, if that is due. */
  async attempt(now: number): Promise<void> {
    const row = this.#row
    if (row === undefined || row.next_at > now) return
    const { storage, deployment } = this.#parts
    const attempts = row.attempts + 1
    // Written first, so that an attempt which ends the object is counted.
    storage.statements.saveJobAttempt(attempts, now + FIRST_PAUSE_MS * 2 ** row.attempts)
    try {
      await this.#cancel(row)
    } catch (error) {
      if (attempts < MAX_ATTEMPTS) return
      deployment.report({ type: 'internal-error', error })
    }
    storage.statements.deleteJob()
  }

  async #cancel({ job_id, caller }: JobRow): Promise<void> {
    const { storage, deployment } = this.#parts
    const request = storage.readRequest()
    const { name, taskId, factoryParams } = request
    const { definitions, env } = deployment
    const dispatchers =
      definitions.shared ??
      (await definitions.of({ auth: await this.#callerOf(caller), params: factoryParams }))
    const { job } = dispatchers.under(MODERN).resolve(request, undefined)
    if (job === undefined) throw new TypeError('The tool of the job is not registered any more')
    const cancel = (signal: AbortSignal) =>
      job.cancel(job_id ?? undefined, {
        env,
        taskId,
        idempotencyKey: jobKeyOf(name),
        signal,
      })
    await withAbortDeadline(FUNCTION_TIMEOUT_MS, cancel, () => {
      throw new DOMException('The cancellation of a job took too long', 'TimeoutError')
    })
  }

  /** The caller as it is now; without access, as it was when it started the task: its job is cancelled all the same. */
  async #callerOf(record: string | null): Promise<AuthInfo | undefined> {
    const { callers } = this.#parts
    const caller = (await callers.renew(record)) ?? (await callers.open(record))
    return caller?.auth
  }

  get #row(): JobRow | undefined {
    return this.#parts.storage.existing?.job()
  }

  /** @param run whose journal in memory has what its rows have, if a handler has it open */
  #openJob(run?: TaskRun) {
    const value = run?.hasOpenJournal
      ? run.journal.read(JOB_RECORD, 'step')?.value
      : this.#parts.storage.readEntry(TASK_RUN, JOB_RECORD)
    const record = jobRecordOf(value)
    return record?.isOver === true ? undefined : record
  }
}
