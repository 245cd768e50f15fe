/** The workers of a lane: each performs one operation of its client after the other. */
import type { SoakClient } from './clients/client.ts'
import { Gate } from './gate.ts'
import type { KilledServer } from './killed-server.ts'
import type { Random } from './random.ts'

/** Operations that are under way when the kills end are over after this time, in milliseconds. */
const PAUSE_TIMEOUT_MS = 180_000

export class Workers {
  readonly #server: KilledServer
  readonly #gate = new Gate()
  /** The clients with an operation under way, one for each worker. */
  readonly #busy: SoakClient[] = []
  #count = 0

  constructor(server: KilledServer) {
    this.#server = server
  }

  start(clients: readonly SoakClient[], random: Random): void {
    for (const [index, client] of clients.entries()) {
      for (let worker = 0; worker < client.workers; worker++) {
        this.#count++
        void this.#work(client, random.fork(`${index}.${worker}`))
      }
    }
  }

  /** Resolves when no operation is under way. An operation that does not end is a violation. */
  async pause(): Promise<void> {
    try {
      await this.#gate.close(this.#count, PAUSE_TIMEOUT_MS)
    } catch {
      // The gate is not reached in time by the workers whose operation hangs.
      for (const { ledger } of this.#busy) {
        const text = `An operation did not end within ${PAUSE_TIMEOUT_MS} ms without a kill`
        ledger.violation('unexpected-answer', text)
      }
    }
  }

  resume(): void {
    this.#gate.open()
  }

  async #work(client: SoakClient, random: Random): Promise<void> {
    while (!this.#server.isOver) {
      await this.#gate.pass()
      this.#busy.push(client)
      try {
        await client.operate(random)
        client.ledger.count('operations')
      } catch (error) {
        if (this.#server.isOver) return
        const what = error instanceof Error ? error.stack : error
        client.ledger.violation('unexpected-answer', `An operation failed: ${what}`)
      }
      this.#busy.splice(this.#busy.indexOf(client), 1)
    }
  }
}
