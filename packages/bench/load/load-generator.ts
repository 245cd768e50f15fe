/** The load generator: one script per keep-alive connection, without pipelining. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { ConnectionScript } from './connection-script.ts'
import { ResponseFraming } from './response-framing.ts'

export const CONNECTIONS = 16
/** Time limit of the last responses of a burst. */
const DRAIN_MS = 5_000

interface Connection {
  readonly socket: Socket
  readonly script: ConnectionScript
  readonly framing: ResponseFraming
  /** The bytes of the current response, when the script reads them. */
  response: string
  awaitsSecondResponse: boolean
}

/**
 * The connections to one server, for one or more bursts of load in quick succession: workerd
 * closes a connection after 5 idle seconds.
 */
export class LoadGenerator {
  /** Completed iterations of all scripts. Every response had the required status. */
  completed = 0
  readonly #connections: Connection[] = []
  #loading = false
  #outstanding = 0
  #idle: () => void = () => {}
  readonly #failed: Promise<never>
  #fail: (error: Error) => void = () => {}

  private constructor() {
    this.#failed = new Promise((_, reject) => {
      this.#fail = reject
    })
    // A failure between two bursts is thrown by the next burst.
    this.#failed.catch(() => {})
  }

  /** Opens one connection per script. */
  static async connect(port: number, scripts: readonly ConnectionScript[]): Promise<LoadGenerator> {
    const load = new LoadGenerator()
    for (const script of scripts) await load.#connect(port, script)
    return load
  }

  /**
   * Loads the server for a time, and returns after the last response.
   *
   * @throws {Error} for a response with another status and for a connection that ends
   */
  async burst(milliseconds: number): Promise<void> {
    this.#loading = true
    for (const connection of this.#connections) this.#send(connection)
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
        () => this.#fail(new Error(`${this.#outstanding} requests have no response`)),
        DRAIN_MS,
      )
      if (this.#outstanding > 0) await Promise.race([idle, this.#failed])
    } finally {
      clearTimeout(timer)
      this.#loading = false
    }
  }

  close(): void {
    for (const { socket } of this.#connections) {
      socket
        .removeAllListeners()
        .on('error', () => {})
        .destroy()
    }
  }

  #send({ socket, script }: Connection): void {
    this.#outstanding++
    socket.write(script.firstRequest)
  }

  #receive(connection: Connection, bytes: Buffer): void {
    const { framing, socket, script } = connection
    const { followUp, advance, status = 200 } = script
    const isRead = followUp !== undefined || advance !== undefined
    if (isRead) connection.response += bytes.toString('latin1')
    if (!framing.push(bytes)) return
    const { response } = connection
    connection.response = ''
    if (framing.status !== status) this.#fail(new Error(`Status ${framing.status} under load`))
    if (followUp !== undefined) {
      const next = followUp(response)
      connection.awaitsSecondResponse = !connection.awaitsSecondResponse
      if ((next !== undefined) !== connection.awaitsSecondResponse) {
        this.#fail(new Error('An iteration under load did not take exactly two round trips'))
      }
      if (next !== undefined) {
        socket.write(next, 'latin1')
        return
      }
    }
    if (advance?.(response) === false) {
      this.#fail(new Error('A response under load has no token'))
    }
    this.completed++
    this.#outstanding--
    if (this.#loading) this.#send(connection)
    else if (this.#outstanding === 0) this.#idle()
  }

  async #connect(port: number, script: ConnectionScript): Promise<void> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    const framing = new ResponseFraming()
    const connection = { socket, script, framing, response: '', awaitsSecondResponse: false }
    socket.on('data', (bytes) => this.#receive(connection, bytes))
    await once(socket, 'connect')
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('The server closed a connection under load')))
    this.#connections.push(connection)
  }
}
