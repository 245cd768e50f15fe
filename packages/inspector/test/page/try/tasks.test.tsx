/** A call that becomes a task. */
import { act, fireEvent, screen, within } from '@testing-library/preact'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { readRoute } from '../../../page/route.ts'
import { wait } from '../support/clock.ts'
import { press, textOf } from '../support/controls.ts'
import { type McpRequest, never, refusal } from '../support/played-server.ts'
import { callsOf, callTool, openTool, status } from './open-try.tsx'

const CREATED = new Date(2026, 10, 22, 12).toISOString()

const TASK = {
  resultType: 'task',
  taskId: 'task-1',
  status: 'working',
  createdAt: CREATED,
  lastUpdatedAt: CREATED,
  ttlMs: 60_000,
  pollIntervalMs: 1000,
}

const card = () => screen.getByRole('region', { name: 'Task' })
const badge = () => card().querySelector('.badge')

type State = Readonly<Record<string, unknown>>

/** Calls a tool whose task has one state after the other; the last one stays. */
async function begin(states: readonly State[], created: State = {}, results: object = {}) {
  const rest = [...states]
  const next = () => ({ ...TASK, ...(rest.length > 1 ? rest.shift() : rest[0]) })
  const opening = openTool({ ...TASK, ...created }, {}, { 'tasks/get': next, ...results })
  await wait(100)
  const recorded = await opening
  press('Call the tool')
  await wait(10)
  return recorded
}

beforeEach(() => {
  vi.useFakeTimers()
})

