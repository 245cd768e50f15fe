/**
 * The types of tools whose work runs elsewhere. `external-job.ts` and `workflow-job.ts` create them,
 * `run-job.ts` runs them.
 */

import type { MaybePromise } from '../platform/maybe-promise.ts'
import type { GrantProps } from '../protocol/auth-info.ts'
import type { AskMembers, FullContext } from './context.ts'
import type { CompiledSchema } from './schema/compile.ts'
import type { Schema } from './schema/standard-schema.ts'
import type { CallerAuth } from './upstream.ts'

/** What every function of a job receives. */
export interface JobContext<Env = unknown> {
  /** The Worker's bindings. */
  readonly env: Env
  readonly taskId: string
  /**
   * Identifies the job for services that accept an idempotency key: the same whenever a function of this
   * task is called. 48 of the characters `A-Z a-z 0-9 _ -`.
   */
  readonly idempotencyKey: string
  /** Aborted at the deadline of the function, and, except in `cancel`, when the task ends. */
  readonly signal: AbortSignal
}

/** What the functions receive that are called for the caller. */
export interface JobCallContext<Env = unknown, Props = GrantProps> extends JobContext<Env> {
  /** The verified caller as it is now; undefined on a server without authorization. */
  readonly auth: CallerAuth<Props> | undefined
}

export interface JobStartContext<Env = unknown, Props = GrantProps>
  extends JobCallContext<Env, Props> {
  /**
   * Returns the URL by which the job reports that it has ended: `POST` it with any JSON body, once. The
   * status is then asked for at once. The body is not read. The URL is a secret.
   */
  readonly callbackUrl: () => Promise<string>
  /** Returns the URL that delivers a value to an event of the job, like {@link AskMembers.webhook}. */
  readonly webhook: AskMembers['webhook']
}

/**
 * The state of a job.
 *
 * - `running`: `message` becomes the status message of the task.
 * - `completed`: `output` is returned like the value of a tool handler.
 * - `failed`: the call ends with a tool error. The client receives `message`, so it must not contain secrets.
 *   Without it telemetry receives `error`, and the client a reference.
 * - `unknown`: the service does not know the job any more. The task fails.
 */
export type JobStatus<Output> =
  | { readonly state: 'running'; readonly message?: string }
  | { readonly state: 'completed'; readonly output: Output }
  | { readonly state: 'failed'; readonly message?: string; readonly error?: unknown }
  | { readonly state: 'unknown' }

/** How a job is run, besides its functions. Durations are in milliseconds. */
export interface JobSettings {
  /**
   * The pauses between two questions for the status. They grow with the age of the job; nothing is in
   * memory meanwhile.
   */
  readonly poll?: JobPolling
  /** The deadline of `start`, `status` and `send`. Default 30,000, at most 60,000. `cancel` has a minute. */
  readonly timeoutMs?: number
  /**
   * The events that the job can receive, with the schema of each value. A value that is delivered to the
   * task under such a key is sent to the job, each key once.
   */
  readonly events?: { readonly [key: string]: Schema }
}

export interface JobPolling {
  /** The first pause, at least 100. Default 1000. */
  readonly minMs?: number
  /**
   * The longest pause, up to an age of 1000 such pauses; from then on a pause is a thousandth of the age.
   * Default 60,000.
   */
  readonly maxMs?: number
}

/** The functions of a job. `status` and `send` are called again after a pause when they throw, ten times in a row at most. */
export interface ExternalJobOptions<Args, Output, Env = unknown, Props = GrantProps>
  extends JobSettings {
  /**
   * Starts the job and returns its id, of at most 1024 characters. Called once. A `ToolError` refuses the
   * call with its message.
   */
  readonly start: (args: Args, ctx: JobStartContext<Env, Props>) => MaybePromise<string>
  /**
   * Whether `start` may be called again when it has thrown or was interrupted: the service recognises
   * `idempotencyKey`. Without it the task then fails. Default false.
   */
  readonly idempotent?: boolean
  readonly status: (id: string, ctx: JobCallContext<Env, Props>) => MaybePromise<JobStatus<Output>>
  /**
   * Cancels the job, when its task ends before it. Called until it returns, ten times in nine minutes at most,
   * also for a job that has ended meanwhile, which is no error.
   *
   * @param id undefined when `start` has not returned it: the service may know the job by `idempotencyKey`
   */
  readonly cancel: (id: string | undefined, ctx: JobContext<Env>) => MaybePromise<void>
  /** Sends an event to the job. Called again when it has thrown or was interrupted. Needed with `events`. */
  readonly send?: (
    id: string,
    event: { readonly key: string; readonly value: unknown },
    ctx: JobCallContext<Env, Props>,
  ) => MaybePromise<void>
}

/** {@link ExternalJobOptions} with its defaults. */
export interface Job {
  readonly start: (args: unknown, ctx: JobStartContext) => MaybePromise<string>
  readonly status: (id: string, ctx: JobCallContext) => MaybePromise<JobStatus<unknown>>
  readonly cancel: (id: string | undefined, ctx: JobContext) => MaybePromise<void>
  readonly send: ExternalJobOptions<unknown, unknown>['send']
  readonly idempotent: boolean
  readonly minMs: number
  readonly maxMs: number
  readonly timeoutMs: number
  readonly events: ReadonlyMap<string, CompiledSchema>
}

/** The handler of a tool whose work runs elsewhere. `externalJob` and `workflowJob` create it. */
export interface JobHandler<Args, Output, Env = unknown, Props = GrantProps> {
  readonly run: (args: Args, ctx: FullContext<Env, Props>) => Promise<Output>
  readonly cancel: (id: string | undefined, ctx: JobContext<Env>) => Promise<void>
}
