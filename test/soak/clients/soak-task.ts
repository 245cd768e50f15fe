/** One durable task, from its creation to its end, over any number of kills. */
import { RUN_FAILURES } from '../../../durable-objects/run/run-failures.ts'
import { delay } from '../../faults/sessions/delay.ts'
import { readText, send } from '../../faults/sessions/send.ts'
import { textOfResult } from '../calls.ts'
import type { Effect } from '../ledger/effects.ts'
import type { Random } from '../random.ts'
import { type ClientSetting, nextId } from './client.ts'
import type { TaskMessage, TaskWire } from './task-wire.ts'

interface TaskPlan {
  readonly tool: string
  readonly args: object
  /** The counters of its steps. */
  readonly counters: readonly string[]
  /** The text of its result. */
  readonly text: string
  /** How it receives the value that it waits for. */
  readonly delivery?: 'route' | 'webhook'
  /** Its client cancels it, and it would not end by itself. */
  readonly isCancelled?: boolean
}

const VALUE = { ok: true }
const LONG_MS = 86_400_000
const MAX_SLEEP_MS = 1500
/** Longer than any task works, and less than the pause of a soak waits. */
const END_TIMEOUT_MS = 120_000

/** A task is given up at the next interruption after these without a new step. */
const MAX_INTERRUPTIONS = 10

/** An event was delivered by a request whose response a kill broke. */
const DELIVERED_BEFORE = [409, 410]

function planTask(random: Random, isProtected: boolean): TaskPlan {
  const name = `task-${nextId()}`
  const around = [`${name}-before`, `${name}-after`]
  const steps = Array.from({ length: 10 }, (_, index) => `${name}-${index + 1}`)
  const value = JSON.stringify(VALUE)
  const sleeper = { tool: 'sleep_step', text: 'done' }
  const tenSteps = { name, gapMs: random.between(0, 60) }
  const nap = { name, ms: random.between(0, MAX_SLEEP_MS) }
  const waits = { args: { name }, counters: around, text: value }
  const route: TaskPlan = { ...waits, tool: 'wait_event', delivery: 'route' }
  return random.pickWeighted<TaskPlan>([
    [3, { tool: 'ten_steps', args: tenSteps, counters: steps, text: 'done' }],
    [1, { ...sleeper, args: nap, counters: around }],
    [1, { ...sleeper, args: { name, ms: LONG_MS }, counters: around, isCancelled: true }],
    [1, { ...waits, tool: 'webhook', delivery: 'webhook' }],
    // The protected server has no route that delivers.
    [isProtected ? 0 : 1, route],
  ])
}

export class SoakTask {
  readonly #setting: ClientSetting
  readonly #wire: TaskWire
  readonly #random: Random
  readonly #plan: TaskPlan
  readonly #effects: readonly Effect[]
  #hasDelivered = false

  constructor(setting: ClientSetting, wire: TaskWire, random: Random) {
    const { server, ledger, caller } = setting
    this.#setting = setting
    this.#wire = wire
    this.#random = random
    this.#plan = planTask(random, server.isProtected)
    this.#effects = this.#plan.counters.map((counter) => caller.effects.create(ledger, counter))
  }

