/** The fixture server of a storm: it is killed at one armed moment, and starts again on its storage. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Answer, readAnswer, requestOf } from '../../../../test/attacks/modern.ts'
import { delay } from '../../../../test/faults/sessions/delay.ts'
import { isBroken } from '../../../../test/faults/sessions/is-broken.ts'
import { PersistentServer } from '../../../../test/faults/sessions/persistent-server.ts'
import { readText, send } from '../../../../test/faults/sessions/send.ts'
import type { Point } from './points.ts'

export type Receive = (request: IncomingMessage, body: string, response: ServerResponse) => void

export class KilledServer {
  readonly #server: PersistentServer
  readonly #receiver: Server
  readonly #receive: Map<string, Receive>
  #armed: Point | undefined
  #again: Promise<void> = Promise.resolve()
  kills = 0

  private constructor(server: PersistentServer, receiver: Server, receive: Map<string, Receive>) {
    this.#server = server
    this.#receiver = receiver
    this.#receive = receive
  }

  /** @param atEnd receives a function that stops everything */
  static async start(atEnd: (dispose: () => Promise<void>) => void): Promise<KilledServer> {
    const receive = new Map<string, Receive>()
    const receiver = createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        const path = new URL(request.url ?? '/', 'http://receiver').pathname
        const own = receive.get(path)
        if (own === undefined) response.writeHead(404).end()
        else own(request, Buffer.concat(parts).toString(), response)
      })
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
    let stop = async () => {}
    const server = await PersistentServer.start(
      (dispose) => {
        stop = dispose
      },
      { callbackOrigins: [origin], challenge: true },
    )
    atEnd(async () => {
      receiver.closeAllConnections()
      receiver.close()
      await stop()
    })
    return new KilledServer(server, receiver, receive)
  }

  get log(): string {
    return this.#server.log
  }

  /** Serves a path of the receiver. Returns its URL. */
  serve(path: string, receive: Receive): string {
    this.#receive.set(path, receive)
    return `http://127.0.0.1:${(this.#receiver.address() as AddressInfo).port}${path}`
  }

  /** The server is killed the next time that this moment comes. */
  arm(point: Point): void {
    this.#armed = point
  }

  get isArmed(): boolean {
    return this.#armed !== undefined
  }

  /** The moment has come. Returns whether the server is killed. */
  at(point: Point): boolean {
    if (this.#armed !== point) return false
    this.#armed = undefined
    this.kills += 1
    const killed = this.#server.kill()
    this.#again = this.#again.then(async () => {
      await killed
      await this.#server.startAgain({ samePort: true })
    })
    return true
  }

  /** Sends a request until no kill breaks it. */
  async persist<T>(
    request: () => Request,
    read: (response: Response) => Promise<T>,
    onSent: () => void = () => undefined,
  ): Promise<T> {
    for (;;) {
      await this.#again
      const before = this.kills
      try {
        const sent = send(request())
        onSent()
        return await read(await sent)
      } catch (error) {
        if (!isBroken(error) || this.kills === before) throw error
      }
    }
  }

  call(method: string, params: object, onSent?: () => void): Promise<Answer> {
    return this.persist(() => requestOf(this.#path('/mcp'), method, params), readAnswer, onSent)
  }

  /** Emits a note. Resolves when that is acknowledged. */
  async emit(topic: string, eventId: string, onSent?: () => void): Promise<void> {
    const body = JSON.stringify({
      ...{ name: 'probe.note', eventId },
      data: { topic, text: eventId },
    })
    const text = await this.persist(
      () =>
        new Request(this.#path('/probe/emit'), {
          ...{ method: 'POST', body },
          headers: { 'content-type': 'application/json' },
        }),
      readText,
      onSent,
    )
    if (JSON.parse(text).eventId !== eventId) throw new Error(`emit was answered with ${text}`)
  }

  /** Waits for a time, and until the server runs. */
  async pause(ms: number): Promise<void> {
    await delay(ms)
    await this.#again
  }

  #path(path: string): string {
    return new URL(path, this.#server.url).href
  }
}
