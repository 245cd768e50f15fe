/** `events({ taskEnds: true })`: the end of a task as an event of its owner, also over faults and kills. */
// features: admin, events, tasks
import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { TaskObject } from '../../../durable-objects/task/task-object.ts'
import { tasks } from '../../../src/features/tasks/index.ts'
import { openTaskId } from '../../../src/features/tasks/task-ids.ts'
import { createEdgeway, jsonSchema, ProtocolError } from '../../../src/index.ts'
import type { CreatePart } from '../../../src/ports/objects.ts'
import { ErrorCode } from '../../../src/protocol/error-codes.ts'
import type { TelemetryEvent } from '../../../src/telemetry/index.ts'
import { TaskClient } from '../../../test/durable-objects/task/task-client.ts'
import { createFullEdgeway, type FullOptions } from '../../../test/support/full-app.ts'
import { FullServer } from '../../../test/support/full-server.ts'
import { inPart, objectsOfKind, testSealer } from '../../../test/support/objects.ts'
import { openObjectsOf, partsOf } from '../../../test/support/opened-objects.ts'
import type { Handler } from '../../../test/support/session-server.ts'
import { taskServer } from '../../../test/support/task-server.ts'
import { connectApp } from '../../../test/support/test-app.ts'
import { trusting } from '../../../test/support/trusting.ts'
import { admin } from '../../inspector/src/admin/index.ts'
import { connect, createEventReceiver } from '../../testing/src/index.ts'
import { defineEvent, events } from '../src/index.ts'
import { EventLog } from '../src/objects/log/event-log.ts'
import type { LogName, NewOccurrence } from '../src/objects/port.ts'

const ORIGIN = 'https://ends.example.com'

/** No app of the Worker of the tests has it. */
const AUDIENCE = 'task-ends'

const reported: TelemetryEvent[] = []

/** What the log does with the next occurrences: it refuses them, or stores them and fails. */
const faults: ('refuses' | 'fails-late')[] = []

const OPTIONS: FullOptions = {
  auth: trusting(ORIGIN),
  audience: AUDIENCE,
  telemetry: (event) => reported.push(event),
}

function open(options: FullOptions = {}) {
  const app = createFullEdgeway(taskServer, {
    ...OPTIONS,
    admin: admin(),
    events: events({ types: [], taskEnds: true }),
    ...options,
  })
  const { log } = partsOf(app)
  const create = (...place: Parameters<CreatePart>): EventLog =>
    Object.setPrototypeOf(log?.create(...place), FaultyLog.prototype)
  return openObjectsOf(app, { log: { create } })
}

/** A log that fails as the test wants. */
class FaultyLog extends EventLog {
  override async emit(name: LogName, occurrence: NewOccurrence) {
    const fault = faults.shift()
    if (fault === 'refuses') throw new Error('The log refuses')
    const emitted = await super.emit(name, occurrence)
    if (fault === 'fails-late') throw new Error('The log fails late')
    return emitted
  }
}

const app = open()

beforeEach(() => {
  faults.length = 0
})

/** A client that has polled before anything has happened. */
class Poller extends TaskClient {
  #cursor: string | null = null

  async poll(cursor = this.#cursor) {
    const { body } = await this.send('events/poll', { name: 'task.ended', cursor })
    expect(body.error, JSON.stringify(body)).toBeUndefined()
    this.#cursor ??= body.result.cursor
    return body.result.events
  }
}

async function openClient(subject?: string, opened = app): Promise<Poller> {
  const client = new Poller(connectApp(opened, env), subject)
  expect(await client.poll()).toEqual([])
  return client
}

/** The events of a person since then. */
const eventsOf = (client: Poller) => client.poll()

async function stubOf(taskId: string) {
  const opened = await openTaskId(testSealer(), AUDIENCE, taskId)
  return objectsOfKind<TaskObject>('task', AUDIENCE).named(opened?.name ?? '')
}

const runAlarm = async (taskId: string) => runDurableObjectAlarm(await stubOf(taskId))

/** The ends that wait to be emitted. */
async function waitingEnds(taskId: string): Promise<unknown[]> {
  return inPart(await stubOf(taskId), (_, { storage: { sql } }) => {
    const tables = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'ended'").toArray()
    return tables.length === 0 ? [] : sql.exec('SELECT * FROM ended').toArray()
  })
}

/** Makes the next attempt due, and runs it. */
async function attempt(taskId: string): Promise<void> {
  if ((await waitingEnds(taskId)).length === 0) return
  await inPart(await stubOf(taskId), (_, { storage: { sql } }) => {
    sql.exec('UPDATE ended SET next_at = 0')
  })
  await runAlarm(taskId)
}

