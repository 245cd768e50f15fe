/** The fixture server of a storm: it is killed at one armed moment, and starts again on its storage. */
import { type Answer, readAnswer, requestOf } from '../../../../test/attacks/modern.ts'
import { delay } from '../../../../test/faults/sessions/delay.ts'
import { readText, send } from '../../../../test/faults/sessions/send.ts'
import { KilledServer } from '../../../../test/soak/killed-server.ts'
import { type ClientLedger, Ledger } from '../../../../test/soak/ledger/ledger.ts'
import {
  type CallbackServer,
  type Receive,
  receiveCallbacks,
} from '../../../../test/support/node/http-receiver.ts'
import type { Point } from './points.ts'

export class ArmedServer {
  readonly #server: KilledServer
  readonly #ledger: Ledger
  readonly #receiver: CallbackServer
  readonly #receive: Map<string, Receive>
  readonly #client: ClientLedger
  #armed: Point | undefined

  private constructor(
    server: KilledServer,
    ledger: Ledger,
    receiver: CallbackServer,
    receive: Map<string, Receive>,
  ) {
    this.#server = server
    this.#ledger = ledger
    this.#client = ledger.client('events')
    this.#receiver = receiver
    this.#receive = receive
  }

  static async start(): Promise<ArmedServer> {
    const receive = new Map<string, Receive>()
    const receiver = await receiveCallbacks((request, body, response) => {
      const own = receive.get(String(request.url))
      if (own === undefined) response.writeHead(404).end()
      else own(request, body, response)
    })
    const ledger = new Ledger()
    const served = { callbackOrigins: [receiver.origin], challenge: true }
    const server = await KilledServer.start({ name: 'events', ledger, served })
    return new ArmedServer(server, ledger, receiver, receive)
  }

  async stop(): Promise<void> {
    this.#receiver.stop()
    await this.#server.stop()
  }

  get kills(): number {
    return this.#server.kills
  }

  /** Connections that broke without a kill. */
  get violations(): readonly string[] {
    return this.#ledger.violations.map(({ explanation }) => explanation)
  }

  /** Serves a path of the receiver. Returns its URL. */
  serve(path: string, receive: Receive): string {
    this.#receive.set(path, receive)
    return this.#receiver.origin + path
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
    void this.#server.killAndRestart()
    return true
  }

  /** Sends a request until no kill breaks it. */
  async persist<T>(
    request: () => Request,
    read: (response: Response) => Promise<T>,
    onSent: () => void = () => undefined,
  ): Promise<T> {
    const answer = await this.#server.persist(this.#client, 'request', async () => {
      const sent = send(request())
      onSent()
      return { read: await read(await sent) }
    })
    if (answer === undefined) throw new Error('The storm is over')
    return answer.read
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
    await this.#server.ready()
  }

  #path(path: string): string {
    return new URL(path, this.#server.url).href
  }
}
