/** The server of the job tests. The test that calls a tool supplies the service that does its work. */
// features: sessions

import { env } from 'cloudflare:workers'
import * as z from 'zod'
import type { TaskObject } from '../../durable-objects/task/task-object.ts'
import { admin } from '../../packages/inspector/src/admin/index.ts'
import {
  externalJob,
  type JobCallContext,
  type JobContext,
  type JobStartContext,
  type JobStatus,
  workflowJob,
} from '../../src/features/tasks/index.ts'
import { openTaskId } from '../../src/features/tasks/task-ids.ts'
import { McpServer } from '../../src/index.ts'
import type { TelemetryEvent } from '../../src/telemetry/index.ts'
import { createFullEdgeway } from './full-app.ts'
import { objectsOfKind, testSealer } from './objects.ts'
import { scriptedWorkflow } from './scripted-workflow.ts'
import { connectApp, type TestApp } from './test-app.ts'
import { trusting } from './trusting.ts'

/** A service that does the work of one call. It counts what it is asked. */
export class Service {
  readonly name = crypto.randomUUID()
  readonly starts: JobStartContext[] = []
  readonly reads: JobCallContext[] = []
  readonly cancels: { readonly id: string | undefined; readonly ctx: JobContext }[] = []
  readonly sent: unknown[] = []
  /** What `start` returns. */
  id = this.name
  state: JobStatus<unknown> = { state: 'running' }
  onStart: (start: JobStartContext) => void | Promise<void> = () => undefined
  onStatus: () => void | Promise<void> = () => undefined
  onCancel: () => void | Promise<void> = () => undefined
  onSend: () => void | Promise<void> = () => undefined

  constructor() {
    services.set(this.name, this)
  }

  complete(output: unknown): void {
    this.state = { state: 'completed', output }
  }
}

const services = new Map<string, Service>()

function serviceOf(name: string | undefined): Service {
  const found = services.get(name ?? '')
  if (found === undefined) throw new Error(`There is no service ${name}`)
  return found
}

/** The services by the idempotency keys of their starts. */
const started = new Map<string, Service>()

const QUICK_POLL = { minMs: 100, maxMs: 120 }

/** Pauses that no test waits for. */
const SLOW_POLL = { minMs: 20_000, maxMs: 600_000 }

function createJob(
  options: { readonly idempotent?: boolean; readonly poll?: typeof QUICK_POLL } = {},
) {
  return externalJob({
    poll: QUICK_POLL,
    ...options,
    timeoutMs: 400,
    start: async ({ service }: { service: string }, ctx: JobStartContext) => {
      const found = serviceOf(service)
      started.set(ctx.idempotencyKey, found)
      found.starts.push(ctx)
      await found.onStart(ctx)
      return found.id
    },
    status: async (id, ctx: JobCallContext): Promise<JobStatus<string>> => {
      const found = serviceOf(id)
      found.reads.push(ctx)
      await found.onStatus()
      return found.state as JobStatus<string>
    },
    cancel: async (id, ctx) => {
      const found = id === undefined ? started.get(ctx.idempotencyKey) : serviceOf(id)
      found?.cancels.push({ id, ctx })
      await found?.onCancel()
    },
    events: { approved: z.object({ by: z.string() }), paid: z.number() },
    send: async (id, event) => {
      const found = serviceOf(id)
      await found.onSend()
      found.sent.push(event)
    },
  })
}

function createServer(): McpServer {
  const server = new McpServer({ name: 'jobs', version: '1.0.0' })
  const inputSchema = z.object({ service: z.string() })
  server.registerJob('once', { inputSchema }, createJob())
  server.registerJob('idempotent', { inputSchema }, createJob({ idempotent: true }))
  server.registerJob('slow', { inputSchema }, createJob({ idempotent: true, poll: SLOW_POLL }))
  server.registerJob(
    'workflow',
    { inputSchema: z.object({ instance: z.string() }), outputSchema: z.object({ is: z.string() }) },
    workflowJob(() => scriptedWorkflow, {
      poll: QUICK_POLL,
      params: ({ instance }: { instance: string }) => ({ of: instance }),
      result: (output) => ({ is: String(output) }),
    }),
  )
  server.registerJob(
    'typed',
    { inputSchema, outputSchema: z.object({ pages: z.number() }) },
    createJob() as unknown as ReturnType<
      typeof externalJob<{ service: string }, { pages: number }>
    >,
  )
  server.registerJob(
    'brief',
    { inputSchema, task: { support: 'required', ttlMs: 600, pollIntervalMs: 20 } },
    createJob(),
  )
  return server
}

/** Telemetry events of the task objects, of all tests in a file. */
export const jobEvents: TelemetryEvent[] = []

/** Subjects whose tasks do not resume any more. */
export const revokedSubjects = new Set<string>()

const telemetry = (event: TelemetryEvent) => jobEvents.push(event)

/** The longest result of a job. */
export const RESULT_BYTES = 100_000

export const jobApp = createFullEdgeway(createServer(), {
  limits: { resultBytes: RESULT_BYTES },
  telemetry,
})

/** A factory, so that a job is found by its caller and its tenant only. */
export const authorizedJobApp = createFullEdgeway(
  ({ auth, params }) =>
    auth === undefined || params.tenant !== 'blue'
      ? new McpServer({ name: 'empty', version: '1' })
      : createServer(),
  {
    info: { name: 'jobs', version: '1.0.0' },
    audience: 'authorized-jobs',
    path: '/mcp/{tenant}',
    auth: trusting('https://jobs.example.com', revokedSubjects),
    admin: admin(),
    telemetry,
  },
)

export const jobControl = jobApp.tasks(env)
export const authorizedJobControl = authorizedJobApp.tasks(env)
export const authorizedJobAdmin = authorizedJobApp.admin(env)

export const openJobApp = (): TestApp => connectApp(jobApp, env)
export const openAuthorizedJobApp = (): TestApp => connectApp(authorizedJobApp, env).at('/mcp/blue')

/** The stub of the object of a task. */
export async function jobObjectOf(taskId: string) {
  const opened = await openTaskId(testSealer(), 'jobs', taskId)
  if (opened === undefined) throw new TypeError('The task id does not open')
  return objectsOfKind<TaskObject>('task', 'jobs').named(opened.name)
}
