/** A task whose handler is any program of steps, asks, sleeps and waits, under answers, deliveries, evictions, kills and time. */
// features: tasks
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import type { FullContext } from '../../support/full-server.ts'
import { control, objectOf } from '../../support/task-server.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../fake-clock.ts'
import { actsOf, alarmOf, checkModel, evict, MODEL_TIMEOUT, runAlarm } from '../model.ts'
import { TaskClient } from './task-client.ts'
import { kill } from './task-object.ts'

const EVENTS = ['paid', 'valueOf'] as const
/** Names of members of `Object.prototype` are keys like any other. */
const KEYS = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'key']
const SCHEMA = z.object({ ok: z.boolean() })
const ACCEPT = { action: 'accept', content: { ok: true } }
const MISFIT = { action: 'accept', content: { ok: 'no' } }

type Instruction =
  | { readonly do: 'step' }
  | { readonly do: 'ask' }
  | { readonly do: 'ask twice' }
  | { readonly do: 'sleep'; readonly ms: number }
  | { readonly do: 'wait'; readonly event: (typeof EVENTS)[number]; readonly timeoutMs: number }

const instruction: fc.Arbitrary<Instruction> = fc.oneof(
  fc.record({ do: fc.constantFrom('step' as const, 'ask' as const, 'ask twice' as const) }),
  fc.record({ do: fc.constant('sleep' as const), ms: fc.constantFrom(10 * MINUTE_MS, HOUR_MS) }),
  fc.record({
    do: fc.constant('wait' as const),
    event: fc.constantFrom(...EVENTS),
    timeoutMs: fc.constantFrom(10 * MINUTE_MS, HOUR_MS),
  }),
)

/** Each event is waited for once: a second wait would have a key of its own. */
const program = fc.uniqueArray(instruction, {
  minLength: 1,
  maxLength: 5,
  selector: (each) => (each.do === 'wait' ? each.event : each),
})

class Reference {
  program: readonly Instruction[] = []
  createdAt = 0
  at = 0
  /** Steps that have run, by the place of each. */
  readonly steps: number[] = []
  asks = 0
  open: string[] = []
  until: number | undefined
  readonly delivered = new Set<string>()
  readonly late = new Set<string>()
  readonly results: string[] = []
  isCancelled = false

  get status(): string {
    if (Date.now() >= this.createdAt + DAY_MS) return 'unknown'
    if (this.isCancelled) return 'cancelled'
    if (this.at === this.program.length) return 'completed'
    return this.open.length > 0 ? 'input_required' : 'working'
  }

  get isOver(): boolean {
    return !['working', 'input_required'].includes(this.status)
  }

  /** Enters the present instruction, and those after it that need nothing. */
  enter(): void {
    for (let now = this.program[this.at]; now !== undefined; now = this.program[this.at]) {
      if (now.do === 'ask' || now.do === 'ask twice') {
        this.open = askKeysOf(now.do, this.at).map((key) => `${key}.${++this.asks}`)
        return
      }
      const isDelivered = now.do === 'wait' && this.delivered.has(now.event)
      if (now.do !== 'step' && !isDelivered) {
        this.until = Date.now() + (now.do === 'sleep' ? now.ms : now.timeoutMs)
        return
      }
      this.leave(now.do === 'step' ? 'step' : 'delivered')
    }
  }

  leave(result: string): void {
    this.results.push(result)
    this.at += 1
    this.until = undefined
    this.open = []
  }

  /** What the alarm does. */
  wake(): void {
    const now = this.program[this.at]
    if (this.isOver || this.until === undefined || this.until > Date.now()) return
    if (now?.do === 'wait') this.late.add(now.event)
    this.leave(now?.do === 'wait' ? 'late' : 'sleep')
    this.enter()
  }
}

const keyOf = (at: number) => KEYS[at] ?? ''

const askKeysOf = (how: 'ask' | 'ask twice', at: number): readonly string[] =>
  how === 'ask' ? [keyOf(at)] : [keyOf(at), `${keyOf(at)}-too`]

/** The handler of a program. */
function handlerOf(instructions: readonly Instruction[], ran: (at: number) => number) {
  return async (ctx: FullContext): Promise<string> => {
    const results: string[] = []
    const ask = (key: string) => ctx.elicit({ key, message: `${key}?`, schema: SCHEMA })
    for (const [at, now] of instructions.entries()) {
      if (now.do === 'step') {
        await ctx.step(keyOf(at), () => ran(at))
        results.push('step')
      } else if (now.do === 'ask') results.push((await ask(keyOf(at))).action)
      else if (now.do === 'ask twice') {
        const both = await Promise.all(askKeysOf(now.do, at).map(ask))
        results.push(both.map(({ action }) => action).join())
      } else if (now.do === 'sleep') {
        await ctx.sleep(keyOf(at), now.ms)
        results.push('sleep')
      } else {
        const waited = ctx.waitFor(now.event, { timeoutMs: now.timeoutMs })
        results.push(await waited.then(() => 'delivered').catch(() => 'late'))
      }
    }
    return results.join(' ')
  }
}

