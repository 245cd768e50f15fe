/** The life of one subscription in a storm, and the ledger of what was emitted for it and delivered to it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Random } from '../../../../test/soak/random.ts'
import { createEventReceiver, type EventReceiver } from '../../../testing/src/event-receiver.ts'
import type { ArmedServer } from './killed-server.ts'
import type { Point } from './points.ts'

/** Attempts of one delivery and restarts together take less. */
const DELIVERED_MS = 60_000
const POLL_MS = 20
const SOON_MS = 80

/** An attempt that had begun before the answer to `events/unsubscribe` arrives no later. */
const UNDER_WAY_MS = 400

/** How long it is watched that nothing is delivered after the end. */
const SILENCE_MS = 600

interface Arrival {
  readonly id: string
  readonly at: number
}

export class Life {
  readonly #server: ArmedServer
  readonly #random: Random
  readonly #topic: string
  readonly #url: string
  readonly #receiver: EventReceiver
  readonly #accepted = new Map<string, number>()
  readonly #arrivals: Arrival[] = []
  readonly #due = new Set<string>()
  readonly #problems: string[] = []
  #refused = new Set<string>()
  #phase: 'subscribe' | 'deliver' | 'refresh' | 'replay' = 'subscribe'
  #emitted = 0
  #cursor: unknown

  constructor(server: ArmedServer, random: Random, name: string) {
    this.#server = server
    this.#random = random
    this.#topic = name
    this.#url = server.serve(`/${name}`, (...received) => this.#receive(...received))
    this.#receiver = createEventReceiver({ url: this.#url })
  }

  /** Returns what was lost, repeated under another id, or delivered after the end. */
  async run(): Promise<readonly string[]> {
    await this.#subscribe('subscribe')
    this.#phase = 'deliver'
    for (let count = 0; count < 2; count++) await this.#emit()
    await this.#settled()
    await this.#burst()
    await this.#settled()
    this.#phase = 'refresh'
    this.#receiver.rotate()
    await this.#subscribe('refresh')
    this.#phase = 'deliver'
    await this.#emit()
    await this.#settled()
    await this.#unsubscribe()
    await this.#replay()
    await this.#settled()
    await this.#unsubscribe()
    await this.#silence()
    return this.#problems
  }

