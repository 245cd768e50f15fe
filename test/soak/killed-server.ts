/** A server that is killed and started again on its state. */
import { delay } from '../faults/sessions/delay.ts'
import {
  PersistentServer,
  type PersistentServerOptions,
} from '../faults/sessions/persistent-server.ts'
import type { Ledger } from './ledger/ledger.ts'
import { type Moment, Moments } from './moments.ts'
import { Served } from './served.ts'

export interface KilledServerOptions {
  /** Of the clients that note its kills: the beginning of their names. */
  readonly name: string
  readonly ledger: Ledger
  readonly served?: PersistentServerOptions
}

const SPARED_POLL_MS = 20

export class KilledServer extends Served {
  readonly isProtected: boolean
  readonly moments = new Moments()
  /** Duration of each restart in milliseconds, from the kill until the server answers. */
  readonly restartsMs: number[] = []
  readonly #name: string
  readonly #ledger: Ledger
  readonly #server: PersistentServer
  #up = Promise.resolve()
  #kills = 0
  /** Number of operations during which the server is not killed. */
  #spared = 0
  #isOver = false

  private constructor({ name, served, ledger }: KilledServerOptions, server: PersistentServer) {
    super()
    this.#name = name
    this.isProtected = served?.protected === true
    this.#ledger = ledger
    this.#server = server
  }

  static async start(options: KilledServerOptions): Promise<KilledServer> {
    return new KilledServer(options, await PersistentServer.start(undefined, options.served))
  }

  get url(): string {
    return this.#server.url
  }

  get kills(): number {
    return this.#kills
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** The log output since the last start. */
  get log(): string {
    return this.#server.log
  }

  ready(): Promise<void> {
    return this.#up
  }

  async reach(moment: Moment): Promise<void> {
    this.moments.reach(moment)
  }

  async spare<T>(run: () => Promise<T>): Promise<T> {
    this.#spared++
    try {
      return await run()
    } finally {
      this.#spared--
    }
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#server.stop()
  }

  /** Kills the server as soon as no operation is spared, and resolves when it answers again. */
  async killAndRestart(): Promise<void> {
    while (this.#spared > 0) await delay(SPARED_POLL_MS)
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