async function kill(taskId: string): Promise<void> {
  const stub = await stubOf(taskId)
  await inPart(stub, (_, ctx) => ctx.abort('killed')).catch(() => undefined)
}

const isEmitted = (taskId: string) =>
  expect.poll(() => waitingEnds(taskId), { timeout: 30_000 }).toEqual([])

describe('the event task.ended', () => {
  it('is listed with a description and the schema of its data', async () => {
    const { body } = await (await openClient(crypto.randomUUID())).send('events/list')
    expect(body.result.events).toEqual([
      {
        name: 'task.ended',
        description: expect.stringContaining('taskId'),
        delivery: ['poll', 'push', 'webhook'],
        inputSchema: { type: 'object', additionalProperties: false },
        payloadSchema: expect.objectContaining({
          required: ['taskId', 'tool', 'status', 'endedAt'],
        }),
      },
    ])
  })

  it.each<[string, Handler]>([
    ['completed', async () => 'the secret result'],
    [
      'failed',
      () => Promise.reject(new ProtocolError(ErrorCode.internalError, 'the secret reason')),
    ],
  ])('tells the owner that a task has %s, without its result', async (_, handler) => {
    const client = await openClient(crypto.randomUUID())
    const taskId = await client.start(handler)
    const task: { status: string } = await vi.waitFor(async () => {
      const state = await client.get(taskId)
      expect(['completed', 'failed']).toContain(state.status)
      return state
    })
    await isEmitted(taskId)
    const [event, ...others] = await eventsOf(client)
    expect(others).toEqual([])
    expect(event).toEqual({
      eventId: expect.stringMatching(/^task_[\w-]{43}$/),
      name: 'task.ended',
      timestamp: event.data.endedAt,
      data: { taskId, tool: 'required', status: task.status, endedAt: expect.any(String) },
    })
    expect(Math.abs(Date.parse(event.data.endedAt) - Date.now())).toBeLessThan(60_000)
  })

  it('tells the owner that a task was cancelled', async () => {
    const client = await openClient(crypto.randomUUID())
    const taskId = await client.start(async ({ waitFor }) => String(await waitFor('never')))
    await client.send('tasks/cancel', { taskId })
    await isEmitted(taskId)
    const [event] = await eventsOf(client)
    expect(event.data).toMatchObject({ taskId, status: 'cancelled' })
  })

  it('occurs when the lifetime of a task ends before the task', async () => {
    const client = await openClient(crypto.randomUUID())
    const taskId = await client.start(
      async ({ waitFor }) => String(await waitFor('never')),
      'brief',
    )
    await vi.waitFor(
      async () => {
        await runAlarm(taskId)
        const [event] = await eventsOf(client)
        expect(event?.data).toMatchObject({ taskId, tool: 'brief', status: 'cancelled' })
      },
      { timeout: 30_000 },
    )
    await expect.poll(() => client.get(taskId)).toHaveProperty('code')
  })

  it('is not readable by another person', async () => {
    const other = await openClient(crypto.randomUUID())
    const client = await openClient(crypto.randomUUID())
    const taskId = await client.start(async () => 'done')
    await isEmitted(taskId)
    expect(await eventsOf(other)).toEqual([])
  })
})

describe('the end of a task whose tool a token may not call', () => {
  it.each(['scoped', 'concealed'] as const)(
    'is delivered to those tokens alone that may call the tool %s',
    async (tool) => {
      const subject = crypto.randomUUID()
      const may = await openClient(`${subject} write secret`)
      const mayNot = await openClient(`${subject} read`)
      const taskId = await may.start(async () => 'done', tool)
      await isEmitted(taskId)
      const [event] = await eventsOf(may)
      expect(Object.keys(event.data)).toEqual(['taskId', 'tool', 'status', 'endedAt'])
      expect(await eventsOf(mayNot)).toEqual([])
    },
  )

  it('is not sent to the callback of such a token', async () => {
    const subject = crypto.randomUUID()
    const callback = createEventReceiver().listen()
    onTestFinished(() => callback.close())
    const client = await connect(app, { env, token: `${subject} read` })
    onTestFinished(() => client.close())
    await client.events.subscribe('task.ended', { callback })
    const starter = await openClient(`${subject} write`)
    await starter.start(async () => 'done', 'scoped')
    const taskId = await starter.start(async () => 'done')
    const { event } = await callback.next()
    expect(event).toMatchObject({ data: { taskId, tool: 'required' } })
    expect(reported).toContainEqual(
      expect.objectContaining({
        type: 'event-delivery',
        outcome: 'dropped',
        reason: 'not_authorized',
      }),
    )
  })
})

