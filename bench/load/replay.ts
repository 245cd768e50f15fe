/** The load generator: dialogues, replayed each over a keep-alive connection, never pipelined. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Dialogue } from './dialogue.ts'
import { ResponseFraming } from './response-framing.ts'

export const CONNECTIONS = 16
/** How long the last answers of a burst may take. */
const DRAIN_MS = 5_000

interface Connection {
  readonly socket: Socket
  readonly dialogue: Dialogue
  readonly framing: ResponseFraming
  /** What has been received of the answer under way. */
  answer: string
  isSecondRound: boolean
}

/**
 * The connections to one server, for one or more bursts of load in quick succession: workerd
 * closes a connection that has been idle for 5 seconds.
 */
export class Replay {
  /** Dialogues that have come to their end so far, each answer with the status that it must have. */
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
    // A failure between two bursts is thrown by the next one.
    this.#failed.catch(() => {})
  }

  /** A connection for each dialogue. */
  static async open(port: number, dialogues: readonly Dialogue[]): Promise<Replay> {
    const replay = new Replay()
    for (const dialogue of dialogues) await replay.#connect(port, dialogue)
    return replay
  }

  /**
   * Loads the server for a while and comes back when the last answer is in.
   *
   * @throws {Error} for an answer of another status and for a connection that ends
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
    for (const { socket } of this.#connections) {
      socket
        .removeAllListeners()
        .on('error', () => {})
        .destroy()
    }
  }

  #send({ socket, dialogue }: Connection): void {
    this.#outstanding++
    socket.write(dialogue.opening)
  }

  #receive(connection: Connection, bytes: Buffer): void {
    const { framing, socket } = connection
    const { followUp, learn, status = 200 } = connection.dialogue
    // An answer is kept only where something has to be read out of it.
    if (followUp !== undefined || learn !== undefined) connection.answer += bytes.toString('latin1')
    if (!framing.push(bytes)) return
    if (framing.status !== status) this.#fail(new Error(`Answered ${framing.status} under load`))
    if (followUp !== undefined) {
      const next = followUp(connection.answer)
      connection.answer = ''
      connection.isSecondRound = !connection.isSecondRound
      if ((next !== undefined) !== connection.isSecondRound) {
        this.#fail(new Error('A dialogue under load did not take exactly two rounds'))
      }
      if (next !== undefined) {
        socket.write(next, 'latin1')
        return
      }
    }
    if (learn !== undefined) {
      if (!learn(connection.answer)) this.#fail(new Error('An answer under load has no token'))
      connection.answer = ''
    }
    this.completed++
    this.#outstanding--
    if (this.#loading) this.#send(connection)
    else if (this.#outstanding === 0) this.#idle()
  }

  async #connect(port: number, dialogue: Dialogue): Promise<void> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    const framing = new ResponseFraming()
    const connection = { socket, dialogue, framing, answer: '', isSecondRound: false }
    socket.on('data', (bytes) => this.#receive(connection, bytes))
    await once(socket, 'connect')
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('The server closed a connection under load')))
    this.#connections.push(connection)
  }
}