  async run(): Promise<void> {
    const { ledger, server } = this.#setting
    const { tool, args, isCancelled = false } = this.#plan
    ledger.count(`task: ${tool}`)
    for (const effect of this.#effects) effect.mayHappen()
    const created = await this.#wire.create(tool, args)
    if (created === undefined) return ledger.count('excused: task without a response')
    const taskId = this.#wire.idOf(created)
    if (typeof taskId !== 'string') {
      if (created.error?.message.includes('too many tasks')) return ledger.count('refused: task')
      return this.#accuse('unexpected-answer', `was answered with ${JSON.stringify(created)}`)
    }
    const { kills } = server
    server.moments.reach('task-created')
    if (isCancelled) await this.#cancel(taskId)
    const state = await this.#follow(taskId)
    if (state === undefined) return
    if (isInterruptedTooOften(state) && server.kills - kills > MAX_INTERRUPTIONS) {
      // On a busy machine every life of the server was too short for the gaps of the steps before the next one.
      return ledger.count('excused: task interrupted too often')
    }
    await this.#checkEnd(taskId, state)
  }

  /** Asks for the state until the task is over. Undefined when the soak is. */
  async #follow(taskId: string): Promise<TaskMessage | undefined> {
    const { server } = this.#setting
    const startedAt = performance.now()
    while (!server.isOver) {
      const state = await this.#wire.call('tasks/get', taskId)
      if (state === undefined) return undefined
      if (state.result === undefined) {
        this.#accuse('lost-message', `is lost: ${JSON.stringify(state.error)}`)
        return undefined
      }
      if (state.result.status !== 'working') return state
      if (performance.now() - startedAt > END_TIMEOUT_MS) {
        this.#accuse('lost-message', `has not ended: ${JSON.stringify(state.result)}`)
        return undefined
      }
      await this.#deliver(taskId, String(state.result.statusMessage ?? ''))
      await delay(this.#random.between(20, 300))
    }
    return undefined
  }

  async #checkEnd(taskId: string, state: TaskMessage): Promise<void> {
    const { ledger, server } = this.#setting
    const { isCancelled = false, text, tool } = this.#plan
    const status = state.result?.status
    if (status !== (isCancelled ? 'cancelled' : 'completed')) {
      return this.#accuse('unexpected-answer', `ended as ${JSON.stringify(state.result)}`)
    }
    if (!isCancelled) {
      const result = await this.#wire.result(state)
      if (result === undefined) return
      if (textOfResult(result) !== text) {
        return this.#accuse('unexpected-answer', `has the result ${JSON.stringify(result)}`)
      }
      for (const effect of this.#effects) effect.hasHappened()
    }
    ledger.count(`task ended: ${tool}`)
    // It stays over, also after the next kill.
    if (server.isOver || this.#random.chance(0.7)) return
    await delay(this.#random.between(0, 1000))
    const again = await this.#wire.call('tasks/get', taskId)
    if (again !== undefined && again.result?.status !== status) {
      this.#accuse('unexpected-answer', `was ${status}, and is ${JSON.stringify(again)}`)
    }
  }

  async #cancel(taskId: string): Promise<void> {
    await delay(this.#random.between(0, 500))
    const { server, ledger } = this.#setting
    const kills = server.kills
    server.moments.reach('task-cancelled')
    const { error } = (await this.#wire.call('tasks/cancel', taskId)) ?? {}
    // 2025-11-25 refuses the second one of two, the first of which a kill may have broken.
    if (error !== undefined && server.kills === kills) {
      this.#accuse('unexpected-answer', `refused to be cancelled: ${error.message}`)
    }
    ledger.count('tasks cancelled')
  }

  /** Delivers what the task waits for, once: before it waits for it, or after. */
  async #deliver(taskId: string, statusMessage: string): Promise<void> {
    const { delivery } = this.#plan
    if (delivery === undefined || this.#hasDelivered) return
    const { server, ledger } = this.#setting
    if (delivery === 'webhook' && !statusMessage.startsWith('http')) return
    const request = () =>
      delivery === 'route'
        ? postOf(new URL('/probe/deliver', server.url).href, { taskId, key: 'event', value: VALUE })
        : postOf(statusMessage, VALUE)
    this.#hasDelivered = true
    for (let attempt = 0; !server.isOver; attempt++) {
      const status = await server.attempt(ledger, 'delivery', async () => {
        server.moments.reach('task-delivered')
        const response = await send(request())
        await readText(response)
        return response.status
      })
      if (status === undefined) continue
      ledger.note(`delivered to ${taskId.slice(-12)}: ${status}`)
      const isFine = status < 300 || (attempt > 0 && DELIVERED_BEFORE.includes(status))
      if (!isFine) this.#accuse('unexpected-answer', `refused its value with ${status}`)
      return ledger.count('values delivered')
    }
  }

  #accuse(kind: 'lost-message' | 'unexpected-answer', what: string): void {
    const { tool, args } = this.#plan
    this.#setting.ledger.violation(kind, `A task of ${tool} ${JSON.stringify(args)} ${what}`)
  }
}

const isInterruptedTooOften = ({ result }: TaskMessage) =>
  result?.status === 'failed' && result.statusMessage === RUN_FAILURES['interrupted-too-often']

function postOf(url: string, body: object): Request {
  const headers = { 'content-type': 'application/json' }
  return new Request(url, { method: 'POST', headers, body: JSON.stringify(body) })
}
