/** A session: calls that report, ask, and ask again, resumed streams, evictions, kills, and everything that expires. */
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  openSession,
  openSessionApp,
  type SessionClient,
  textOf,
} from '../../support/session-client.ts'
import type { Handler } from '../../support/session-server.ts'
import { SseReader, type WireMessage } from '../../support/sse-reader.ts'
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../fake-clock.ts'
import { actsOf, checkModel, evict, MODEL_TIMEOUT } from '../model.ts'
import { kill, runDueAlarms, socketsOf } from './lifetime.ts'
import { NOTHING, storedBy } from './stored.ts'

const LOG_MS = 5 * MINUTE_MS
const ASK_MS = 10 * MINUTE_MS
const CHANGED = 'notifications/tools/list_changed'

/** How many asks each handler sends at once, one round after the other. */
const ROUNDS = { 'one ask': [1], 'two at once': [2], 'one after the other': [1, 1] } as const

type Asking = keyof typeof ROUNDS

interface Call {
  readonly ids: readonly string[]
  /** Of the priming event and of those that carry messages. */
  readonly endedAt: number
}

interface OpenCall {
  readonly stream: SseReader
  readonly rounds: number[]
  readonly total: number
  asks: { readonly question: WireMessage; readonly sentAt: number; isAnswered: boolean }[]
  steps: number
}

class Reference {
  readonly calls: Call[] = []
  open: OpenCall[] = []
  /** Undefined before it was set: one that is the default is stored until the next alarm. */
  level: 'info' | 'debug' | undefined
  hasEnded = false
  /** The standalone stream: its events from the priming one on, and its reader. */
  events: { readonly id: string; readonly at: number }[] = []
  reader: SseReader | undefined

  /** Whether something must be stored; undefined for what the next alarm decides. */
  get isStored(): boolean | undefined {
    if (this.hasEnded) return false
    const logs = this.calls.filter(({ endedAt }) => endedAt + LOG_MS > Date.now())
    if (logs.length + this.open.length > 0 || this.level === 'debug') return true
    return this.level === undefined && this.events.length < 2 ? false : undefined
  }
}

interface Real {
  readonly session: SessionClient
}

const LOGS: Handler = async ({ log }) => {
  await log('info', 'under way')
  return 'done'
}

const handlerOf =
  (rounds: readonly number[], built: () => number): Handler =>
  async (ctx) => {
    let answers = 0
    await ctx.step('build', () => built())
    for (const [round, asks] of rounds.entries()) {
      const keys = Array.from({ length: asks }, (_, at) => `round-${round}-${at}`)
      answers += (await Promise.all(keys.map((key) => ctx.listRoots({ key })))).length
    }
    return `${answers} answers`
  }

async function questionsOf(stream: SseReader, count: number): Promise<OpenCall['asks']> {
  const asks: OpenCall['asks'] = []
  while (asks.length < count) {
    const question = await stream.message()
    expect(question.method).toBe('roots/list')
    asks.push({ question, sentAt: Date.now(), isAnswered: false })
  }
  return asks
}

/** The call has ended with this text. */
async function ended(model: Reference, call: OpenCall, text: string): Promise<void> {
  const answer = await call.stream.message()
  expect(textOf(answer)).toBe(text)
  expect(await call.stream.message()).toBeUndefined()
  model.calls.push({ ids: call.stream.ids.filter(Boolean), endedAt: Date.now() })
  model.open = model.open.filter((each) => each !== call)
}

const TOOLS: Handler = async ({ notify }) => {
  await notify.toolsChanged()
  return 'notified'
}

/** An id is a seal of the stream, which is another one on each connection, and the number of the event. */
const numberOf = (id: string) => id.split('~')[1]

/** A disconnected reader is detected when a comment is written to it. */
const app = openSessionApp({ limits: { keepAliveMs: 100 } })

const act = actsOf<Reference, Real>()
const nothing = fc.constant(undefined)
const isLive = ({ hasEnded }: Reference) => !hasEnded

