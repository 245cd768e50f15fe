/** The server of the tests of held calls: its limits of time are those of tests. The test that calls a tool supplies its handler. */
// features: tasks, sessions

import { env } from 'cloudflare:workers'
import * as z from 'zod'
import { type ClientOptions, connect, type TestClient } from '../../packages/testing/src/index.ts'
import type { AuthInfo } from '../../src/index.ts'
import type { TelemetryEvent } from '../../src/telemetry/index.ts'
import { createFullEdgeway } from './full-app.ts'
import { FullServer } from './full-server.ts'
import { type Handler, handlerOf } from './session-server.ts'
import { trusting } from './trusting.ts'

/** How long a request holds a call: longer than a busy machine takes for a call that does not wait. */
export const HOLD_MS = 3000

/** The same on the server with authorization: longer than the time that a task has after an answer. */
export const AUTHORIZED_HOLD_MS = 4000

/** Subjects that do not see the tool `hidden`. */
export const hiddenFrom = new Set<string>()

function createServer(): FullServer {
  const server = new FullServer({ name: 'held', version: '1.0.0' })
  const inputSchema = z.object({ script: z.string() })
  const run = ({ script }: { script: string }, ctx: Parameters<Handler>[0]) =>
    handlerOf(script)(ctx)
  server.registerTool('work', { inputSchema, task: 'optional' }, run)
  server.registerTool('only', { inputSchema, task: 'required' }, run)
  const brief = { support: 'optional', inlineMs: 1000, ttlMs: HOLD_MS + 1000 } as const
  server.registerTool('brief', { inputSchema, task: brief }, run)
  server.registerTool('plain', { inputSchema }, run)
  server.registerTool('scoped', { inputSchema, task: 'optional', scopes: ['write'] }, run)
  const visible = (auth: AuthInfo | undefined) => !hiddenFrom.has(String(auth?.subject))
  server.registerTool('hidden', { inputSchema, task: 'optional', visible }, run)
  const outputSchema = z.object({ total: z.number() })
  server.registerTool(
    'typed',
    { inputSchema, outputSchema, task: 'optional' },
    run as unknown as () => { total: number },
  )
  return server
}

export const heldServer = createServer()

export const heldEvents: TelemetryEvent[] = []

const limitsWith = (holdMs: number) => ({ tasks: { holdMs, perPrincipal: 20 } })

/** How long a person may take for an answer, on the server with authorization. */
const ANSWER_MS = 6000

const edgeway = createFullEdgeway(heldServer, {
  featureLimits: limitsWith(HOLD_MS),
  telemetry: { requests: true, record: (event) => heldEvents.push(event) },
})

const authorized = createFullEdgeway(heldServer, {
  audience: 'authorized-held',
  featureLimits: { ...limitsWith(AUTHORIZED_HOLD_MS), asks: { answerTimeoutMs: ANSWER_MS } },
  auth: trusting('https://held.example.com'),
})

export const heldControl = edgeway.tasks(env)
export const authorizedHeldControl = authorized.tasks(env)

export const heldApp = edgeway
export const authorizedHeldApp = authorized

/** Connects without authorization. */
export const connectHeld = (options: ClientOptions<unknown> = {}): Promise<TestClient> =>
  connect(edgeway as never, { env, ...options } as never)

/** Connects as a subject. */
export const connectAs = (
  subject: string,
  options: ClientOptions<unknown> = {},
): Promise<TestClient> => connect(authorized as never, { env, token: subject, ...options } as never)
