/**
 * `subscriptions/listen`: each stream delivers every change from its acknowledgement to its end. It has no
 * event ids, so the changes between two streams are not promised.
 */
import { requestOf } from '../../attacks/modern.ts'
import { delay } from '../../faults/sessions/delay.ts'
import { EventReader } from '../../faults/sessions/event-reader.ts'
import type { Message } from '../../faults/sessions/message.ts'
import { textOf } from '../ledger/call-history.ts'
import { TopicListener } from '../ledger/topics.ts'
import type { ClientSetting } from './client.ts'
import { IDLE_MS, readEvents } from './read-events.ts'
import { settleListener } from './settle-listener.ts'

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'

export class Subscription {
  readonly #setting: ClientSetting
  #listener: TopicListener | undefined
  #acknowledged = Promise.withResolvers<void>()

  constructor(setting: ClientSetting) {
    this.#setting = setting
  }

  /** Resolves when the present stream, or the next one, is acknowledged. */
  get acknowledged(): Promise<void> {
    return this.#acknowledged.promise
  }

  /** Listens again after each end of the stream, until the soak ends. */
  async follow(): Promise<void> {
    const { server, ledger } = this.#setting
    try {
      while (!server.isOver) await this.#listen()
    } catch (error) {
      ledger.violation('unexpected-answer', `The subscription failed: ${error}`)
    }
  }

  async settle(): Promise<void> {
    await this.acknowledged
    if (this.#listener !== undefined) await settleListener(this.#listener)
  }

  async #listen(): Promise<void> {
    const { server, ledger, caller, topic } = this.#setting
    const notifications = { resourceSubscriptions: topic.uris }
    // A change may come from the moment at which the request is sent.
    this.#listener = new TopicListener(ledger, topic)
    const listen = () =>
      caller.fetch(requestOf(server.url, 'subscriptions/listen', { notifications }))
    const response = await server.attempt(ledger, 'listen', listen, 'listen-sent')
    if (response === undefined) return
    if (response.status !== 200) {
      ledger.note(`subscription refused with ${response.status}`)
      ledger.count(`refused: subscription with ${response.status}`)
      await response.body?.cancel()
      await delay(250)
      return
    }
    ledger.count('streams opened')
    await readEvents(new EventReader(response), (message) => this.#receive(message), IDLE_MS)
    this.#listener?.close()
    this.#acknowledged = Promise.withResolvers()
  }

  #receive(message: Message): void {
    const { ledger } = this.#setting
    ledger.note(`subscription: ${textOf(message)}`)
    if (message.method === ACKNOWLEDGED) {
      this.#listener?.acknowledged()
      this.#acknowledged.resolve()
    } else if (message.method === 'notifications/resources/updated') {
      this.#listener?.receive(message.params?.uri ?? '')
    } else {
      const text = `The subscription carries ${JSON.stringify(message)}`
      ledger.violation('foreign-message', text)
    }
  }
}
