/** A server whose tools ask, run steps and can be killed, with sessions, tasks and code. Each call names the run that counts it. */
// features: sessions, tasks, code

import { abortAllDurableObjects } from 'cloudflare:test'
import * as z from 'zod'
import { sessions } from '../../../../../src/features/sessions/index.ts'
import { tasks } from '../../../../../src/features/tasks/index.ts'
import { createEdgeway } from '../../../../../src/index.ts'
import type { TelemetryEvent } from '../../../../../src/telemetry/index.ts'
import { type FullContext, FullServer } from '../../../../../test/support/full-server.ts'
import { code } from '../../../src/code/index.ts'

/** What handlers and steps have done, by the run that the test names. */
const done = new Map<string, string[]>()

export const doneIn = (run: string): readonly string[] => done.get(run) ?? []

function note(run: string, what: string): number {
  const entries = done.get(run) ?? []
  done.set(run, [...entries, what])
  return entries.filter((entry) => entry === what).length + 1
}

const inputSchema = { run: z.string(), item: z.string() }

export function createCodeServer(): FullServer {
  const server = new FullServer({ name: 'orders', version: '1.0.0' })
  server.registerTool(
    'look_up',
    { inputSchema, annotations: { readOnlyHint: true } },
    ({ run, item }) => `${item} ${note(run, `look_up ${item}`)}`,
  )
  server.registerTool('order', { inputSchema }, async ({ run, item }, ctx) => {
    note(run, `handler ${item}`)
    await ctx.step('reserve', () => note(run, `reserve ${item}`))
    const { action } = await ctx.elicit({
      key: 'confirm',
      message: `Order ${item}?`,
      schema: z.object({ sure: z.boolean() }),
    })
    const paid = await ctx.step('pay', () => note(run, `pay ${item}`))
    return `${item} ${action} ${paid}`
  })
  const hold = async ({ run, item }: { run: string; item: string }, ctx: FullContext) => {
    const times = note(run, `hold ${item}`)
    const step = await ctx.step('before', () => note(run, `before ${item}`))
    if (times === 1) {
      // From its first message on, a call in a session has a row.
      await ctx.log('info', 'held')
      note(run, 'held')
      await new Promise(() => undefined)
    }
    return `${item} ${step}`
  }
  server.registerTool('hold', { inputSchema }, hold)
  server.registerTool(
    'hold_repeatable',
    { inputSchema, annotations: { idempotentHint: true } },
    hold,
  )
  server.registerTool('nap', { inputSchema }, async ({ run, item }, ctx) => {
    note(run, `nap ${item}`)
    await ctx.sleep('rest', 20)
    return `${item} rested`
  })
  return server
}

export const codeEvents: TelemetryEvent[] = []

const edgeway = createEdgeway(createCodeServer(), {
  features: [sessions(), tasks(), code({ maxCalls: 50 })],
  telemetry: { spans: true, record: (event) => void codeEvents.push(event) },
})

export const codeApp = edgeway

/** Ends all objects at once, as a kill of their processes does. */
export const killObjects = (): Promise<void> => abortAllDurableObjects()