describe('the end of a task whose log fails', () => {
  it.each(['refuses', 'fails-late'] as const)(
    'is emitted once, after restarts of the object, when the log %s',
    async (fault) => {
      // Each attempt is two calls.
      faults.push(fault, fault, fault, fault)
      const client = await openClient(crypto.randomUUID())
      const taskId = await client.start(async () => 'done')
      for (const left of [2, 0]) {
        await vi.waitFor(() => expect(faults.length).toBeLessThanOrEqual(left), 30_000)
        await kill(taskId)
        await attempt(taskId)
      }
      await isEmitted(taskId)
      expect(await eventsOf(client)).toHaveLength(1)
      expect(reported).toContainEqual({ type: 'internal-error', error: expect.any(Error) })
    },
  )

  it('is kept beyond the lifetime of the task until it was emitted', async () => {
    faults.push('refuses', 'refuses')
    const client = await openClient(crypto.randomUUID())
    const taskId = await client.start(async () => 'done', 'brief')
    // The next attempt is a second later, and the task lives for less.
    await expect.poll(() => eventsOf(client), { timeout: 30_000 }).toHaveLength(1)
    expect(faults).toEqual([])
    await expect.poll(() => client.get(taskId)).toHaveProperty('code')
  })

  it('is given up and reported after 36 attempts', async () => {
    faults.push('refuses', 'refuses')
    const client = await openClient(crypto.randomUUID())
    const taskId = await client.start(async () => 'done')
    await vi.waitFor(() => expect(faults).toHaveLength(0), 30_000)
    await inPart(await stubOf(taskId), (_, { storage: { sql } }) => {
      sql.exec('UPDATE ended SET attempts = 35')
    })
    faults.push('refuses', 'refuses')
    await attempt(taskId)
    expect(await waitingEnds(taskId)).toEqual([])
    expect(await eventsOf(client)).toEqual([])
  })
})

describe('the end of a task that is deleted with its person', () => {
  it('is not emitted', async () => {
    const subject = crypto.randomUUID()
    const client = await openClient(subject)
    const taskId = await client.start(async ({ waitFor }) => String(await waitFor('never')))
    await app.admin(env).deletePerson(subject)
    expect(await client.get(taskId)).toHaveProperty('code')
    expect(await eventsOf(client)).toEqual([])
  })
})

describe('the end of a task of an anonymous caller', () => {
  it('is no event, also when all anonymous callers have one principal', async () => {
    const { auth: _, ...withoutAuth } = OPTIONS
    const anonymous = createFullEdgeway(taskServer, {
      ...withoutAuth,
      events: events({
        types: [],
        taskEnds: true,
        anonymousPrincipal: 'everyone',
      }),
    })
    openObjectsOf(anonymous)
    const client = await openClient(undefined, anonymous)
    const taskId = await client.start(async () => 'done')
    await client.reaches(taskId, 'completed')
    await runAlarm(taskId)
    expect(await waitingEnds(taskId)).toEqual([])
    expect(await eventsOf(client)).toEqual([])
    open()
  })
})

describe('a task object of an app without events()', () => {
  it('ignores an end that waits, and serves and deletes the task', async () => {
    // More than are attempted before the app changes.
    for (let count = 0; count < 20; count++) faults.push('refuses')
    const client = await openClient(crypto.randomUUID())
    const taskId = await client.start(async () => 'done')
    await vi.waitFor(() => expect(faults.length).toBeLessThan(20), 30_000)
    const without = openObjectsOf(createFullEdgeway(taskServer, OPTIONS))
    await evictDurableObject(await stubOf(taskId))
    const later = new TaskClient(connectApp(without, env), 'another')
    expect((await client.get(taskId)).status).toBe('completed')
    await attempt(taskId)
    expect(await waitingEnds(taskId)).toHaveLength(1)
    expect(await (await stubOf(taskId)).erase()).toBe(true)
    expect(await later.get(taskId)).toHaveProperty('code')
    open()
  })
})

describe('events({ taskEnds: true })', () => {
  it('is refused in an app without tasks()', () => {
    const server = new FullServer({ name: 'without', version: '1.0.0' })
    expect(() =>
      createEdgeway(server, { features: [events({ types: [], taskEnds: true })] }),
    ).toThrow(new TypeError('events({ taskEnds: true }) needs features: [tasks()]'))
    expect(() =>
      createEdgeway(server, { features: [events({ types: [], taskEnds: true }), tasks()] }),
    ).not.toThrow()
  })

  it('is refused beside an own type of the same name', () => {
    const own = defineEvent('task.ended', {
      description: 'Ours.',
      payload: jsonSchema({ type: 'object' }),
    })
    const server = new FullServer({ name: 'own', version: '1.0.0' })
    const features = [events({ types: [own], taskEnds: true }), tasks()]
    expect(() => createEdgeway(server, { features })).toThrow(
      new TypeError('events({ taskEnds: true }) brings the type task.ended'),
    )
  })
})
