/** A server whose tool is backed by the Workflow `Scripted`. */
// features: sessions

import { env } from 'cloudflare:workers'
import * as z from 'zod'
import { workflowJob } from '../../src/features/tasks/index.ts'
import { McpServer } from '../../src/index.ts'
import type { TelemetryEvent } from '../../src/telemetry/index.ts'
import { createFullEdgeway } from '../support/full-app.ts'
import { connectApp } from '../support/test-app.ts'

interface Env {
  readonly SCRIPTED: Workflow<{ how: string }>
}

const server = new McpServer<Env>({ name: 'workflows', version: '1.0.0' })
server.registerJob(
  'order',
  {
    inputSchema: z.object({ how: z.enum(['return', 'throw', 'refuse', 'wait']) }),
    outputSchema: z.object({ value: z.string() }),
  },
  workflowJob(({ SCRIPTED }) => SCRIPTED, {
    poll: { minMs: 100, maxMs: 200 },
    events: { go: z.object({ ok: z.boolean() }) },
    result: (output) => output as { value: string },
  }),
)

export const events: TelemetryEvent[] = []

export const edgeway = createFullEdgeway<Env>(server, {
  telemetry: (event) => events.push(event),
})

export const control = edgeway.tasks(env as unknown as Env)
export const app = connectApp(edgeway, env as unknown as Env)