const acts = [
  act(
    3,
    'call',
    nothing,
    async (model, { session }) => {
      const stream = await session.stream(LOGS)
      expect(await stream.rest()).toHaveLength(2)
      model.calls.push({ ids: stream.ids, endedAt: Date.now() })
    },
    isLive,
  ),
  act(
    4,
    'ask',
    fc.constantFrom(...(Object.keys(ROUNDS) as Asking[])),
    async (model, { session }, how) => {
      const [first = 0, ...rounds] = ROUNDS[how]
      const call: OpenCall = {
        stream: undefined as never,
        rounds: [...rounds],
        total: first + rounds.reduce((sum, asks) => sum + asks, 0),
        asks: [],
        steps: 0,
      }
      const handler = handlerOf(ROUNDS[how], () => {
        call.steps += 1
        return call.steps
      })
      const stream = await session.stream(handler)
      model.open.push(Object.assign(call, { stream, asks: await questionsOf(stream, first) }))
    },
    (model) => isLive(model) && model.open.length < 3,
  ),
  act(
    8,
    'answer',
    fc.record({ at: fc.nat(2), ask: fc.nat(1), twice: fc.boolean() }),
    async (model, { session }, { at, ask, twice }) => {
      const call = model.open[at % model.open.length]
      const asked = call?.asks[ask % call.asks.length]
      if (call === undefined || asked === undefined) return
      const isRepeated = asked.isAnswered
      for (const _ of twice ? [1, 2] : [1]) {
        expect(await session.answer(asked.question, { roots: [] })).toBe(202)
      }
      asked.isAnswered = true
      if (isRepeated || call.asks.some(({ isAnswered }) => !isAnswered)) return
      const next = call.rounds.shift()
      if (next !== undefined) call.asks = await questionsOf(call.stream, next)
      else await ended(model, call, `${call.total} answers`)
      expect(call.steps).toBe(1)
    },
    (model) => isLive(model) && model.open.length > 0,
  ),
  act(
    10,
    'resume',
    fc.record({ back: fc.constantFrom(0, 0, 1, 2), from: fc.nat(2) }),
    async (model, { session }, { back, from }) => {
      const call = model.calls.at(-1 - (back % model.calls.length))
      if (call === undefined) return
      const at = from % call.ids.length
      const response = await session.get(call.ids[at])
      const left = call.ids.length - 1 - at
      const isKept = call.endedAt + LOG_MS > Date.now()
      const status = isKept ? (left === 0 ? 405 : 200) : 410
      expect(response.status).toBe(model.hasEnded ? 404 : status)
      if (response.status !== 200) return void (await response.body?.cancel())
      expect(await new SseReader(response).rest()).toHaveLength(left)
    },
    ({ calls }) => calls.length > 0,
  ),
  act(
    4,
    'listen',
    fc.nat(2),
    async (model, { session }, back) => {
      const { events } = model
      const from = events.length - 1 - back
      const after = events.slice(from + 1)
      const response = await session.get(events[from]?.id)
      // What is older than the log may be deleted; the end of the log stays.
      const isKept = after.every(({ at }) => at + LOG_MS > Date.now())
      if (!isKept && response.status === 410) return
      expect(response.status).toBe(200)
      model.reader = new SseReader(response)
      if (from < 0) {
        while (model.reader.ids.length === 0) await model.reader.next()
        model.events = [{ id: model.reader.lastId, at: Date.now() }]
      } else {
        for (const { id } of after) {
          expect((await model.reader.message()).method).toBe(CHANGED)
          expect(numberOf(model.reader.lastId)).toBe(numberOf(id))
        }
      }
    },
    (model) => isLive(model) && model.reader === undefined,
  ),
  act(
    4,
    'change',
    nothing,
    async (model, { session }) => {
      await session.call(TOOLS)
      expect((await model.reader?.message())?.method).toBe(CHANGED)
      model.events.push({ id: model.reader?.lastId ?? '', at: Date.now() })
      expect(new Set(model.events.map(({ id }) => numberOf(id))).size).toBe(model.events.length)
    },
    ({ reader }) => reader !== undefined,
  ),
  act(
    2,
    'leave',
    nothing,
    async (model, { session }) => {
      await model.reader?.leave()
      model.reader = undefined
      await expect.poll(() => socketsOf(session)).toBe(model.open.length)
    },
    ({ reader }) => reader !== undefined,
  ),
  act(
    1,
    'set level',
    fc.constantFrom('info' as const, 'debug' as const),
    async (model, { session }, level) => {
      await session.request('logging/setLevel', { level })
      model.level = level
    },
    isLive,
  ),
  act(1, 'ping', nothing, async (model, { session }) => {
    expect((await session.send('ping')).status).toBe(model.hasEnded ? 404 : 200)
  }),
  act(3, 'evict', nothing, async (_, { session }) => evict(await session.stub())),
  act(2, 'kill', nothing, (_, { session }) => kill(session)),
  act(
    6,
    'wait',
    fc.record({
      ms: fc.constantFrom(SECOND_MS, MINUTE_MS, LOG_MS - 1, LOG_MS, LOG_MS, ASK_MS - 1, ASK_MS),
      isAlarmLate: fc.boolean(),
    }),
    async (model, { session }, { ms, isAlarmLate }) => {
      vi.setSystemTime(Date.now() + ms)
      // An ask that is answered between its deadline and the alarm has either outcome.
      if (isAlarmLate && model.open.length === 0) return
      await runDueAlarms(session)
      for (const call of [...model.open]) {
        const isOver = call.asks.some(
          ({ sentAt, isAnswered }) => !isAnswered && sentAt + ASK_MS <= Date.now(),
        )
        if (!isOver) continue
        for (const { question } of call.asks.filter(({ isAnswered }) => !isAnswered)) {
          const withdrawn = await call.stream.message()
          expect(withdrawn.method).toBe('notifications/cancelled')
          expect(withdrawn.params.requestId).toBe(question.id)
        }
        await ended(model, call, 'The question was not answered in time. The call may be repeated.')
      }
    },
  ),
  act(1, 'end', nothing, async (model, { session }) => {
    expect((await session.end()).status).toBe(model.hasEnded ? 404 : 204)
    model.hasEnded = true
    for (const { stream } of model.open) await stream.leave()
    await model.reader?.leave()
    model.open = []
    model.reader = undefined
  }),
]

describe('a session', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it(
    'answers each call once, keeps its stream for five minutes after that, and stores nothing else',
    MODEL_TIMEOUT,
    async () => {
      const start = Date.now()
      await checkModel<Reference, Real>({
        start: () => start,
        open: async () => ({
          model: new Reference(),
          real: { session: await openSession({}, app) },
        }),
        acts,
        check: async (model, { session }) => {
          const { tables, alarm } = await storedBy(session)
          // The alarm deletes what has expired.
          if (model.isStored === true) expect(tables).toBeGreaterThan(0)
          const isDue = alarm !== null && alarm <= Date.now()
          if (model.isStored === false && !isDue) expect(tables).toBe(0)
        },
        end: async (model, { session }) => {
          for (const { stream } of model.open) await stream.leave()
          await model.reader?.leave()
          await expect.poll(() => socketsOf(session)).toBe(0)
          for (const ms of [ASK_MS, LOG_MS, 2 * DAY_MS, 31 * DAY_MS]) {
            vi.setSystemTime(Date.now() + ms)
            await runDueAlarms(session)
          }
          expect(await storedBy(session)).toEqual(NOTHING)
        },
        runs: 25,
        commands: 40,
      })
    },
  )
})
