/**
 * The object of a principal under arbitrary requests, occurrences, answers of callbacks, evictions and kills: each occurrence
 * is attempted at the times that the limits give, and nothing is delivered after the end of a subscription.
 */
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { callbackError } from '../../../../src/protocol/event-errors.ts'
import { HOUR_MS, MINUTE_MS, useFakeClock } from '../../../../test/durable-objects/fake-clock.ts'
import {
  actsOf,
  checkModel,
  MODEL_TIMEOUT,
  tablesOf,
} from '../../../../test/durable-objects/model.ts'
import { type OpenSubscriber, openSubscriber, settled, until } from './subscriber.ts'
import { echoOrAccept } from './subscriber-world.ts'

const DELAYS_MS = [MINUTE_MS, 10 * MINUTE_MS]
const LIMITS = {
  subscriptionsPerPrincipal: 2,
  pendingPerSubscription: 4,
  retryDelaysMs: DELAYS_MS,
  challengesPerMinute: 1000,
}
const CALLBACKS = ['a', 'b', 'c']

type Answer = 'accepts' | 'fails' | 'does not want it'

interface Pending {
  attempts: number
  nextAt: number
}

interface Subscription {
  readonly registration: string
  expiresAt: number
  accepted: number
  isLost: boolean
  hasGap: boolean
  /** By position; a gap waits as `gap`. */
  readonly pending: Map<number | 'gap', Pending>
}

class Reference {
  readonly subscriptions = new Map<string, Subscription>()
  readonly answers = new Map<string, Answer>(CALLBACKS.map((each) => [each, 'accepts']))
  readonly delivered = new Map<string, (number | 'gap')[]>(CALLBACKS.map((each) => [each, []]))
  readonly ended = new Set<string>()
  position = 10
  outcomes = 0

  /** What every call does first. */
  sweep(): void {
    for (const [callback, { expiresAt }] of this.subscriptions) {
      if (expiresAt <= Date.now()) this.end(callback)
    }
  }

  end(callback: string): void {
    const { registration } = this.subscriptions.get(callback) ?? {}
    if (registration !== undefined) this.ended.add(registration)
    this.subscriptions.delete(callback)
  }

  accept(positions: readonly number[]): void {
    for (const subscription of this.subscriptions.values()) {
      const added = positions.filter((position) => position > subscription.accepted)
      for (const position of added) {
        subscription.pending.set(position, { attempts: 0, nextAt: Date.now() })
        subscription.accepted = position
      }
      const events = [...subscription.pending.keys()].filter((key) => key !== 'gap')
      // The gap counts among the rows.
      const excess =
        added.length === 0 ? 0 : subscription.pending.size - LIMITS.pendingPerSubscription
      for (const position of events.slice(0, Math.max(0, excess))) {
        subscription.pending.delete(position)
        this.outcomes += 1
      }
      if (excess <= 0) continue
      subscription.isLost = true
      if (!subscription.hasGap) subscription.pending.set('gap', { attempts: 0, nextAt: Date.now() })
      subscription.hasGap = true
    }
  }

  /** Every attempt that is due. */
  attempt(): void {
    const now = Date.now()
    for (const [callback, subscription] of this.subscriptions) {
      const answer = this.answers.get(callback)
      for (const [key, pending] of subscription.pending) {
        if (pending.nextAt > now) continue
        this.outcomes += 1
        this.delivered.get(callback)?.push(key)
        const delay = answer === 'fails' ? DELAYS_MS[pending.attempts] : undefined
        if (delay === undefined) {
          subscription.pending.delete(key)
          if (key === 'gap') subscription.hasGap = false
          if (answer === 'fails') subscription.isLost = true
        } else {
          pending.attempts += 1
          pending.nextAt = now + delay
        }
      }
    }
  }
}

interface Real {
  readonly subscriber: OpenSubscriber
}

const act = actsOf<Reference, Real>()
const nothing = fc.constant(undefined)
const callback = fc.constantFrom(...CALLBACKS)
const urlOf = (of: string) => `https://hooks.example.org/${of}`

