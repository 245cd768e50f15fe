/** One task of a storm: its client, which gives it what it waits for, and what it must end with. */
import type { Part } from '../../fixtures/tasks/parts.ts'
import type { Random } from '../../soak/random.ts'
import { delay } from '../sessions/delay.ts'
import type { Limiter } from './limiter.ts'
import type { TaskState, WorkServer } from './work-server.ts'

export interface World {
  readonly server: WorkServer
  readonly limiter: Limiter
  readonly principals: number
  readonly count: (what: string) => void
  readonly violation: (text: string) => void
  readonly onCreated: () => void
  readonly onEnded: () => void
  /** Whether the storm has failed, so that its clients stop. */
  readonly isOver: () => boolean
}

/** An effect of a step: its counter, and how often it must have happened. It may happen once. */
export interface TaskEffect {
  readonly counter: string
  readonly least: 0 | 1
}

const NOT_FOUND = -32602

/** Parts of a task and how often each is chosen. Only those that a client looks at have webhooks and asks. */
const ALONE: readonly (readonly [weight: number, kind: Part['kind']])[] = [
  [8, 'step'],
  [1, 'once'],
  [3, 'pause'],
  [2, 'sleep'],
  [1, 'event'],
]
const WATCHED: typeof ALONE = [...ALONE, [1, 'webhook'], [1, 'ask']]

export class StormTask {
  readonly principal: string
  /** Whether its client asks for its state while it works. */
  readonly isWatched: boolean
  readonly #random: Random
  readonly #world: World
  readonly #number: number
  readonly #parts: readonly Part[]
  readonly #isCancelled: boolean
  #attempt = 0
  #id: string | undefined
  #end: TaskState | undefined
  /** The number of kills when it was created. */
  #bornAt = 0

