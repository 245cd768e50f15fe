/** A server that is killed, as its clients see it: when it answers, and which broken connections a kill explains. */
import { isBroken } from '../faults/sessions/is-broken.ts'
import type { ClientLedger } from './ledger/ledger.ts'
import type { Moment } from './moments.ts'

export abstract class Served {
  abstract readonly url: string
  abstract readonly isProtected: boolean
  abstract readonly kills: number
  /** Whether the client is to stop. Its loops end then. */
  abstract readonly isOver: boolean

  /** Resolves when the server answers. */
  abstract ready(): Promise<void>

  /** The client reaches a moment, and goes on when this resolves. */
  abstract reach(moment: Moment): Promise<void>

  /** Runs an operation that another kill would delay beyond a time limit of the server. */
  abstract spare<T>(run: () => Promise<T>): Promise<T>

  /**
   * Sends a request as soon as the server answers. Resolves with undefined when a kill broke the
   * connection, which is the only excuse for that.
   *
   * @param moment reached immediately before the request is sent
   */
  async attempt<T>(
    ledger: ClientLedger,
    what: string,
    send: () => Promise<T>,
    moment?: Moment,
  ): Promise<T | undefined> {
    await this.ready()
    if (moment !== undefined) {
      await this.reach(moment)
      await this.ready()
    }
    if (this.isOver) return undefined
    const killsBefore = this.kills
    try {
      return await send()
    } catch (error) {
      if (!isBroken(error)) throw error
      if (this.isOver) return undefined
      ledger.note(`broken: ${what}`)
      ledger.count(`interrupted: ${what}`)
      if (this.kills === killsBefore) {
        const text = `The connection of "${what}" broke, but the server was not killed: ${error}`
        ledger.violation('unexpected-answer', text)
      }
      return undefined
    }
  }

  /** Repeats a request until a kill does not break it; undefined when the client is to stop. */
  async persist<T>(
    ledger: ClientLedger,
    what: string,
    send: () => Promise<T>,
    moment?: Moment,
  ): Promise<T | undefined> {
    while (!this.isOver) {
      const result = await this.attempt(ledger, what, send, moment)
      if (result !== undefined) return result
    }
    return undefined
  }
}