const acts = [
  act(
    4,
    'subscribe',
    fc.record({ of: callback, ttlMs: fc.constantFrom(undefined, 1, HOUR_MS, 48 * HOUR_MS) }),
    async (model, { subscriber }, { of, ttlMs }) => {
      model.sweep()
      const known = model.subscriptions.get(of)
      const result = await subscriber.subscribe({ url: urlOf(of), ttlMs })
      if (known === undefined && model.subscriptions.size >= LIMITS.subscriptionsPerPrincipal) {
        expect(result).toMatchObject({ ok: false, error: { name: 'ResourceExhausted' } })
        model.attempt()
        return
      }
      if (!result.ok) throw new Error(JSON.stringify(result.error))
      const expiresAt =
        Date.now() + Math.min(24 * HOUR_MS, Math.max(MINUTE_MS, ttlMs ?? 6 * HOUR_MS))
      const waiting = [...(known?.pending.keys() ?? [])].filter((key) => key !== 'gap')
      const before = known?.accepted ?? model.position
      const hasWaiting = waiting.length > 0
      expect(result.value.expiresAt).toBe(expiresAt)
      expect(result.value.truncated).toBe(known?.isLost ?? false)
      if (known?.hasGap !== true) {
        expect(result.value.position?.position).toBe(hasWaiting ? Math.min(...waiting) - 1 : before)
      }
      if (known !== undefined) Object.assign(known, { expiresAt, isLost: false })
      else {
        const registration = [...subscriber.world.registrations.keys()].find(
          (each) => each.startsWith(`${result.value.id}.`) && !model.ended.has(each),
        )
        if (registration === undefined) throw new Error('The log does not have the subscription')
        model.subscriptions.set(of, {
          registration,
          expiresAt,
          accepted: model.position,
          isLost: false,
          hasGap: false,
          pending: new Map(),
        })
      }
      model.attempt()
    },
  ),
  act(1, 'unsubscribe', callback, async (model, { subscriber }, of) => {
    model.sweep()
    const { subscriptions } = model
    const isKnown = subscriptions.has(of)
    const wasUnsubscribed = await subscriber.unsubscribe({ url: urlOf(of) })
    // The end of one is remembered for a day.
    if (isKnown) expect(wasUnsubscribed).toBe(true)
    model.end(of)
  }),
  act(
    6,
    'hand over',
    fc.record({ count: fc.constantFrom(1, 1, 2, 6), isRepeated: fc.boolean() }),
    async (model, { subscriber }, { count, isRepeated }) => {
      model.sweep()
      const positions = Array.from({ length: count }, (_, at) => model.position + at + 1)
      model.position += count
      subscriber.world.position = model.position
      for (const _ of isRepeated ? [1, 2] : [1]) {
        const missing = await subscriber.hand(positions)
        model.accept(positions)
        model.attempt()
        for (const registration of missing) expect(model.ended).toContain(registration)
      }
    },
  ),
  act(
    3,
    'callback',
    fc.record({
      of: callback,
      answer: fc.constantFrom<Answer>('accepts', 'fails', 'fails', 'fails', 'does not want it'),
    }),
    async ({ answers }, _, { of, answer }) => void answers.set(of, answer),
  ),
  act(8, 'alarm', nothing, async (model, { subscriber }) => {
    model.sweep()
    if (await subscriber.alarm()) model.attempt()
  }),
  act(1, 'evict', nothing, (_, { subscriber }) => subscriber.evict().catch(() => undefined)),
  act(1, 'kill', nothing, (_, { subscriber }) => subscriber.kill()),
  act(1, 'end', nothing, async (model, { subscriber }) => {
    model.sweep()
    const ended = await subscriber.stub().end(callbackError('internal_error'))
    expect(ended).toBe(model.subscriptions.size)
    for (const of of CALLBACKS) model.end(of)
  }),
  act(1, 'erase', nothing, async (model, { subscriber }) => {
    model.sweep()
    expect(await subscriber.stub().erase()).toBe(model.subscriptions.size)
    for (const of of CALLBACKS) model.end(of)
  }),
  act(
    6,
    'wait',
    fc.constantFrom(MINUTE_MS - 1, MINUTE_MS, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS),
    async (_, __, ms) => vi.setSystemTime(Date.now() + ms),
  ),
]

async function check(model: Reference, { subscriber }: Real): Promise<void> {
  const { world } = subscriber
  await settled(subscriber, model.outcomes)
  for (const of of CALLBACKS) {
    const sent = world.received.filter(
      ({ url, message }) =>
        url === urlOf(of) && message.type !== 'verification' && message.type !== 'terminated',
    )
    const keys = sent.map(({ message }) =>
      message.eventId === undefined ? 'gap' : Number(message.eventId.slice(4)),
    )
    const sorted = (all: readonly (number | 'gap')[]) => all.map(String).toSorted()
    expect(sorted(keys)).toEqual(sorted(model.delivered.get(of) ?? []))
  }
  await until(() => [...model.ended].every((each) => !world.registrations.has(each)))
  for (const { registration } of model.subscriptions.values()) {
    expect(world.registrations.has(registration)).toBe(true)
  }
  const live = [...model.subscriptions.values()]
  if (live.length === 0) return
  const dues = live.flatMap(({ expiresAt, pending }) => [
    expiresAt,
    ...[...pending.values()].map(({ nextAt }) => nextAt),
  ])
  expect(await subscriber.alarmAt()).toBeLessThanOrEqual(Math.max(Math.min(...dues), Date.now()))
}

describe('the object of a principal', () => {
  useFakeClock()

  it(
    'attempts each occurrence as its limits say, and stores nothing after the last subscription',
    MODEL_TIMEOUT,
    async () => {
      await checkModel<Reference, Real>({
        open: async () => {
          const model = new Reference()
          const subscriber = openSubscriber(LIMITS)
          subscriber.world.answer = (request) => {
            const answer = model.answers.get(request.url.slice(-1))
            if (request.message.type !== undefined && request.message.type !== 'gap')
              return echoOrAccept(request)
            if (answer === 'accepts') return echoOrAccept(request)
            return new Response(null, { status: answer === 'fails' ? 500 : 410 })
          }
          return { model, real: { subscriber } }
        },
        acts,
        check,
        end: async (_, { subscriber }) => {
          vi.setSystemTime(Date.now() + 24 * HOUR_MS)
          for (let alarms = 0; alarms < 5 && (await subscriber.alarmAt()) !== null; alarms++) {
            await subscriber.alarm()
            vi.setSystemTime(Date.now() + 26 * HOUR_MS)
          }
          expect(await tablesOf(subscriber.stub())).toEqual([])
        },
        runs: 25,
        commands: 45,
      })
    },
  )
})
