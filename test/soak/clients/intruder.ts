/** Sends requests with the session ids of another principal, which must all be answered with 404. */
import { delay } from '../../faults/sessions/delay.ts'
import type { ClientLedger } from '../ledger/ledger.ts'
import type { Random } from '../random.ts'
import { type ClientSetting, nextId, type SoakClient } from './client.ts'
import type { SessionClient } from './session-client.ts'

export class Intruder implements SoakClient {
  readonly workers = 1
  readonly #setting: ClientSetting
  readonly #victims: readonly SessionClient[]

  constructor(setting: ClientSetting, victims: readonly SessionClient[]) {
    this.#setting = setting
    this.#victims = victims
  }

  get ledger(): ClientLedger {
    return this.#setting.ledger
  }

  async open(): Promise<void> {
    // The sessions are those of other clients.
  }

  async operate(random: Random): Promise<void> {
    const { server, ledger, caller } = this.#setting
    const { session, life } = random.pick(this.#victims)
    const method = random.pick(['POST', 'GET', 'DELETE'])
    const headers = method === 'POST' ? session.headers : session.getHeaders()
    const ping = JSON.stringify({ jsonrpc: '2.0', id: nextId(), method: 'ping' })
    const status = await server.attempt(ledger, 'intrusion', async () => {
      const body = method === 'POST' ? ping : null
      const response = await caller.fetch(new Request(server.url, { method, headers, body }))
      await response.body?.cancel()
      return response.status
    })
    if (status !== undefined) {
      life.answeredToOther(status)
      ledger.count('intrusions refused')
    }
    await delay(random.between(50, 300))
  }

  async settle(): Promise<void> {
    // Each operation checks its own response.
  }
}
