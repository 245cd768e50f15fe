/** One durable task, from its creation to its end, over any number of kills. */
import { RUN_FAILURES } from '../../../durable-objects/run/run-failures.ts'
import { delay } from '../../faults/sessions/delay.ts'
import { readText, send } from '../../faults/sessions/send.ts'
import { textOfResult } from '../calls.ts'
import type { Effect } from '../ledger/effects.ts'
import type { Random } from '../random.ts'
import type { TaskPlan } from '../tasks.ts'
import type { ClientSetting } from './client.ts'
import { readCounters } from './read-counters.ts'
import type { TaskMessage, TaskWire } from './task-wire.ts'

type Awaited = NonNullable<TaskPlan['values']>[number]

/** Longer than any task works, and less than the pause of a soak waits. */
const END_TIMEOUT_MS = 120_000

/** A task is given up at the next interruption after these without a new step. */
const MAX_INTERRUPTIONS = 10

/** A value was delivered by a request whose response a kill broke. */
const DELIVERED_BEFORE = [409, 410]

const UNDER_WAY = ['working', 'input_required']

export class SoakTask {
  readonly #setting: ClientSetting
  readonly #wire: TaskWire
  readonly #random: Random
  readonly #plan: TaskPlan
  readonly #effects: readonly Effect[]
  readonly #undelivered: Awaited[]
  /** The URLs of webhooks that were called. Each belongs to the next value of the plan. */
  readonly #webhooks = new Set<string>()
  /** The number of kills when it was created. */
  #bornAt = 0

  constructor(setting: ClientSetting, wire: TaskWire, random: Random, plan: TaskPlan) {
    const { ledger, caller } = setting
    this.#setting = setting
    this.#wire = wire
    this.#random = random
    this.#plan = plan
    this.#effects = plan.counters.map((counter) => caller.effects.create(ledger, counter))
    this.#undelivered = [...(plan.values ?? [])]
  }

  async run(): Promise<void> {
    const { ledger, server } = this.#setting
    const { tool, args, isCancelled = false, held } = this.#plan
    ledger.count(`task: ${tool}`)
    for (const effect of this.#effects) effect.mayHappen()
    this.#bornAt = server.kills
    const created = await this.#wire.create(tool, args)
    if (created === undefined) return ledger.count('excused: task without a response')
    const taskId = this.#wire.idOf(created)
    if (typeof taskId !== 'string') {
      if (created.error?.message.includes('too many tasks')) return ledger.count('refused: task')
      return this.#accuse('unexpected-answer', `was answered with ${JSON.stringify(created)}`)
    }
    await server.reach('task-created')
    if (held !== undefined) await this.#untilHeld(held)
    if (isCancelled) await this.#cancel(taskId)
    const state = await this.#follow(taskId)
    if (state !== undefined) await this.#checkEnd(taskId, state)
  }

  async #untilHeld(counter: string): Promise<void> {
    const { server, caller, ledger } = this.#setting
    const isHeld = () =>
      server.attempt(ledger, 'counter', () => readCounters(server.url, caller, [counter]))
    while (!server.isOver && (await isHeld())?.[0] !== 1) await delay(50)
    await server.reach('task-held')
  }

