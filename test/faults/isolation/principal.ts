/** One principal of the battery: its clients in every era, what it does, and what it must never see. */
import type { KilledServer } from '../../soak/killed-server.ts'
import type { Random } from '../../soak/random.ts'
import { HttpSession } from '../../support/http-session.ts'
import type { WireMessage } from '../../support/sse-reader.ts'
import {
  ERAS,
  type Era,
  type EraClient,
  openEraClient,
  withToken,
} from '../definitions/era-client.ts'
import { StreamRefusedError } from '../sessions/http-sse-session.ts'
import { isBroken } from '../sessions/is-broken.ts'
import { type HeldAsk, holdInSession, holdModern, holdOverHttpSse } from './held-asks.ts'

export interface World {
  readonly origin: string
  readonly count: (what: string) => void
  readonly violation: (text: string) => void
  readonly server: KilledServer
}

interface OpenClient {
  readonly client: EraClient
  readonly place: string
  /** The number of kills that it has survived. */
  kills: number
}

interface Held {
  readonly ask: HeldAsk
  readonly place: string
  readonly since: number
}

/** Calls that one principal holds at the same time. */
const MAX_HELD = 2
/** Values of the query parameter; none for an empty one. */
const VIEWS = ['', 'view-a', 'view-b'] as const

export const nameOf = (number: number): string => `principal-${String(number).padStart(2, '0')}`

export class Principal {
  readonly #number: number
  readonly #count: number
  readonly #random: Random
  readonly #world: World
  readonly #who: string
  readonly #fetch: (request: Request) => Promise<Response>
  readonly #clients = new Map<string, OpenClient>()
  readonly #held: Held[] = []

  constructor(number: number, count: number, random: Random, world: World) {
    this.#number = number
    this.#count = count
    this.#random = random
    this.#world = world
    this.#who = nameOf(number)
    this.#fetch = withToken(this.#who)
  }

  /** Does one thing. A kill may break it. */
  async act(): Promise<void> {
    await this.#attempt(async () => {
      const action = this.#random.pickWeighted([
        [5, () => this.#list()],
        [8, () => this.#call()],
        [2, () => this.#callForeignTool()],
        [2, () => this.#presentToOther()],
        [2, () => this.#holdAsk()],
        [2, () => this.#finishOne()],
      ])
      await action()
    })
  }

  /** Answers what is still held, when no more kills come. */
  async finishAll(): Promise<void> {
    while (this.#held.length > 0) await this.#attempt(() => this.#finishOne())
  }

  async #attempt(act: () => Promise<void>): Promise<void> {
    await this.#world.server.ready()
    const kills = this.#world.server.kills
    try {
      await act()
    } catch (error) {
      if (isBroken(error) && this.#world.server.kills > kills) this.#world.count('broken by a kill')
      else if (!isFailedFactory(error)) this.#world.violation(`${this.#who}: ${error}`)
    }
  }

  async #list(): Promise<void> {
    const { client } = await this.#client()
    const [method, member] = this.#random.pick([
      ['tools/list', 'tools'],
      ['prompts/list', 'prompts'],
      ['resources/list', 'resources'],
    ] as const)
    const message = await this.#request(client, method)
    if (message === undefined) return
    const items: readonly { readonly description: string }[] = message.result[member]
    if (items.length === 0) this.#world.violation(`${this.#who}: ${method} is empty`)
    for (const item of items) this.#expectOwn(method, JSON.stringify(item))
  }