  async #subscribe(
    step: 'subscribe' | 'refresh' | 'replay',
    cursor: unknown = null,
  ): Promise<void> {
    const params = { ...this.#key(), cursor, ttlMs: 3_600_000 }
    const delivery = { mode: 'webhook', url: this.#url, secret: this.#receiver.secret }
    const { result, error } = await this.#server.call(
      'events/subscribe',
      { ...params, delivery },
      () => this.#soon(`${step}: sent`),
    )
    if (result === undefined) throw new Error(`${step} was refused: ${JSON.stringify(error)}`)
    if (step !== 'refresh') this.#cursor = result.cursor
    this.#server.at(`${step}: answered`)
  }

  async #emit(): Promise<void> {
    const id = this.#nextId()
    await this.#server.emit(this.#topic, id, () => this.#soon('emit: sent'))
    this.#due.add(id)
    this.#server.at('emit: answered')
    this.#soon('emit: answered some time ago')
  }

  async #burst(): Promise<void> {
    const ids = Array.from({ length: 8 }, () => this.#nextId())
    const emitted = ids.map(async (id, index) => {
      await this.#server.emit(this.#topic, id)
      this.#due.add(id)
      if (index === 3) this.#server.at('burst: some are answered')
    })
    this.#soon('burst: sent')
    await Promise.all(emitted)
  }

  /** After the end, the subscription begins anew where it began before: everything is delivered again. */
  async #replay(): Promise<void> {
    this.#phase = 'replay'
    this.#accepted.clear()
    await this.#subscribe('replay', this.#cursor)
  }

  async #unsubscribe(): Promise<void> {
    const { result, error } = await this.#server.call(
      'events/unsubscribe',
      { ...this.#key(), delivery: { url: this.#url } },
      () => this.#soon('unsubscribe: sent'),
    )
    const answeredAt = performance.now()
    if (result === undefined) {
      this.#problems.push(`unsubscribe was refused: ${JSON.stringify(error)}`)
    }
    this.#server.at('unsubscribe: answered')
    const id = this.#nextId()
    await this.#server.emit(this.#topic, id)
    await this.#server.pause(this.#random.between(0, SOON_MS))
    const late = this.#arrivals.filter(({ at }) => at > answeredAt + UNDER_WAY_MS)
    for (const { id: event } of late) this.#problems.push(`${event} arrived after the end`)
    if (this.#phase === 'replay') return
    // The next life begins before it, so that it is delivered then.
    this.#due.add(id)
  }

  async #settled(): Promise<void> {
    const until = performance.now() + DELIVERED_MS
    const missing = () => [...this.#due].filter((id) => !this.#accepted.has(id))
    while (missing().length > 0) {
      if (performance.now() > until) {
        this.#problems.push(`lost: ${missing().join(', ')}`)
        return
      }
      await this.#server.pause(POLL_MS)
    }
  }

  async #silence(): Promise<void> {
    await this.#server.pause(UNDER_WAY_MS)
    const before = this.#arrivals.length
    await this.#server.pause(SILENCE_MS)
    for (const { id } of this.#arrivals.slice(before)) {
      this.#problems.push(`${id} arrived after the end`)
    }
  }

  #receive(message: IncomingMessage, body: Buffer, response: ServerResponse): void {
    void this.#answer(message, body.toString(), response).catch((error) =>
      this.#problems.push(`the receiver failed: ${error}`),
    )
  }

  async #answer(message: IncomingMessage, body: string, response: ServerResponse): Promise<void> {
    const headers = Object.entries(message.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ])
    const request = new Request(this.#url, { method: 'POST', headers, body })
    const id = String(message.headers['webhook-id'])
    const answer = await this.#receiver.fetch(request)
    const text = await answer.text()
    const reply = () =>
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
    if (answer.status >= 400) this.#problems.push(`${id} was refused: ${text}`)
    if (id.startsWith('msg_verification_')) {
      if (this.#phase !== 'deliver' && this.#phase !== 'replay') {
        if (this.#server.at(`${this.#phase}: the challenge arrives`)) return
      }
      reply()
      this.#server.at('subscribe: the challenge is answered')
      return
    }
    this.#arrivals.push({ id, at: performance.now() })
    if (JSON.parse(body).eventId !== id && !id.startsWith('msg_')) {
      this.#problems.push(`${id} has another id in its body`)
    }
    if (this.#phase === 'replay') this.#server.at('replay: a delivery arrives')
    if (this.#server.at('delivery: arrives')) return
    if (this.#refused.has(id)) this.#server.at('delivery: the repetition arrives')
    else if (this.#phase === 'deliver' && this.#refused.size === 0) {
      this.#refused.add(id)
      response.writeHead(503).end()
      this.#server.at('delivery: refused')
      this.#soon('delivery: refused some time ago')
      return
    }
    if (this.#server.isArmed && this.#server.at('delivery: hangs')) return
    response.writeHead(204)
    if (this.#server.at('delivery: half of the answer is sent')) {
      response.destroy()
      return
    }
    response.end()
    this.#accepted.set(id, (this.#accepted.get(id) ?? 0) + 1)
    this.#server.at('delivery: answered')
    this.#soon('delivery: answered some time ago')
  }

  #soon(point: Point): void {
    setTimeout(() => this.#server.at(point), this.#random.between(0, SOON_MS))
  }

  #nextId(): string {
    this.#emitted += 1
    return `${this.#topic}-${this.#emitted}`
  }

  #key() {
    return { name: 'probe.note', arguments: { topic: this.#topic } }
  }
}
