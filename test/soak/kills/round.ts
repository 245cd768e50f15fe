/**
 * One kill for many clients: each is held at its own moment until all have arrived, and then the server is killed
 * while they are held, or some milliseconds after they go on. Those that resume a stream are held and killed again.
 */
import { delay } from '../../faults/sessions/delay.ts'
import type { KilledServer } from '../killed-server.ts'
import type { Moment } from '../moments.ts'
import { Served } from '../served.ts'

/** Longer than all clients of a round take on a busy machine, in milliseconds. */
const ARRIVAL_TIMEOUT_MS = 120_000
const POLL_MS = 5

/** Time between the request that resumes a stream and the second kill, in milliseconds. */
const RESUMING_MS = 3

export class Round {
  readonly #server: KilledServer
  readonly #clients: HeldClient[] = []

  constructor(server: KilledServer) {
    this.#server = server
  }

  /** The server as one client of the round sees it. */
  client(moment: Moment): HeldClient {
    const client = new HeldClient(this.#server, moment)
    this.#clients.push(client)
    return client
  }

  /** @param afterMs undefined to kill while the clients are held */
  async run(
    afterMs: number | undefined,
    works: readonly (() => Promise<unknown>)[],
  ): Promise<void> {
    const clients = this.#clients
    const all = works.map((work, index) => work().finally(() => clients[index]?.end()))
    await this.#arrival()
    await this.#kill(afterMs, 'resume-sent')
    await this.#arrival()
    if (clients.some(({ isHeld }) => isHeld)) await this.#kill(RESUMING_MS, undefined)
    await Promise.all(all)
  }

  async #arrival(): Promise<void> {
    const until = performance.now() + ARRIVAL_TIMEOUT_MS
    while (this.#clients.some(({ isHeld, isOver }) => !isHeld && !isOver)) {
      if (performance.now() > until)
        throw new Error('A client neither reached its moment nor ended')
      await delay(POLL_MS)
    }
  }

  async #kill(afterMs: number | undefined, next: Moment | undefined): Promise<void> {
    const held = this.#clients.filter(({ isHeld }) => isHeld)
    const release = () => held.map((client) => client.release(next))
    if (afterMs !== undefined) {
      release()
      await delay(afterMs)
    }
    await this.#server.killAndRestart()
    if (afterMs === undefined) release()
  }
}

export class HeldClient extends Served {
  readonly #server: KilledServer
  #moment: Moment | undefined
  #held: PromiseWithResolvers<void> | undefined
  #hasArrived = false
  #isOver = false

  constructor(server: KilledServer, moment: Moment) {
    super()
    this.#server = server
    this.#moment = moment
  }

  /** Whether the client has reached its moment. */
  get hasArrived(): boolean {
    return this.#hasArrived
  }

  get isHeld(): boolean {
    return this.#held !== undefined
  }

  get url(): string {
    return this.#server.url
  }

  get isProtected(): boolean {
    return this.#server.isProtected
  }

  get kills(): number {
    return this.#server.kills
  }

  get isOver(): boolean {
    return this.#isOver || this.#server.isOver
  }

  ready(): Promise<void> {
    return this.#server.ready()
  }

  async reach(moment: Moment): Promise<void> {
    if (moment !== this.#moment) return
    this.#hasArrived = true
    this.#held ??= Promise.withResolvers()
    await this.#held.promise
  }

  spare<T>(run: () => Promise<T>): Promise<T> {
    return this.#server.spare(run)
  }

  /** @param next where the client is held after this */
  release(next: Moment | undefined): void {
    this.#moment = next
    this.#held?.resolve()
    this.#held = undefined
  }

  end(): void {
    this.#isOver = true
  }
}