describe('a task', () => {
  it('is read until it is over, in the interval that the server proposes', async () => {
    const recorded = await begin([{}, { status: 'completed', result: { content: [] } }])
    expect(textOf(status())).toBe('Running as a task…')
    await wait(980)
    expect(callsOf(recorded, 'tasks/get')).toHaveLength(0)
    await wait(20)
    expect(callsOf(recorded, 'tasks/get')).toHaveLength(1)
    expect(callsOf(recorded, 'tasks/get')[0]?.params.taskId).toBe('task-1')
    await wait(1000)
    expect(textOf(status())).toMatch(/^Done in/)
    await wait(10_000)
    expect(callsOf(recorded, 'tasks/get')).toHaveLength(2)
  })

  it.each([
    [1, 200],
    [200, 200],
    [10_000, 10_000],
    [60_000, 10_000],
    [undefined, 10_000],
  ])('with the interval %s is read after %i ms', async (pollIntervalMs, ms) => {
    const recorded = await begin([{}], { pollIntervalMs })
    await wait(ms - 20)
    expect(callsOf(recorded, 'tasks/get')).toHaveLength(0)
    await wait(20)
    expect(callsOf(recorded, 'tasks/get')).toHaveLength(1)
  })

  it('says what is known of it, and that it continues', async () => {
    await begin([{}], { statusMessage: 'Half done' })
    expect(textOf(card())).toBe(
      'TaskworkingHalf donetask-1Copy the id of the taskLast update22 Nov 2026, 12:00:00Expires22 Nov 2026, 12:01:00The task continues on the server, also when you close this page.',
    )
  })

  it('says nothing of times that are none', async () => {
    await begin([{}], { createdAt: 'soon', lastUpdatedAt: undefined })
    expect(within(card()).getAllByText('–')).toHaveLength(2)
  })

  it.each([
    ['working', 'accent', true],
    ['input_required', 'warn', true],
    ['completed', 'good', false],
    ['failed', 'bad', false],
    ['cancelled', 'plain', false],
  ])('that is %s has the colour %s', async (state, colour, continues) => {
    await begin([{ status: state }], { status: state })
    expect([textOf(badge()), badge()?.className]).toEqual([state, `badge ${colour}`])
    expect(within(card()).queryByText(/continues on the server/) !== null).toBe(continues)
  })

  it('shows its result', async () => {
    await begin([{ status: 'completed', result: { content: [{ type: 'text', text: 'made' }] } }])
    await wait(1000)
    expect(screen.getByText('made')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Cancel the task' })).toBeNull()
  })

  it('that is over at once is not read', async () => {
    const recorded = await begin([{}], { status: 'completed' })
    await wait(20_000)
    expect(textOf(status())).toMatch(/^Done in/)
    expect(callsOf(recorded, 'tasks/get')).toHaveLength(0)
  })

  it('shows the error with which it fails', async () => {
    const error = { code: -32000, message: 'The job has broken down', data: { at: 3 } }
    await begin([{ status: 'failed', error }])
    await wait(1000)
    expect(textOf(status())).toBe('Failed')
    expect(screen.getByText('The task failed')).toBeTruthy()
    expect(screen.getByText('The job has broken down')).toBeTruthy()
    expect(textOf(document.querySelector('.notice .json > ul'))).toBe('{1}at3')
  })

  it('that cannot be read says why', async () => {
    await begin([], {}, { 'tasks/get': () => refusal('No such task') })
    await wait(1000)
    expect(screen.getByText('The request failed')).toBeTruthy()
    expect(screen.getByText('No such task (-32602)')).toBeTruthy()
  })
})

describe('the question of a task', () => {
  const question = (...keys: readonly string[]) => ({
    status: 'input_required',
    inputRequests: Object.fromEntries(
      keys.map((key) => [key, { method: 'elicitation/create', params: { message: key } }]),
    ),
  })

  it('is answered by an update of the task, once', async () => {
    const recorded = await begin([
      question('a'),
      question('a', 'b'),
      { status: 'completed', result: {} },
    ])
    await wait(1000)
    expect(textOf(status())).toBe('The server asks')
    press('Decline')
    await wait(10)
    expect(callsOf(recorded, 'tasks/update')[0]?.params).toMatchObject({
      taskId: 'task-1',
      inputResponses: { a: { action: 'decline' } },
    })
    expect(screen.getAllByRole('heading', { name: /The server asks/ }).map(textOf)).toEqual([
      'The server asks you b',
    ])
    press('Dismiss')
    await wait(10)
    expect(textOf(status())).toMatch(/^Done in/)
    expect(callsOf(recorded, 'tasks/update')).toHaveLength(2)
  })

  it('that the server still shows after its answer is not asked again', async () => {
    const recorded = await begin([question('a')])
    await wait(1000)
    press('Decline')
    await wait(10)
    expect(textOf(status())).toBe('Running as a task…')
    await wait(3000)
    expect(callsOf(recorded, 'tasks/update')).toHaveLength(1)
    expect(screen.queryByRole('heading', { name: /The server asks/ })).toBeNull()
  })
})

describe('a task that is cancelled', () => {
  const cancel = async () => {
    fireEvent.click(screen.getByRole('button', { name: 'Cancel the task' }))
    await wait(10)
  }

  it('is cancelled at the server, and shown as it is then', async () => {
    const recorded = await begin([{ status: 'cancelled' }])
    await cancel()
    expect(callsOf(recorded, 'tasks/cancel')[0]?.params.taskId).toBe('task-1')
    expect(textOf(status())).toBe('Cancelled')
    expect(textOf(badge())).toBe('cancelled')
  })

  it('shows the result of a task that was over before', async () => {
    await begin([{ status: 'completed', result: {} }])
    await cancel()
    expect(textOf(status())).toMatch(/^Done in/)
  })

  it('says why it could not be cancelled', async () => {
    await begin([{}], {}, { 'tasks/cancel': () => refusal('Too late') })
    await cancel()
    expect(screen.getByText('Too late (-32602)')).toBeTruthy()
  })

  it('is not read any more while the server does not answer', async () => {
    const recorded = await begin([{}], {}, { 'tasks/cancel': never })
    await cancel()
    await wait(20_000)
    expect(callsOf(recorded, 'tasks/get')).toHaveLength(0)
  })

  it('is no task that the page has left', async () => {
    const recorded = await begin([{}])
    press('Close')
    act(readRoute)
    await wait(20_000)
    expect(callsOf(recorded, 'tasks/cancel')).toHaveLength(0)
    expect(callsOf(recorded, 'tasks/get')).toHaveLength(0)
  })
})

describe('a call that is no task', () => {
  it.each([{ resultType: 'complete', taskId: 'x' }, { taskId: 'x' }])(
    'has no card: %j',
    async (result) => {
      vi.useRealTimers()
      await callTool((_: McpRequest) => result)
      await screen.findByText(/^Done/)
      expect(screen.queryByRole('region', { name: 'Task' })).toBeNull()
    },
  )
})
