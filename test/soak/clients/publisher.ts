/** Publishes the changes of one topic, one after the other. */
import { requestOf } from '../../attacks/modern.ts'
import { delay } from '../../faults/sessions/delay.ts'
import { textOfResult } from '../calls.ts'
import type { ClientLedger } from '../ledger/ledger.ts'
import type { Random } from '../random.ts'
import type { ClientSetting, SoakClient } from './client.ts'

const TOOL = 'touch_resource'

export class Publisher implements SoakClient {
  readonly workers = 1
  readonly #setting: ClientSetting

  constructor(setting: ClientSetting) {
    this.#setting = setting
  }

  get ledger(): ClientLedger {
    return this.#setting.ledger
  }

  async open(): Promise<void> {
    // Nothing to connect.
  }

  async operate(random: Random): Promise<void> {
    const { topic, server, ledger, caller } = this.#setting
    const publication = topic.publish()
    const uri = topic.uriOf(publication)
    const params = { name: TOOL, arguments: { uri } }
    const send = async () => {
      const answer = await caller.fetch(requestOf(server.url, 'tools/call', params, TOOL))
      return answer.text()
    }
    const response = await server.attempt(ledger, 'publication', send, 'publication-sent')
    const isAcknowledged = response !== undefined && isDone(response)
    topic.finish(publication, isAcknowledged)
    ledger.note(`publication ${publication} ${isAcknowledged ? 'acknowledged' : 'lost'}`)
    ledger.count(isAcknowledged ? 'publications' : 'excused: publication without a response')
    await delay(random.between(0, 120))
  }

  async settle(): Promise<void> {
    // The listeners check what was published.
  }
}

/** A call that takes longer is answered with a stream, whose one message is the result. */
function isDone(response: string): boolean {
  const [, json = ''] = /(\{.*\})/.exec(response) ?? []
  try {
    return textOfResult(JSON.parse(json)) === 'done'
  } catch {
    // The response was cut by a kill.
    return false
  }
}