class Real {
  readonly client = new TaskClient()
  taskId = ''

  async summary(): Promise<readonly unknown[]> {
    const task = await this.client.get(this.taskId)
    if (task.code !== undefined) return ['unknown', task.code]
    const { status, inputRequests = {}, result } = task
    return [status, Object.keys(inputRequests).toSorted(), result?.content[0].text]
  }
}

const act = actsOf<Reference, Real>()
const nothing = fc.constant(undefined)

const hasStarted = ({ program: instructions }: Reference) => instructions.length > 0

const acts = [
  act(
    12,
    'start',
    program,
    async (model, real, instructions) => {
      model.program = instructions
      model.createdAt = Date.now()
      const handler = handlerOf(instructions, (at) => model.steps.push(at))
      real.taskId = await real.client.start(handler)
      model.enter()
    },
    (model) => !hasStarted(model),
  ),
  act(
    8,
    'answer',
    fc.record({ at: fc.nat(1), how: fc.constantFrom('fits', 'fits', 'misfit', 'unknown key') }),
    async (model, { client, taskId }, { at, how }) => {
      const key = model.open[at % model.open.length]
      if (key === undefined) return
      const isAlone = model.program[model.at]?.do === 'ask'
      const isMisfit = how === 'misfit' && isAlone
      const given = how === 'unknown key' ? 'never.1' : key
      const { body } = await client.answer(taskId, { [given]: isMisfit ? MISFIT : ACCEPT })
      if (model.status === 'unknown') return expect(body.error.code).toBe(-32602)
      if (model.isOver || how === 'unknown key') return
      if (isMisfit) {
        model.enter()
        return
      }
      model.open = model.open.filter((each) => each !== key)
      if (model.open.length > 0) return
      model.leave(isAlone ? 'accept' : 'accept,accept')
      model.enter()
    },
    ({ open }) => open.length > 0,
  ),
  act(
    4,
    'deliver',
    fc.constantFrom(...EVENTS),
    async (model, { taskId }, event) => {
      model.wake()
      const outcome = await control.deliver(taskId, event, 1).then(
        () => 'delivered',
        ({ reason }) => reason,
      )
      const { status, delivered, late } = model
      if (status === 'unknown') return expect(outcome).toBe('unknown-task')
      if (model.isOver) return expect(outcome).toBe('task-is-over')
      if (late.has(event)) return expect(outcome).toBe('too-late')
      expect(outcome).toBe(delivered.has(event) ? 'delivered-before' : 'delivered')
      delivered.add(event)
      const now = model.program[model.at]
      if (now?.do !== 'wait' || now.event !== event) return
      model.leave('delivered')
      model.enter()
    },
    hasStarted,
  ),
  act(
    1,
    'cancel',
    nothing,
    async (model, { client, taskId }) => {
      const { body } = await client.send('tasks/cancel', { taskId })
      if (model.status === 'unknown') return expect(body.error.code).toBe(-32602)
      expect(body.result.resultType).toBe('complete')
      if (!model.isOver) model.isCancelled = true
      model.open = []
    },
    hasStarted,
  ),
  act(3, 'evict', nothing, async (_, { taskId }) => evict(await objectOf(taskId)), hasStarted),
  act(3, 'kill', nothing, (_, { taskId }) => kill(taskId), hasStarted),
  act(
    8,
    'wait',
    fc.constantFrom(MINUTE_MS, 10 * MINUTE_MS - 1, 10 * MINUTE_MS, HOUR_MS, 12 * HOUR_MS),
    async (model, { taskId }, ms) => {
      vi.setSystemTime(Date.now() + ms)
      const stub = await objectOf(taskId)
      if (((await alarmOf(stub)) ?? Infinity) <= Date.now()) await runAlarm(stub)
      model.wake()
    },
    hasStarted,
  ),
]

describe('a task', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it(
    'does each part of its program once, in order, and has the result of all',
    MODEL_TIMEOUT,
    async () => {
      const start = Date.now()
      await checkModel<Reference, Real>({
        start: () => start,
        open: async () => ({ model: new Reference(), real: new Real() }),
        acts,
        check: async (model, real) => {
          if (!hasStarted(model)) return
          const text = model.status === 'completed' ? model.results.join(' ') : undefined
          const expected =
            model.status === 'unknown'
              ? ['unknown', -32602]
              : [model.status, model.isOver ? [] : model.open.toSorted(), text]
          await expect.poll(() => real.summary(), { interval: 5 }).toEqual(expected)
          expect(new Set(model.steps).size).toBe(model.steps.length)
        },
        runs: 30,
        commands: 40,
      })
    },
  )
})
