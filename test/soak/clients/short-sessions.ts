/** Opens and terminates sessions, and checks that a terminated one stays terminated. */
import { delay } from '../../faults/sessions/delay.ts'
import type { Session } from '../../faults/sessions/session.ts'
import { planCall } from '../calls.ts'
import type { ClientLedger } from '../ledger/ledger.ts'
import { SessionLife } from '../ledger/session-life.ts'
import type { Random } from '../random.ts'
import { type ClientSetting, callContext, nextId, type SoakClient } from './client.ts'
import { Conversation } from './conversation.ts'
import { openSession } from './session-client.ts'

export const SESSION_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const

/** Terminated sessions that are checked again at the end of each round of kills. */
const MAX_REMEMBERED = 10

interface Known {
  readonly session: Session
  readonly life: SessionLife
}

export class ShortSessions implements SoakClient {
  readonly workers = 1
  readonly #setting: ClientSetting
  readonly #versions: readonly string[]
  readonly #ended: Known[] = []

  /** @param versions its sessions have */
  constructor(setting: ClientSetting, versions: readonly string[] = SESSION_VERSIONS) {
    this.#setting = setting
    this.#versions = versions
  }

  get ledger(): ClientLedger {
    return this.#setting.ledger
  }

  async open(): Promise<void> {
    // Each operation opens a session of its own.
  }

  async operate(random: Random): Promise<void> {
    const { ledger } = this.#setting
    const session = await openSession(this.#setting, random.pick(this.#versions))
    if (session === undefined) return
    ledger.count('sessions opened')
    const life = new SessionLife(ledger, session.id.slice(-12))
    const known = { session, life }
    const calls = [planCall(callContext(this.#setting, random))]
    await new Conversation(this.#setting, session, life, calls, random).run()
    await this.#terminate(known)
    await this.#ping(known)
    this.#ended.push(known)
    if (this.#ended.length > MAX_REMEMBERED) this.#ended.shift()
    await delay(random.between(0, 60))
  }

  async settle(): Promise<void> {
    for (const known of this.#ended) await this.#ping(known)
  }

  /** Sends DELETE until it is acknowledged, or the session turns out to have ended. One that has not is whole. */
  async #terminate({ session, life }: Known): Promise<void> {
    const { server, ledger } = this.#setting
    const terminate = () => {
      // From the first attempt on, the session may have ended.
      const sent = session.end()
      life.ending()
      return sent
    }
    const status = await server.persist(ledger, 'termination', terminate, 'termination-sent')
    ledger.note(`terminated a session: ${status}`)
    if (status === 204) life.ended()
    else if (status !== undefined) life.answered(status)
  }

  /** Expects one answer of all its parts. */
  async #ping({ session, life }: Known): Promise<void> {
    const { server, ledger } = this.#setting
    const ping = () => session.post({ jsonrpc: '2.0', id: nextId(), method: 'ping' })
    const reply = await server.persist(ledger, 'ping', ping)
    if (reply !== undefined) life.answered(reply.status)
    const opened = await server.persist(ledger, 'listen', () => session.get())
    if (typeof opened === 'number') life.answered(opened)
    else if (opened !== undefined) {
      life.answered(200)
      opened.close()
    }
  }
}