  async #call(): Promise<void> {
    const { client, place } = await this.#client()
    const text = `${this.#who} ${this.#who} ${place}`
    const [method, params, expected] = this.#random.pick([
      [
        'tools/call',
        { name: 'shared', arguments: { who: this.#who } },
        { structuredContent: { who: this.#who, text } },
      ],
      [
        'tools/call',
        { name: `only_${this.#who}`, arguments: {} },
        { text: `${text} {"secret":"secret of ${this.#who}"}` },
      ],
      ['prompts/get', { name: 'greet' }, { text }],
      ['resources/read', { uri: `note://${this.#who}` }, { text }],
    ] as const)
    const message = await this.#request(client, method, params)
    if (message === undefined) return
    const { content, messages, contents, structuredContent } = message.result
    const found =
      'text' in expected
        ? { text: content?.[0]?.text ?? messages?.[0]?.content?.text ?? contents?.[0]?.text }
        : // 2024-11-05 has no structured content.
          { structuredContent: structuredContent ?? JSON.parse(content[0].text) }
    this.#expectEqual(`${client.era} ${method}`, found, expected)
  }

  /** The tool of another principal does not exist, and its arguments do not fit the shared tool. */
  async #callForeignTool(): Promise<void> {
    const { client } = await this.#client()
    const other = this.#other()
    const params = this.#random.pick([
      { name: `only_${other}`, arguments: {} },
      { name: 'shared', arguments: { who: other } },
    ])
    const message = await client.request('tools/call', params)
    this.#world.count(`call: ${client.era}`)
    this.#world.count('refused: foreign tool or schema')
    const isRefused = message.error !== undefined || message.result?.isError === true
    if (!isRefused) this.#world.violation(`${this.#who} ran ${params.name} of ${other}`)
  }

  /** Presents an id of its session, or what it holds, as another principal and for another tenant. */
  async #presentToOther(): Promise<void> {
    const other = withToken(this.#other())
    const held = this.#held[0]
    if (held !== undefined && this.#random.chance(0.5)) {
      const isRefused = await held.ask.isRefusedTo(other)
      this.#world.count('refused: foreign call that waits')
      if (!isRefused) this.#world.violation(`A call of ${this.#who} was answered by another`)
      return
    }
    const url = this.#urlOf('session', this.#tenant(), '')
    const session = await HttpSession.open({ url, fetch: this.#fetch })
    const stolen = new HttpSession({ url, fetch: other }, session.id, session.version)
    const elsewhere = new HttpSession(
      { url: `${url}?view=view-c`, fetch: this.#fetch },
      session.id,
      session.version,
    )
    for (const [what, one] of Object.entries({ stolen, elsewhere })) {
      const { status } = await one.send('tools/list')
      this.#world.count(`refused: session, ${what}`)
      if (status !== 404) this.#world.violation(`${this.#who}: session, ${what}: ${status}`)
    }
  }

  async #holdAsk(): Promise<void> {
    if (this.#held.length >= MAX_HELD) return this.#finishOne()
    const view = this.#random.pick(VIEWS)
    const tenant = this.#tenant()
    const era = this.#random.pick(['modern', 'session', 'http-sse'] as const)
    const hold = { modern: holdModern, session: holdInSession, 'http-sse': holdOverHttpSse }[era]
    const since = this.#world.server.kills
    const ask = await hold(this.#urlOf(era, tenant, view), this.#fetch)
    this.#world.count(`call: ${era}`)
    this.#expectOwn(`${era} ask`, JSON.stringify(ask.question))
    this.#held.push({ ask, place: placeOf(tenant, view), since })
  }

  async #finishOne(): Promise<void> {
    const held = this.#held.shift()
    if (held === undefined) return
    let message: WireMessage
    try {
      message = await held.ask.finish()
    } catch (error) {
      // Its answer may have arrived: the call is not answered twice.
      this.#world.count('held call broken by a kill')
      throw error
    }
    const isResumed = held.since < this.#world.server.kills
    this.#world.count(isResumed ? 'answered: resumed after a kill' : 'answered: without a kill')
    if (isFailedFactory(message)) {
      this.#world.count('factory failed')
      return
    }
    const text = `${this.#who} ${this.#who} ${held.place}`
    const found = message?.result?.content?.[0]?.text ?? JSON.stringify(message)
    this.#expectEqual('an answered call', found, `${text} ${text} accept`)
  }

  /** Sends a request whose response must be the principal's own; undefined when the factory has failed. */
  async #request(
    client: EraClient,
    method: string,
    params?: object,
  ): Promise<WireMessage | undefined> {
    const message = await client.request(method, params)
    this.#world.count(`call: ${client.era}`)
    if (isFailedFactory(message)) {
      this.#world.count('factory failed')
      return undefined
    }
    this.#expectOwn(`${client.era} ${method}`, JSON.stringify(message))
    if (message.result === undefined) throw new Error(`${method}: ${JSON.stringify(message)}`)
    return message
  }

  /** A client of any era at any place, which is opened once. */
  async #client(): Promise<OpenClient> {
    const era = this.#random.pick(ERAS)
    const view = this.#random.pick(VIEWS)
    const tenant = this.#tenant()
    const place = placeOf(tenant, view)
    const name = `${era} ${place}`
    const kills = this.#world.server.kills
    const open = this.#clients.get(name)
    if (open !== undefined) {
      if (open.kills < kills) await open.client.reconnect()
      open.kills = kills
      return open
    }
    const url = this.#urlOf(era, tenant, view)
    const created = { client: await openEraClient(era, url, this.#fetch, url), place, kills }
    this.#clients.set(name, created)
    return created
  }

  #urlOf(era: Era, tenant: string, view: string): string {
    const path = era === 'http-sse' ? 'sse' : 'mcp'
    return `${this.#world.origin}/${path}/${tenant}${view === '' ? '' : `?view=${view}`}`
  }

  /** Its own tenant, or one of its neighbour: both are served, with different definitions. */
  #tenant(): string {
    return `tenant-${(this.#number + this.#random.between(0, 1)) % this.#count}`
  }

  #other(): string {
    return nameOf((this.#number + this.#random.between(1, this.#count - 1)) % this.#count)
  }

  /** Requires that a text names this principal and no other. */
  #expectOwn(what: string, text: string): void {
    const names = new Set(text.match(/principal-\d\d/g))
    if (names.size !== 1 || !names.has(this.#who)) {
      this.#world.violation(`${this.#who}: ${what} has ${[...names]}: ${text.slice(0, 500)}`)
    }
  }

  #expectEqual(what: string, found: unknown, expected: unknown): void {
    const [left, right] = [JSON.stringify(found), JSON.stringify(expected)]
    if (left !== right) this.#world.violation(`${this.#who}: ${what}: ${left} is not ${right}`)
  }
}

function placeOf(tenant: string, view: string): string {
  return `${tenant} ${view === '' ? 'no-view' : view}`
}

/** Whether a response or an error of a client says that the factory has failed, as it sometimes does. */
function isFailedFactory(from: unknown): boolean {
  if (from instanceof StreamRefusedError) return from.status === 500
  const text = from instanceof Error ? from.message : JSON.stringify(from)
  return text?.includes('could not build its definition') === true
}
