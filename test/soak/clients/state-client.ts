/** Creates, replaces and deletes one value of `ctx.state`, and reads it after each request. */
import { readAnswer, requestOf } from '../../attacks/modern.ts'
import { StateHistory } from '../ledger/state-history.ts'
import type { ClientSetting } from './client.ts'

const WRITES = 4

interface Called {
  readonly isError?: boolean
  readonly structuredContent?: { readonly handle?: string; readonly value?: unknown }
}

export class StateClient {
  readonly #setting: ClientSetting

  constructor(setting: ClientSetting) {
    this.#setting = setting
  }

  async run(): Promise<void> {
    const { server, ledger } = this.#setting
    const create = () => this.#call('state_create', { value: 0 })
    const created = await server.persist(ledger, 'state: create', create, 'state-sent')
    const handle = created?.structuredContent?.handle
    if (handle === undefined) return
    const history = new StateHistory(ledger, 0)
    await this.#read(handle, history)
    for (let value = 1; value <= WRITES; value++) {
      const update = () => this.#call('state_update', { handle, value, expected: history.present })
      await this.#write(update, value, history)
      await this.#read(handle, history)
    }
    await this.#write(() => this.#call('state_delete', { handle }), undefined, history)
    await this.#read(handle, history)
  }

  async #write(send: () => Promise<Called>, value: unknown, history: StateHistory): Promise<void> {
    const { server, ledger } = this.#setting
    const answer = await server.attempt(ledger, 'state: write', send, 'state-sent')
    if (answer === undefined) history.lost(value)
    else history.written(value, answer.isError !== true)
  }

  async #read(handle: string, history: StateHistory): Promise<void> {
    const { server, ledger } = this.#setting
    const get = () => this.#call('state_get', { handle })
    const answer = await server.persist(ledger, 'state: read', get)
    if (answer !== undefined) history.read(answer.structuredContent?.value)
  }

  async #call(name: string, args: object): Promise<Called> {
    const { caller, server } = this.#setting
    const params = { name, arguments: args }
    const request = requestOf(server.url, 'tools/call', params, name)
    return ((await readAnswer(await caller.fetch(request))).result ?? {}) as Called
  }
}
