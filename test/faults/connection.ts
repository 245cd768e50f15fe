/**
 * A TCP connection to the server, for requests that no HTTP client sends. It reads responses itself,
 * because the tests check framing, resets and bytes after the end of a response.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { parseResponse, type RawResponse } from './raw-response.ts'

export class Connection {
  readonly #socket: Socket
  readonly #chunks: Buffer[] = []
  #ended = false
  #changed: () => void = () => undefined
  #reading = false

  private constructor(socket: Socket) {
    this.#socket = socket
    const end = () => {
      this.#ended = true
      this.#changed()
    }
    // A reset counts as an end: the tests check what arrived before it.
    socket.on('error', end).on('end', end).on('close', end)
  }

  /** Resolves when connected. Bytes are read from the socket only while a method waits for them. */
  static async open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    await once(socket, 'connect')
    socket.setNoDelay(true)
    return new Connection(socket)
  }

  /** Whether the end of the server's side has been read. */
  get ended(): boolean {
    return this.#ended
  }

  /** Resolves with `true` when the kernel has accepted the bytes, and `false` when the server reads no more. */
  write(data: string | Uint8Array): Promise<boolean> {
    return new Promise((resolve) => {
      this.#socket.write(data, (error) => resolve(error === undefined || error === null))
    })
  }

  /** Ends the sending side only. */
  finish(): void {
    this.#socket.end()
  }

  /** Closes the connection with a FIN or with a reset. */
  close(how: 'fin' | 'reset' = 'fin'): void {
    if (how === 'reset') this.#socket.resetAndDestroy()
    else this.#socket.destroy()
  }

  /** Resolves with everything received when it contains `text`. */
  async readUntil(text: string): Promise<string> {
    for (;;) {
      const received = this.#received().toString()
      if (received.includes(text)) return received
      if (this.#ended) throw new Error(`The server ended before "${text}":\n${received}`)
      await this.#more()
    }
  }

  /** The next complete response on the connection. */
  async response(): Promise<RawResponse> {
    for (;;) {
      const received = this.#received()
      const parsed = parseResponse(received)
      if (parsed !== undefined) {
        this.#chunks.splice(0, this.#chunks.length, received.subarray(parsed.length))
        return parsed.response
      }
      if (this.#ended) throw new Error(`The server ended within a response:\n${received}`)
      await this.#more()
    }
  }

  /** Reads to the end and resolves with the bytes after the last response. */
  async rest(): Promise<string> {
    while (!this.#ended) await this.#more()
    return this.#received().toString()
  }

  #received(): Buffer {
    const all = Buffer.concat(this.#chunks)
    this.#chunks.splice(0, this.#chunks.length, all)
    return all
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#changed = resolve
      if (this.#ended) resolve()
      if (this.#reading) return
      this.#reading = true
      this.#socket.on('data', (chunk) => {
        this.#chunks.push(Buffer.from(chunk))
        this.#changed()
      })
    })
  }
}