  /** Asks for the state until the task is over. Undefined when the client is to stop. */
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
      const { status = '', statusMessage = '', inputRequests } = state.result
      if (!UNDER_WAY.includes(status)) return state
      if (performance.now() - startedAt > END_TIMEOUT_MS) {
        this.#accuse('lost-message', `has not ended: ${JSON.stringify(state.result)}`)
        return undefined
      }
      if (inputRequests !== undefined) await this.#answer(taskId, inputRequests)
      else await this.#deliverDue(taskId, statusMessage)
      await delay(this.#random.between(20, 300))
    }
    return undefined
  }

  async #answer(
    taskId: string,
    asks: Readonly<Record<string, { readonly params: { readonly message: string } }>>,
  ): Promise<void> {
    const { server, ledger } = this.#setting
    await server.reach('ask-received')
    const answers = Object.entries(asks).map(([key, { params }]) => {
      const content = this.#plan.contents?.[params.message]
      if (content === undefined) this.#accuse('foreign-message', `asks "${params.message}"`)
      return [key, { action: 'accept', content }] as const
    })
    const more = { inputResponses: Object.fromEntries(answers) }
    await server.reach('answer-sent')
    const { error } = (await this.#wire.call('tasks/update', taskId, more)) ?? {}
    if (error !== undefined)
      this.#accuse('unexpected-answer', `refused an answer: ${error.message}`)
    ledger.count('asks answered')
    await server.reach('answer-accepted')
  }

  async #checkEnd(taskId: string, state: TaskMessage): Promise<void> {
    const { ledger, server } = this.#setting
    const { isCancelled = false, text, tool } = this.#plan
    const status = state.result?.status
    if (this.#isExcused(state)) return
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

  /** Whether kills explain that the task has failed. */
  #isExcused({ result }: TaskMessage): boolean {
    if (result?.status !== 'failed') return false
    const { server, ledger } = this.#setting
    const kills = server.kills - this.#bornAt
    const why = `${result.statusMessage} ${result.error?.message}`
    if (kills > 0 && this.#plan.once?.some((key) => why.includes(`"${key}"`))) {
      ledger.count('task ended: inside a step that must not run twice')
      return true
    }
    // On a busy machine every life of the server was too short for the gaps of the steps before the next one.
    if (kills <= MAX_INTERRUPTIONS || !why.includes(RUN_FAILURES['interrupted-too-often']))
      return false
    ledger.count('excused: task interrupted too often')
    return true
  }

  async #cancel(taskId: string): Promise<void> {
    await delay(this.#random.between(0, 500))
    const { server, ledger } = this.#setting
    const kills = server.kills
    await server.reach('task-cancelled')
    const { error } = (await this.#wire.call('tasks/cancel', taskId)) ?? {}
    // 2025-11-25 refuses the second one of two, the first of which a kill may have broken.
    if (error !== undefined && server.kills === kills) {
      this.#accuse('unexpected-answer', `refused to be cancelled: ${error.message}`)
    }
    ledger.count('tasks cancelled')
  }

  /** Delivers what the task waits for, once: before it waits for it, or after. */
  async #deliverDue(taskId: string, statusMessage: string): Promise<void> {
    const isNewWebhook = statusMessage.startsWith('http') && !this.#webhooks.has(statusMessage)
    if (isNewWebhook) this.#webhooks.add(statusMessage)
    for (const by of isNewWebhook ? (['route', 'webhook'] as const) : (['route'] as const)) {
      const index = this.#undelivered.findIndex((one) => one.by === by)
      const [due] = index === -1 ? [] : this.#undelivered.splice(index, 1)
      if (due !== undefined) await this.#deliver(taskId, due, statusMessage)
    }
  }

  async #deliver(taskId: string, { by, key, value }: Awaited, webhook: string): Promise<void> {
    const { server, ledger } = this.#setting
    const route = new URL('/probe/deliver', server.url).href
    const request = () =>
      by === 'route' ? postOf(route, { taskId, key, value }) : postOf(webhook, value)
    const deliver = async () => {
      const response = await send(request())
      await readText(response)
      return response.status
    }
    for (let attempt = 0; !server.isOver; attempt++) {
      const status = await server.attempt(ledger, 'delivery', deliver, 'task-delivered')
      if (status === undefined) continue
      ledger.note(`delivered ${key} to ${taskId.slice(-12)}: ${status}`)
      // A task that has ended inside a step takes nothing any more.
      const mayBeOver = attempt > 0 || (this.#plan.once?.length ?? 0) > 0
      const isFine = status < 300 || (mayBeOver && DELIVERED_BEFORE.includes(status))
      if (!isFine) this.#accuse('unexpected-answer', `refused its value with ${status}`)
      return ledger.count('values delivered')
    }
  }

  #accuse(kind: 'foreign-message' | 'lost-message' | 'unexpected-answer', what: string): void {
    const { tool, args } = this.#plan
    this.#setting.ledger.violation(kind, `A task of ${tool} ${JSON.stringify(args)} ${what}`)
  }
}

function postOf(url: string, body: object): Request {
  const headers = { 'content-type': 'application/json' }
  return new Request(url, { method: 'POST', headers, body: JSON.stringify(body) })
}
