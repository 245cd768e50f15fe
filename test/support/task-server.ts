/** The server of the task tests. The test that calls a tool supplies its handler; see `session-server.ts`. */
// features: tasks

import { env } from 'cloudflare:workers'
import * as z from 'zod'
import type { TaskObject } from '../../durable-objects/task/task-object.ts'
import { admin } from '../../packages/inspector/src/admin/index.ts'
import { openTaskId } from '../../src/features/tasks/task-ids.ts'
import type { AuthInfo, ServerFactory } from '../../src/index.ts'
import type { Limits } from '../../src/ports/app-limits.ts'
import { TASKS_EXTENSION } from '../../src/protocol/tasks.ts'
import type { TelemetryEvent } from '../../src/telemetry/index.ts'
import { registerTake, withFiles } from './features/files.ts'
import { createFullEdgeway, type FeatureLimits } from './full-app.ts'
import { FullServer } from './full-server.ts'
import { objectsOfKind, testSealer } from './objects.ts'
import { type Handler, handlerOf } from './session-server.ts'
import { connectApp, openApp, openFactoryApp, type TestApp } from './test-app.ts'
import { trusting } from './trusting.ts'

const AUDIENCE = 'tasks'

/** Subjects that do not see the tool `concealed` any more. */
export const hiddenFrom = new Set<string>()

function createServer(): FullServer {
  const server = new FullServer({ name: AUDIENCE, version: '1.0.0' })
  const inputSchema = z.object({ script: z.string() })
  const run = ({ script }: { script: string }, ctx: Parameters<Handler>[0]) =>
    handlerOf(script)(ctx)
  const filing = {
    inputSchema,
    ...withFiles,
  }
  server.registerTool('plain', filing, run)
  registerTake(server, 'optional')
  server.registerTool('optional', { inputSchema, task: 'optional' }, run)
  server.registerTool('required', { ...filing, task: 'required' }, run)
  server.registerTool('inline', { inputSchema, task: { support: 'optional', inlineMs: 2000 } }, run)
  server.registerTool(
    'before',
    { inputSchema, task: { support: 'required', asks: 'before', inlineMs: 2000 } },
    run,
  )
  server.registerTool(
    'brief',
    { inputSchema, task: { support: 'required', ttlMs: 300, pollIntervalMs: 20 } },
    run,
  )
  server.registerTool('scoped', { ...filing, task: 'required', scopes: ['write'] }, run)
  const visible = (auth: AuthInfo | undefined) =>
    auth?.scopes.includes('secret') === true && !hiddenFrom.has(auth.subject)
  server.registerTool('concealed', { inputSchema, task: 'required', visible }, run)
  return server
}

export const taskServer = createServer()

/** Telemetry events of the task objects, of all tests in a file. */
export const taskEvents: TelemetryEvent[] = []

/** Subjects whose tasks do not resume any more. */
export const revokedSubjects = new Set<string>()

/** Subjects whose access cannot be determined when their tasks resume. */
export const unknownSubjects = new Set<string>()

/** Subjects whose tasks resume without scopes. */
export const unscopedSubjects = new Set<string>()

const OPTIONS = {
  limits: { streamAfterMs: 2000 },
  featureLimits: { tasks: { perPrincipal: 30 }, state: { perPrincipal: 30 } },
}

/** The events of the tasks of anonymous callers, with spans. */
export const recordedTaskEvents: TelemetryEvent[] = []

export const taskApp = createFullEdgeway(taskServer, {
  ...OPTIONS,
  telemetry: [
    (event) => taskEvents.push(event),
    { spans: true, record: (event) => recordedTaskEvents.push(event) },
  ],
})

/** The audience of the server with authorization. */
export const AUTHORIZED_AUDIENCE = 'authorized-tasks'

const AUTHORIZED = {
  ...OPTIONS,
  audience: AUTHORIZED_AUDIENCE,
  auth: trusting('https://tasks.example.com', revokedSubjects, unknownSubjects, unscopedSubjects),
}

export const authorizedTaskApp = createFullEdgeway(taskServer, {
  ...AUTHORIZED,
  admin: admin(),
  telemetry: (event) => taskEvents.push(event),
})

/** What a client with tasks declares. */
export const TASKS = {
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: {},
    extensions: { [TASKS_EXTENSION]: {} },
  },
}

export const control = taskApp.tasks(env)
export const authorizedControl = authorizedTaskApp.tasks(env)
export const authorizedAdmin = authorizedTaskApp.admin

/** @param tasks limits of the Worker, beside those of the task object */
export function openTaskApp(
  tasks: FeatureLimits['tasks'] = {},
  limits: Partial<Limits> = {},
): TestApp {
  const { featureLimits } = OPTIONS
  const options = {
    limits: { ...OPTIONS.limits, ...limits },
    featureLimits: { ...featureLimits, tasks: { ...featureLimits.tasks, ...tasks } },
  }
  return openApp(taskServer, options, env)
}

/** The app behind authorization that trusts every token. */
export function openAuthorizedTaskApp(): TestApp {
  return connectApp(authorizedTaskApp, env)
}

/** A Worker with another definition for each caller, over the same objects. */
export function openAuthorizedFactory(factory: ServerFactory): TestApp {
  return openFactoryApp(factory, { ...AUTHORIZED, info: { name: AUDIENCE, version: '1.0.0' } }, env)
}

/** The stub of the object of a task. */
export async function objectOf(taskId: string, audience = AUDIENCE) {
  const opened = await openTaskId(testSealer(), audience, taskId)
  if (opened === undefined) throw new TypeError('The task id does not open')
  return objectsOfKind<TaskObject>('task', audience).named(opened.name)
}
