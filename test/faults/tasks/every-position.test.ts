/**
 * One kill at every position of a task at once: each task is held at another position until the process
 * is killed, and all of them go on with the same storage.
 */
import { expect, it } from 'vitest'
import type { Part, Place } from '../../fixtures/tasks/parts.ts'
import { verifies } from '../../support/verifies.ts'
import { delay } from '../sessions/delay.ts'
import { type TaskState, type Work, WorkServer } from './work-server.ts'

const WHO = 'principal-1'
const STEPS = 10

const partsOf = (kind: Part['kind'], count = STEPS): readonly Part[] =>
  Array.from({ length: count }, () => ({ kind }))

/** One task for each place of each part, and for the end. */
function heldWorks(prefix: string, parts: readonly Part[], places: readonly Place[]): Work[] {
  const positions = parts.flatMap((_, part) => places.map((at) => ({ part, at })))
  const end = { part: parts.length, at: 'boundary' } as const
  return [...positions, end].map((hold) => ({
    name: `${prefix}-${hold.part}-${hold.at}`,
    parts,
    hold,
  }))
}

const WAITS = ['sleep', 'event', 'webhook', 'ask'] as const
/** Longer than the tests hold the process, so that the kill finds them asleep. */
const NAP_MS = 3000

function waitingWorks(prefix: string): Work[] {
  return WAITS.map((kind) => ({
    name: `${prefix}-${kind}`,
    parts: [{ kind: 'step' }, { kind, ms: NAP_MS }, { kind: 'step' }],
  }))
}

const valueFor = (key: string) => ({ text: `value of ${key}` })

/** Gives a waiting task what its second part waits for. */
async function answer(server: WorkServer, { name }: Work, state: TaskState): Promise<void> {
  const key = `${name}.1`
  const { taskId, statusMessage = '', inputRequests = {} } = state
  if (name.endsWith('event'))
    expect(await server.deliver(taskId, key, valueFor(key))).toBe('delivered')
  if (name.endsWith('webhook'))
    expect(await server.callWebhook(statusMessage, valueFor(key))).toBe(202)
  if (name.endsWith('ask')) {
    const [wireKey = ''] = Object.keys(inputRequests)
    const inputResponses = { [wireKey]: { action: 'accept', content: valueFor(key) } }
    const { error } = await server.call(WHO, 'tasks/update', { taskId, inputResponses })
    expect(error).toBeUndefined()
  }
}

function resultOf({ name, parts }: Work): object {
  const received = parts.flatMap(({ kind }, index) => {
    if (kind === 'sleep') return []
    return kind === 'step' || kind === 'once' ? `${name}.${index}` : `value of ${name}.${index}`
  })
  return { name, received }
}

it('a task that is killed at any boundary of its ten steps, inside any of them, or while it waits ends with its result, and each step is counted once', async ({
  onTestFinished,
}) => {
  verifies('tasks/task-is-durable-first')
  const server = await WorkServer.start(onTestFinished)
  const repeatable = heldWorks('step', partsOf('step'), [
    'boundary',
    'before-effect',
    'after-effect',
  ])
  const boundaries = heldWorks('once', partsOf('once'), ['boundary'])
  const waiting = waitingWorks('waiting')
  const resuming = waitingWorks('resuming')
  const inside = heldWorks('inside', partsOf('once', 2), ['after-effect']).slice(0, -1)
  const held = [...repeatable, ...boundaries, ...inside]
  const works = [...held, ...waiting, ...resuming]
  const ids = new Map<Work, string>()
  const stateOf = async (work: Work) => (await server.get(WHO, ids.get(work) ?? '')) as TaskState
  await Promise.all(
    works.map(async (work) => {
      const created = await server.create(WHO, work)
      expect(created?.result?.resultType, JSON.stringify(created)).toBe('task')
      ids.set(work, String(created?.result?.taskId))
    }),
  )
  const counts = (names: readonly string[]) => async () => {
    const counters = await server.counters()
    return names.filter((name) => counters[name] !== 1)
  }
  await expect.poll(counts(held.map(({ name }) => `${name}.held`))).toEqual([])
  await expect.poll(counts([...waiting, ...resuming].map(({ name }) => `${name}.0`))).toEqual([])

  await server.restart()
  const ask = resuming.find(({ name }) => name.endsWith('ask')) as Work
  await expect.poll(async () => (await stateOf(ask)).status).toBe('input_required')
  for (const work of resuming) await answer(server, work, await stateOf(work))
  // What was given to them is stored, and their handlers may have just begun again.
  await server.restart()
  for (const work of waiting) await answer(server, work, await stateOf(work))

  for (const work of works) {
    const isInside = inside.includes(work)
    await expect
      .poll(async () => (await stateOf(work)).status, { message: work.name })
      .toBe(isInside ? 'failed' : 'completed')
    const { result, error } = await stateOf(work)
    const key = `${work.name}.${work.hold?.part}`
    if (isInside) expect(error?.message).toContain(`"${key}"`)
    else expect(result?.structuredContent).toEqual(resultOf(work))
  }
  // Long enough for an alarm that runs a handler once too often.
  await delay(100)
  const counters = await server.counters()
  const wrong = works.flatMap((work) =>
    work.parts.flatMap(({ kind }, index) => {
      const isStep = kind === 'step' || kind === 'once'
      const last = inside.includes(work) ? (work.hold?.part ?? 0) : work.parts.length
      const expected = isStep && index <= last ? 1 : undefined
      const count = counters[`${work.name}.${index}`]
      return count === expected ? [] : [`${work.name}.${index}: ${count}, not ${expected}`]
    }),
  )
  expect(wrong).toEqual([])
  expect(server.log).not.toContain('internal-error')
})