  constructor(number: number, random: Random, world: World) {
    this.#number = number
    this.#random = random
    this.#world = world
    this.principal = `principal-${number % world.principals}`
    this.isWatched = random.chance(0.8)
    this.#isCancelled = this.isWatched && random.chance(0.05)
    const kinds = this.isWatched ? WATCHED : ALONE
    this.#parts = Array.from({ length: random.between(6, 14) }, () => ({
      kind: random.pickWeighted(kinds),
      ms: random.between(10, 1500),
    }))
  }

  /** Unique for each attempt to create the task. */
  get name(): string {
    return `task-${this.#number}-${this.#attempt}`
  }

  get id(): string | undefined {
    return this.#id
  }

  /** Calls that a kill broke. Each may have created a task that no client knows. */
  get lostCreations(): number {
    return this.#attempt
  }

  /** @param isLookedAt resolves when the client asks for the state of a task that it does not watch */
  async run(isLookedAt: Promise<unknown> = Promise.resolve()): Promise<void> {
    try {
      const id = await this.#create()
      const deliveries = this.#deliverEvents(id)
      if (this.#isCancelled) await this.#cancel(id)
      await isLookedAt
      await this.#follow(id)
      await deliveries
    } catch (error) {
      this.#world.violation(`${this.name}: ${error instanceof Error ? error.stack : error}`)
    }
    this.#world.onEnded()
  }

  /** Asks for the state of the task once more. */
  async checkAgain(): Promise<void> {
    const again = this.#id && (await this.#get(this.#id))
    if (JSON.stringify(again) !== JSON.stringify(this.#end)) {
      this.#accuse(`ended with ${JSON.stringify(this.#end)}, and is now ${JSON.stringify(again)}`)
    }
  }

  /** The effects of this task and of those whose creation was interrupted. */
  effects(): readonly TaskEffect[] {
    const isWhole = this.#end?.status === 'completed'
    const attempts = Array.from({ length: this.#attempt + 1 }, (_, attempt) => attempt)
    return attempts.flatMap((attempt) =>
      this.#parts.flatMap(({ kind }, index) => {
        if (kind !== 'step' && kind !== 'once') return []
        const counter = `task-${this.#number}-${attempt}.${index}`
        return { counter, least: isWhole && attempt === this.#attempt ? 1 : 0 } as const
      }),
    )
  }

  async #create(): Promise<string> {
    const { server, limiter, count, onCreated } = this.#world
    for (;;) {
      const work = { name: this.name, parts: this.#parts }
      this.#bornAt = server.kills
      const created = await limiter.run(() => server.create(this.principal, work))
      if (created !== undefined) {
        const id = created.result?.taskId
        if (typeof id !== 'string') throw new Error(`was not created: ${JSON.stringify(created)}`)
        this.#id = id
        onCreated()
        count('created')
        return id
      }
      count('creations without a response')
      this.#attempt++
    }
  }

  /** Follows the task to its end, and gives it what it waits for. */
  async #follow(id: string): Promise<void> {
    while (!this.#world.isOver()) {
      const state = await this.#get(id)
      if (state.status === 'input_required') await this.#answerAsks(state)
      else if (state.status === 'working') await this.#callWebhook(state)
      else {
        this.#end = state
        this.#checkEnd(state)
        return
      }
      if (this.#random.chance(0.1)) await this.#intrude(id)
      await delay(this.#random.between(200, 1500))
    }
  }

  async #get(taskId: string): Promise<TaskState> {
    const { server, limiter } = this.#world
    const state = await limiter.run(() => server.get(this.principal, taskId))
    if (state === undefined || !('status' in state)) {
      throw new Error(`is lost: ${JSON.stringify(state)}`)
    }
    return state
  }

  async #answerAsks({ taskId, inputRequests = {} }: TaskState): Promise<void> {
    const { server, limiter, count } = this.#world
    const answers = Object.entries(inputRequests).map(([key, { params }]) => {
      if (!params.message.startsWith(`${this.name}.`)) this.#accuse(`asks "${params.message}"`)
      return [key, { action: 'accept', content: valueFor(params.message) }] as const
    })
    const params = { taskId, inputResponses: Object.fromEntries(answers) }
    const { error } = await limiter.run(() => server.call(this.principal, 'tasks/update', params))
    if (error !== undefined) this.#accuse(`refused an answer: ${error.message}`)
    count('asks answered')
  }

  async #deliverEvents(id: string): Promise<void> {
    for (const [index, { kind }] of this.#parts.entries()) {
      if (kind !== 'event') continue
      await delay(this.#random.between(0, 2000))
      const key = `${this.name}.${index}`
      const { server, limiter } = this.#world
      await this.#giveOnce(
        () => limiter.run(() => server.deliver(id, key, valueFor(key))),
        'delivered',
        ['delivered-before', 'task-is-over'],
      )
    }
  }

  async #callWebhook({ statusMessage = '' }: TaskState): Promise<void> {
    const key = /^(http.*)$/.exec(statusMessage) && this.#webhookKey(statusMessage)
    if (!key) return
    const { server, limiter } = this.#world
    await this.#giveOnce(
      () => limiter.run(() => server.callWebhook(statusMessage, valueFor(key))),
      202,
      [409, 410],
    )
  }

  readonly #webhooks = new Map<string, string>()

  /** Each URL belongs to the next webhook of this task; undefined for one that was called before. */
  #webhookKey(url: string): string | undefined {
    if (this.#webhooks.has(url)) return undefined
    const indexes = [...this.#parts.entries()].flatMap(([index, { kind }]) =>
      kind === 'webhook' ? index : [],
    )
    const index = indexes[this.#webhooks.size]
    if (index === undefined) this.#accuse(`has a webhook too many: ${url}`)
    const key = `${this.name}.${index}`
    this.#webhooks.set(url, key)
    return key
  }

  /** Gives a value until that is acknowledged. After a kill, it may have been given before. */
  async #giveOnce<T>(
    give: () => Promise<T | undefined>,
    accepted: T,
    acceptedBefore: readonly T[],
  ): Promise<void> {
    let isRepeated = false
    for (;;) {
      const outcome = await give()
      if (outcome === undefined) {
        isRepeated = true
        continue
      }
      const isFine = outcome === accepted || (isRepeated && acceptedBefore.includes(outcome))
      // A task that ended at a step, or was cancelled, takes nothing any more.
      const mayBeOver = this.#isCancelled || this.#parts.some(({ kind }) => kind === 'once')
      if (!isFine && !(mayBeOver && acceptedBefore.includes(outcome))) {
        this.#accuse(`answered a delivery with ${outcome}`)
      }
      this.#world.count('deliveries')
      return
    }
  }

  async #cancel(taskId: string): Promise<void> {
    const { server, limiter, count } = this.#world
    await delay(this.#random.between(0, 5000))
    const { error } = await limiter.run(() =>
      server.call(this.principal, 'tasks/cancel', { taskId }),
    )
    if (error !== undefined) this.#accuse(`refused to be cancelled: ${error.message}`)
    count('cancellations')
  }

  /** Another principal asks for this task, which does not exist for it. */
  async #intrude(taskId: string): Promise<void> {
    const { server, limiter, principals, count } = this.#world
    const other = `principal-${(this.#number + 1) % principals}`
    const method = this.#random.pick(['tasks/get', 'tasks/update', 'tasks/cancel'])
    const params = { taskId, inputResponses: {} }
    const { error } = await limiter.run(() => server.call(other, method, params))
    if (error?.code !== NOT_FOUND) this.#accuse(`${method} of ${other} was served`)
    count('refused: task of another principal')
  }

  #checkEnd({ status, result, error }: TaskState): void {
    const { count, server } = this.#world
    count(`ended: ${status}`)
    if (this.#bornAt < server.kills) count('ended after a kill')
    if (status === 'completed') {
      const expected = JSON.stringify({ name: this.name, received: this.#received() })
      const actual = JSON.stringify(result?.structuredContent)
      if (actual !== expected) this.#accuse(`has the result ${actual} instead of ${expected}`)
      return
    }
    if (status === 'cancelled' && this.#isCancelled) return
    // A step that must not run twice was interrupted.
    const isNamed = this.#parts.some(
      ({ kind }, index) => kind === 'once' && error?.message.includes(`"${this.name}.${index}"`),
    )
    if (status === 'failed' && isNamed && this.#bornAt < server.kills) return
    this.#accuse(`ended as ${status}: ${JSON.stringify(error)}`)
  }

  #received(): readonly string[] {
    return this.#parts.flatMap(({ kind }, index) => {
      const key = `${this.name}.${index}`
      if (kind === 'step' || kind === 'once') return key
      return kind === 'pause' || kind === 'sleep' ? [] : valueFor(key).text
    })
  }

  #accuse(what: string): void {
    this.#world.violation(`${this.name} ${what}`)
  }
}

const valueFor = (key: string) => ({ text: `value of ${key}` })
