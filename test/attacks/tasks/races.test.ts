/** Requests for one task that arrive at the same time. Every answer agrees with how the task ends. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../../support/node/fixture-server.ts'
import type { WireMessage } from '../../support/sse-parser.ts'
import { TaskCaller } from './task-caller.ts'

const TIMES = 8
const OVER = ['cancelled', 'completed']

let server: FixtureServer
let caller: TaskCaller

beforeAll(async () => {
  server = await startFixtureServer()
  caller = new TaskCaller(server.url)
})
afterAll(async () => {
  expect(server.log()).not.toContain('internal-error')
  await server.stop()
})

const names = (race: string) => Array.from({ length: TIMES }, (_, index) => `${race}-${index}`)

async function deliver(taskId: string, ok: boolean): Promise<string> {
  const response = await fetch(new URL('/probe/deliver', server.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ taskId, key: 'event', value: { ok } }),
  })
  const { delivered, reason } = (await response.json()) as WireMessage
  return delivered ? 'delivered' : reason
}

async function countOf(name: string): Promise<number> {
  const call = { name: 'read_count', arguments: { name } }
  const { result } = await caller.send('tools/call', call)
  return (result as { readonly structuredContent: { readonly value: number } }).structuredContent
    .value
}

/** Waits for the end, and checks that it stays the end. */
async function endOf(taskId: string): Promise<string> {
  await expect.poll(() => caller.statusOf(taskId)).toBeOneOf(OVER)
  const first = await caller.get(taskId)
  expect(await caller.get(taskId)).toEqual(first)
  return first.status
}

describe('a task whose client cancels it', () => {
  it('ends in one way when its event is delivered at the same time', async () => {
    for (const name of names('cancel-deliver')) {
      const taskId = await caller.create('wait_event', { name })
      const [{ error }, delivered] = await Promise.all([
        caller.send('tasks/cancel', { taskId }),
        deliver(taskId, true),
      ])
      expect(error).toBeUndefined()
      expect(['delivered', 'task-is-over']).toContain(delivered)
      const status = await endOf(taskId)
      if (delivered === 'task-is-over') expect(status).toBe('cancelled')
      if (status === 'completed') expect(await countOf(`${name}-after`)).toBe(1)
      expect(await countOf(`${name}-after`)).toBeLessThanOrEqual(1)
    }
  })
})

describe('a value for a task', () => {
  it('is accepted once of several deliveries at the same time', async () => {
    for (const name of names('deliveries')) {
      const taskId = await caller.create('wait_event', { name })
      const values = [true, false, true, false]
      const outcomes = await Promise.all(values.map((ok) => deliver(taskId, ok)))
      const winner = outcomes.indexOf('delivered')
      const others = outcomes.filter((outcome) => outcome !== 'delivered')
      expect(others).toHaveLength(3)
      for (const other of others) expect(['delivered-before', 'task-is-over']).toContain(other)
      expect(await endOf(taskId)).toBe('completed')
      expect((await caller.get(taskId)).result.structuredContent).toEqual({ ok: values[winner] })
      expect(await countOf(`${name}-after`)).toBe(1)
    }
  })
})
