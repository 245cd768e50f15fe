/** Durable tasks of both revisions: waiting, asleep, asking, interrupted and over; and their webhooks. */
import { type NamedParams, readAnswer, taskRequest } from '../../attacks/modern.ts'
import { delay } from '../../faults/sessions/delay.ts'
import { accept } from '../../support/accept.ts'
import { type Endpoint, readCount, withToken } from '../calls.ts'
import { openState } from '../open-state.ts'
import type { ServedEndpoint } from '../upgrade-server.ts'
import { type HeldSession, openSession, reopenSession } from './held-session.ts'
import { createTokens, type HeldTokens } from './principal-states.ts'

interface HeldTask {
  readonly taskId: string
  /** The name of its counters. */
  readonly name: string
}

/** Longer than the rest of a recording takes on a quiet machine. */
const NAP_MS = 3000
const POLL_MS = 50
const VALUE = { ok: true }

async function send({ url, fetch }: Endpoint, method: string, params: NamedParams) {
  const { result, error } = await readAnswer(await fetch(taskRequest(url, method, params)))
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the wire form
  return (result ?? error) as any
}

async function create(endpoint: Endpoint, tool: string, args: object): Promise<string> {
  const task = await send(endpoint, 'tools/call', { name: tool, arguments: args })
  if (task?.resultType !== 'task') throw new Error(`No task: ${JSON.stringify(task)}`)
  return task.taskId
}

/** Waits until a task has another status, and returns its state. */
async function stateAfter(endpoint: Endpoint, taskId: string, status = 'working') {
  for (;;) {
    const state = await send(endpoint, 'tasks/get', { taskId })
    if (state.status !== status) return state
    await delay(POLL_MS)
  }
}

/** Waits until the first step of a task has run, so that the task waits for its event. */
async function firstStep(endpoint: Endpoint, name: string): Promise<void> {
  while ((await readCount(endpoint, `${name}-before`)) !== 1) await delay(POLL_MS)
}

const bothSteps = (endpoint: Endpoint, name: string) =>
  Promise.all([readCount(endpoint, `${name}-before`), readCount(endpoint, `${name}-after`)])

function post(
  { fetch }: Pick<ServedEndpoint, 'fetch'>,
  url: string,
  value: unknown,
): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(new Request(url, { method: 'POST', headers, body: JSON.stringify(value) }))
}

const deliver = (server: ServedEndpoint, taskId: string) =>
  post(server, `${server.origin}/probe/deliver`, { taskId, key: 'event', value: VALUE })

interface HeldWebhook extends HeldTask {
  readonly webhook: string
}

async function leaveWebhook(endpoint: Endpoint, name: string): Promise<HeldWebhook> {
  const taskId = await create(endpoint, 'webhook', { name })
  await firstStep(endpoint, name)
  const { statusMessage } = await send(endpoint, 'tasks/get', { taskId })
  return { taskId, name, webhook: statusMessage }
}

