/** Sends the answers to asks in the background, each until it is acknowledged. */
import { delay } from '../../faults/sessions/delay.ts'
import type { Message } from '../../faults/sessions/message.ts'
import type { Random } from '../random.ts'
import type { ClientSetting } from './client.ts'

const ACCEPTED = 202
const UNAVAILABLE = 503
/** With the transport of 2024-11-05: the reader of the session is not connected. */
const NO_READER = 404

export class Answers {
  readonly #setting: ClientSetting
  readonly #send: (ask: Message, content: object) => Promise<number>
  readonly #pending = new Set<Promise<void>>()

  /** @param send resolves with the status */
  constructor(setting: ClientSetting, send: (ask: Message, content: object) => Promise<number>) {
    this.#setting = setting
    this.#send = send
  }

  /** Answers an ask after a person's moment of thought. */
  give(ask: Message, content: object, random: Random): void {
    const thoughtMs = random.between(0, 60)
    const isRepeated = random.chance(0.15)
    const giving = this.#give(ask, content, thoughtMs, isRepeated)
      .catch((error) => {
        const text = `The answer to ${ask.id} failed: ${error}`
        this.#setting.ledger.violation('unexpected-answer', text)
      })
      .finally(() => this.#pending.delete(giving))
    this.#pending.add(giving)
  }

  /** Resolves when all answers are acknowledged. */
  async sent(): Promise<void> {
    await Promise.all(this.#pending)
  }

  async #give(ask: Message, content: object, thoughtMs: number, isRepeated: boolean) {
    const { server, ledger } = this.#setting
    await server.reach('ask-received')
    await delay(thoughtMs)
    for (;;) {
      const send = () => this.#send(ask, content)
      const status = await server.persist(ledger, 'answer', send, 'answer-sent')
      if (status === undefined) return
      ledger.note(`answered ${ask.id} with ${JSON.stringify(content)}: ${status}`)
      if (status === ACCEPTED) break
      if (status !== UNAVAILABLE && status !== NO_READER) {
        ledger.violation('unexpected-answer', `The answer to ${ask.id} was refused with ${status}`)
        return
      }
      await delay(100)
    }
    ledger.count('asks answered')
    await server.reach('answer-accepted')
    // An ask takes one answer: the second one has no effect, on whichever side of a kill it arrives.
    if (isRepeated)
      await server.attempt(ledger, 'second answer', () => this.#send(ask, other(content)))
  }
}

/** Another content of the same form. */
function other(content: object): object {
  const entries = Object.entries(content).map(([key, value]) => [
    key,
    typeof value === 'boolean' ? !value : `other ${value}`,
  ])
  return Object.fromEntries(entries)
}
