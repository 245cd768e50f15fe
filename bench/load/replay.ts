/** The load generator: one fixed request, replayed over keep-alive connections, never pipelined. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { ResponseFraming } from './response-framing.ts'

export const CONNECTIONS = 16
/** How long the last answers of a burst may take. */
const DRAIN_MS = 5_000

/**
 * The connections to one server, for one or more bursts of load in quick succession: workerd
 * closes a connection that has been idle for 5 seconds.
 */
export class Replay {
  /** Answers with status 200 so far. */
  completed = 0
  readonly #request: Buffer
  readonly #sockets: Socket[] = []
  #loading = false
  #outstanding = 0
  #idle: () => void = () => {}
  readonly #failed: Promise<never>
  #fail: (error: Error) => void = () => {}

  private constructor(request: Buffer) {
    this.#request = request
    this.#failed = new Promise((_, reject) => {
      this.#fail = reject
    })
    // A failure between two bursts is thrown by the next one.
    this.#failed.catch(() => {})
  }

  static async open(port: number, request: Buffer, connections = CONNECTIONS): Promise<Replay> {
    const replay = new Replay(request)
    for (let opened = 0; opened < connections; opened++) await replay.#connect(port)
    return replay
  }

  /**
   * Loads the server for a while and comes back when the last answer is in.
   *
   * @throws {Error} for an answer other than 200 and for a connection that ends
   */
  async burst(milliseconds: number): Promise<void> {
    this.#loading = true
    for (const socket of this.#sockets) this.#send(socket)
    let timer: NodeJS.Timeout | undefined
    const elapsed = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds)
    })
    try {
      await Promise.race([elapsed, this.#failed])
      this.#loading = false
      const idle = new Promise<void>((resolve) => {
        this.#idle = resolve
      })
      clearTimeout(timer)
      timer = setTimeout(
        () => this.#fail(new Error(`${this.#outstanding} requests stay unanswered`)),
        DRAIN_MS,
      )
      if (this.#outstanding > 0) await Promise.race([idle, this.#failed])
    } finally {
      clearTimeout(timer)
      this.#loading = false
    }
  }

  close(): void {
    for (const socket of this.#sockets) {
      socket
        .removeAllListeners()
        .on('error', () => {})
        .destroy()
    }
  }

  #send(socket: Socket): void {
    this.#outstanding++
    socket.write(this.#request)
  }

  #receive(socket: Socket, framing: ResponseFraming, bytes: Buffer): void {
    if (!framing.push(bytes)) return
    if (framing.status !== 200) this.#fail(new Error(`Answered ${framing.status} under load`))
    this.completed++
    this.#outstanding--
    if (this.#loading) this.#send(socket)
    else if (this.#outstanding === 0) this.#idle()
  }

  async #connect(port: number): Promise<void> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    const framing = new ResponseFraming()
    socket.on('data', (bytes) => this.#receive(socket, framing, bytes))
    await once(socket, 'connect')
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('The server closed a connection under load')))
    this.#sockets.push(socket)
  }
}
