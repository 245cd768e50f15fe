/** A server that is killed by a schedule and started again on its state, and how its clients notice. */
import { delay } from '../faults/sessions/delay.ts'
import { isBroken } from '../faults/sessions/is-broken.ts'
import { PersistentServer } from '../faults/sessions/persistent-server.ts'
import { planKill } from './kill-schedule.ts'
import type { ClientLedger, Ledger } from './ledger/ledger.ts'
import { Moments } from './moments.ts'
import type { Random } from './random.ts'

export interface KilledServerOptions {
  readonly name: string
  readonly isProtected: boolean
  readonly ledger: Ledger
  readonly random: Random
}

/** Duration of a restart on a quiet machine, in milliseconds. */
const QUIET_RESTART_MS = 600

/** On a busy machine, a server serves at most this many times as long between two kills. */
const MAX_PACE = 5

/** How long a moment is waited for, in milliseconds. It may be that no client reaches it. */
const MOMENT_TIMEOUT_MS = 2000

const SPARED_POLL_MS = 20

export class KilledServer {
  readonly isProtected: boolean
  readonly moments = new Moments()
  /** Duration of each restart in milliseconds, from the kill until the server answers. */
  readonly restartsMs: number[] = []
  readonly #name: string
  readonly #ledger: Ledger
  readonly #random: Random
  readonly #server: PersistentServer
  readonly #dispose: () => Promise<void>
  #up = Promise.resolve()
  #kills = 0
  /** Number of operations during which the server is not killed. */
  #spared = 0
  #isOver = false

  private constructor(
    { name, isProtected, ledger, random }: KilledServerOptions,
    server: PersistentServer,
    dispose: () => Promise<void>,
  ) {
    this.#name = name
    this.isProtected = isProtected
    this.#ledger = ledger
    this.#random = random
    this.#server = server
    this.#dispose = dispose
  }

  static async start(options: KilledServerOptions): Promise<KilledServer> {
    let dispose = async () => {}
    const server = await PersistentServer.start(
      (atEnd) => {
        dispose = atEnd
      },
      { protected: options.isProtected },
    )
    return new KilledServer(options, server, dispose)
  }

  get url(): string {
    return this.#server.url
  }

  get kills(): number {
    return this.#kills
  }

  /** Whether the soak is over. The loops of clients end then. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Resolves when the server answers, or the soak is over. */
  ready(): Promise<void> {
    return this.#up
  }

  /**
   * Sends a request as soon as the server answers. Resolves with undefined when a kill broke the
   * connection, which is the only excuse for that.
   */
  async attempt<T>(
    ledger: ClientLedger,
    what: string,
    send: () => Promise<T>,
  ): Promise<T | undefined> {
    await this.#up
    if (this.#isOver) return undefined
    const killsBefore = this.#kills
    try {
      return await send()
    } catch (error) {
      if (!isBroken(error)) throw error
      if (this.#isOver) return undefined
      ledger.note(`broken: ${what}`)
      ledger.count(`interrupted: ${what}`)
      if (this.#kills === killsBefore) {
        const text = `The connection of "${what}" broke, but the server was not killed: ${error}`
        ledger.violation('unexpected-answer', text)
      }
      return undefined
    }
  }

  /** Repeats a request until a kill does not break it; undefined when the soak is over. */
  async persist<T>(
    ledger: ClientLedger,
    what: string,
    send: () => Promise<T>,
  ): Promise<T | undefined> {
    while (!this.#isOver) {
      const result = await this.attempt(ledger, what, send)
      if (result !== undefined) return result
    }
    return undefined
  }

  /** Runs an operation that another kill would delay beyond a time limit of the server. */
  async spare<T>(run: () => Promise<T>): Promise<T> {
    this.#spared++
    try {
      return await run()
    } finally {
      this.#spared--
    }
  }

  /** Kills the server at a time that the schedule chooses, and starts it again. */
  async killOnce(): Promise<void> {
    const { uptimeMs, moment, offsetMs } = planKill(this.#random, this.isProtected)
    await delay(uptimeMs * this.#pace)
    if (moment !== undefined) {
      const reached = this.moments.next(moment).then(() => true)
      const isReached = await Promise.race([reached, delay(MOMENT_TIMEOUT_MS)])
      this.#ledger.count(isReached ? `kill after: ${moment}` : 'kill at any time')
    } else {
      this.#ledger.count('kill at any time')
    }
    await delay(offsetMs)
    while (this.#spared > 0) await delay(SPARED_POLL_MS)
    await this.#killAndRestart()
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#dispose()
  }

  /** How much slower than a quiet machine this one is, so that clients reach something between kills. */
  get #pace(): number {
    const restartMs = this.restartsMs.at(-1) ?? QUIET_RESTART_MS
    return Math.min(MAX_PACE, Math.max(1, restartMs / QUIET_RESTART_MS))
  }

  async #killAndRestart(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#up = promise
    this.#kills++
    this.#ledger.count('kills')
    this.#ledger.noteAll(this.#name, `kill ${this.#kills}`)
    const killedAt = performance.now()
    await this.#server.kill()
    await this.#server.startAgain({ samePort: true })
    this.restartsMs.push(performance.now() - killedAt)
    this.#ledger.noteAll(this.#name, `restart ${this.#kills}`)
    resolve()
  }
}
