/** Creates the handler of a tool whose work is a Cloudflare Workflow. */
import type { GrantProps } from '../../../protocol/auth-info.ts'
import type { JobHandler, JobSettings, JobStartContext, JobStatus } from '../../../server/job.ts'
import { externalJob } from './external-job.ts'

/** The methods of a Workflow binding that a job uses. @see https://developers.cloudflare.com/workflows/build/workers-api/ */
export interface WorkflowBinding {
  createBatch(batch: { id?: string; params?: unknown }[]): Promise<unknown>
  get(id: string): Promise<WorkflowHandle>
}

/** An instance of a Workflow. */
export interface WorkflowHandle {
  status(): Promise<{
    readonly status: string
    readonly error?: { readonly name: string; readonly message: string } | null
    readonly output?: unknown
  }>
  terminate(): Promise<void>
  sendEvent(event: { type: string; payload: unknown }): Promise<void>
}

export interface WorkflowJobOptions<Args, Output, Env = unknown, Props = GrantProps>
  extends JobSettings {
  /** Returns the parameters of the instance (`event.payload`). Default: the arguments of the call. */
  readonly params?: (args: Args, ctx: JobStartContext<Env, Props>) => unknown
  /** Converts the output of the Workflow to what the tool returns. Default: the output. */
  readonly result?: (output: unknown) => Output
}

/**
 * The handler of a tool whose work is a Cloudflare Workflow. The id of the instance is derived from the
 * task, so a task has one instance, however often its start is interrupted. The message of an error is
 * sent to the client only if the Workflow has thrown a `ToolError`. An event of `events` is sent to the
 * instance as an event of the type of its key.
 *
 * @param binding finds the Workflow among the Worker's bindings
 * @throws {TypeError} for a malformed option
 */
export function workflowJob<Args = undefined, Output = unknown, Env = unknown, Props = GrantProps>(
  binding: (env: Env) => WorkflowBinding,
  options: WorkflowJobOptions<Args, Output, Env, Props> = {},
): JobHandler<Args, Output, Env, Props> {
  if (typeof binding !== 'function') {
    throw new TypeError('workflowJob() takes a function of the bindings: ({ BINDING }) => BINDING')
  }
  const { params, result = (output) => output as Output, ...settings } = options
  const job = externalJob<Args, unknown, Env, Props>({
    ...settings,
    idempotent: true,
    start: async (args, ctx) => {
      const id = ctx.idempotencyKey
      const payload = params === undefined ? args : await params(args, ctx)
      // Unlike `create`, it does nothing for an id that exists.
      await binding(ctx.env).createBatch([{ id, params: payload }])
      return id
    },
    status: async (id, { env }) => {
      const instance = await binding(env).get(id)
      const { status, output, error } = await instance.status()
      switch (status) {
        case 'complete':
          return { state: 'completed', output }
        case 'errored':
          return failedStatus(error)
        case 'terminated':
          return { state: 'failed', message: 'The Workflow was terminated.' }
        case 'unknown':
          throw new Error('The status of the Workflow is unknown')
        default:
          return { state: 'running' }
      }
    },
    cancel: async (id, { env, idempotencyKey }) => {
      const instance = await binding(env).get(id ?? idempotencyKey)
      const { status } = await instance.status()
      // An instance that has ended cannot be terminated.
      if (!ENDED.has(status)) await instance.terminate()
    },
    send: async (id, { key, value }, { env }) => {
      const instance = await binding(env).get(id)
      await instance.sendEvent({ type: key, payload: value })
    },
  })
  return { ...job, run: async (args, ctx) => result(await job.run(args, ctx)) }
}

const ENDED: ReadonlySet<string> = new Set(['complete', 'errored', 'terminated'])

/** The platform may return the name of an error at the beginning of its message. */
const TOOL_ERROR = /^ToolError: /

/** The message of any error but a `ToolError` may contain secrets. */
function failedStatus(
  error: { readonly name: string; readonly message: string } | null | undefined,
): JobStatus<never> {
  const text = `${error?.name}: ${error?.message}`
  const message = [text, error?.message ?? ''].find((each) => TOOL_ERROR.test(each))
  return message === undefined
    ? { state: 'failed', error: new Error(text) }
    : { state: 'failed', message: message.replace(TOOL_ERROR, '') }
}