export const TASK_STATES = {
  'task that waits for an event': openState<HeldTask>({
    title: 'delivers an event to a task that waits for it',
    async leave(server, name) {
      const taskId = await create(server, 'wait_event', { name })
      await firstStep(server, name)
      return { taskId, name }
    },
    async resume(server, { taskId, name }, expect) {
      expect((await deliver(server, taskId)).status).toBe(200)
      const { result } = await stateAfter(server, taskId)
      expect(result.structuredContent).toEqual(VALUE)
      expect(await bothSteps(server, name)).toEqual([1, 1])
    },
  }),

  'task with a webhook': openState<HeldWebhook>({
    title: 'accepts the call of an older webhook, once',
    isOlder: true,
    leave: leaveWebhook,
    async resume(server, { taskId, name, webhook }, expect) {
      expect((await post(server, webhook, VALUE)).status).toBe(202)
      const { result } = await stateAfter(server, taskId)
      expect(result.structuredContent).toEqual(VALUE)
      expect((await post(server, webhook, VALUE)).status).toBe(410)
      expect(await bothSteps(server, name)).toEqual([1, 1])
    },
  }),

  'task with an event that it has not waited for': openState<HeldTask>({
    title: 'keeps a value that was delivered to a task early',
    needsKill: true,
    async leave(server, name) {
      const taskId = await create(server, 'wait_event', { name })
      await deliver(server, taskId)
      return { taskId, name }
    },
    async resume(server, { taskId, name }, expect) {
      const { result } = await stateAfter(server, taskId)
      expect(result.structuredContent).toEqual(VALUE)
      expect(await bothSteps(server, name)).toEqual([1, 1])
    },
  }),

  'task that asks': openState<HeldTask & { readonly key: string }>({
    title: 'accepts the answer to the question of a task under its key',
    async leave(server, name) {
      const taskId = await create(server, 'confirm_delete', { filename: name })
      const { inputRequests } = await stateAfter(server, taskId)
      return { taskId, name, key: String(Object.keys(inputRequests)[0]) }
    },
    async resume(server, { taskId, name, key }, expect) {
      const { inputRequests } = await stateAfter(server, taskId)
      expect(Object.keys(inputRequests)).toEqual([key])
      const inputResponses = { [key]: accept({ confirm: true }) }
      await send(server, 'tasks/update', { taskId, inputResponses })
      const { result } = await stateAfter(server, taskId, 'input_required')
      const ended = result === undefined ? await stateAfter(server, taskId) : { result }
      expect(ended.result.content[0].text).toBe(`${name} is deleted.`)
    },
  }),

  'task of 2025-11-25': openState<HeldTask & { readonly session: HeldSession }>({
    title: 'answers tasks/result of 2025-11-25 for a task of an older session',
    async leave(server, name) {
      const { session, held } = await openSession(server)
      const call = { name: 'wait_event', arguments: { name }, task: {} }
      const created = (await session.request('tools/call', call)).result as object
      const { taskId } = (created as { readonly task: { readonly taskId: string } }).task
      await firstStep(server, name)
      return { taskId, name, session: held }
    },
    async resume(server, { taskId, name, session: held }, expect) {
      expect((await deliver(server, taskId)).status).toBe(200)
      const session = reopenSession(server, held)
      const { result } = await session.request('tasks/result', { taskId })
      expect(result?.structuredContent).toEqual(VALUE)
      expect(await bothSteps(server, name)).toEqual([1, 1])
    },
  }),

  'tasks that are over': openState<{ readonly completed: string; readonly cancelled: string }>({
    title: 'returns the result of a task that is over',
    isOlder: true,
    async leave(server, name) {
      const completed = await create(server, 'ten_steps', { name, gapMs: 0 })
      await stateAfter(server, completed)
      const cancelled = await create(server, 'wait_event', { name: `${name}-cancelled` })
      await send(server, 'tasks/cancel', { taskId: cancelled })
      return { completed, cancelled }
    },
    async resume(server, { completed, cancelled }, expect) {
      expect((await stateAfter(server, completed)).result.content[0].text).toBe('done')
      expect((await stateAfter(server, cancelled)).status).toBe('cancelled')
    },
  }),

  'task that sleeps': openState<HeldTask>({
    title: 'wakes a task at its time',
    needsKill: true,
    async leave(server, name) {
      const taskId = await create(server, 'sleep_step', { name, ms: NAP_MS })
      await firstStep(server, name)
      return { taskId, name }
    },
    async resume(server, { taskId, name }, expect) {
      const { result } = await stateAfter(server, taskId)
      expect(result.content[0].text).toBe('done')
      expect(await bothSteps(server, name)).toEqual([1, 1])
    },
  }),

  'task that was interrupted': openState<HeldTask>({
    title: 'finishes a task of ten steps, and runs no step twice',
    needsKill: true,
    async leave(server, name) {
      const taskId = await create(server, 'ten_steps', { name, gapMs: 300 })
      while ((await readCount(server, `${name}-1`)) !== 1) await delay(POLL_MS)
      return { taskId, name }
    },
    async resume(server, { taskId, name }, expect) {
      const { result } = await stateAfter(server, taskId)
      expect(result.content[0].text).toBe('done')
      const steps = Array.from({ length: 10 }, (_, index) => `${name}-${index + 1}`)
      const counts = await Promise.all(steps.map((step) => readCount(server, step)))
      expect(counts).toEqual(steps.map(() => 1))
    },
  }),
}

export const TASK_OF_A_PRINCIPAL = {
  'task of a principal': openState<HeldWebhook & { readonly tokens: HeldTokens }>({
    title: 'continues the task of a principal as its caller, and for no other principal',
    async leave(server, name) {
      const tokens = await createTokens(server, name)
      return { ...(await leaveWebhook(withToken(server, tokens.owner), name)), tokens }
    },
    async resume(server, { taskId, name, webhook, tokens }, expect) {
      const guest = await send(withToken(server, tokens.guest), 'tasks/get', { taskId })
      expect(guest.code).toBe(-32602)
      expect((await post(server, webhook, VALUE)).status).toBe(202)
      const owner = withToken(server, tokens.owner)
      expect((await stateAfter(owner, taskId)).result.structuredContent).toEqual(VALUE)
      expect(await bothSteps(owner, name)).toEqual([1, 1])
    },
  }),
}
