/** The stream of one event type, as `client.events.stream` opens it. */
import type { EventOccurrence } from '../../../src/protocol/events.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { WireMessage } from './wire-message.ts'

/** How long {@link EventStream.next} waits by default, in milliseconds. */
const NEXT_TIMEOUT_MS = 5_000

/** A notification of the stream: `active` of `notifications/events/active`, and so on. */
export type StreamMessageKind = 'active' | 'event' | 'heartbeat' | 'error' | 'terminated'

export interface StreamMessage {
  /** The method without `notifications/events/`; the whole method of any other notification. */
  readonly kind: string
  readonly params: JsonObject
}

/** How a stream has ended. */
export interface StreamEnd {
  /** The result, which the server sends when it closes the stream itself. */
  readonly result?: JsonObject
  /** Why the stream has ended without a result: the signal, or a connection that was lost. */
  readonly reason?: unknown
}

const PREFIX = 'notifications/events/'

export class EventStream {
  readonly #messages: StreamMessage[] = []
  /** How many messages of each kind were returned by {@link next}. */
  readonly #read = new Map<string, number>()
  readonly #waiting = new Set<() => void>()
  readonly #opened = Promise.withResolvers<void>()
  readonly #ended = Promise.withResolvers<StreamEnd>()
  readonly #end: () => void
  #cursor: string | null = null
  #truncated = false

  /** @internal */
  constructor(end: () => void) {
    this.#end = end
    // A stream that is refused rejects, also when nothing waits for it.
    this.#opened.promise.catch(() => undefined)
  }

  /** Every message so far, in the order of arrival. */
  get messages(): readonly StreamMessage[] {
    return [...this.#messages]
  }

  /** The position up to which the stream was received: that of the last message with a cursor. */
  get cursor(): string | null {
    return this.#cursor
  }

  /** Whether the last `active` has announced a gap. */
  get truncated(): boolean {
    return this.#truncated
  }

  /** Resolves when the stream has ended, by whichever side. */
  get ended(): Promise<StreamEnd> {
    return this.#ended.promise
  }

  /**
   * Waits for the next event.
   *
   * @throws {Error} when none arrives within `timeoutMs`, by default 5 seconds
   */
  async next(timeoutMs?: number): Promise<EventOccurrence> {
    return (await this.nextMessage('event', timeoutMs)) as unknown as EventOccurrence
  }

  /**
   * Waits for the next message of a kind, and returns its parameters. The first `active` is one.
   *
   * @throws {Error} when none arrives within `timeoutMs`, by default 5 seconds
   */
  async nextMessage(kind: StreamMessageKind, timeoutMs = NEXT_TIMEOUT_MS): Promise<JsonObject> {
    const place = this.#read.get(kind) ?? 0
    this.#read.set(kind, place + 1)
    const find = () => this.#messages.filter((message) => message.kind === kind)[place]
    let found = find()
    if (found === undefined) {
      await new Promise<void>((resolve, reject) => {
        const check = () => {
          if (find() === undefined) return
          this.#waiting.delete(check)
          clearTimeout(timer)
          resolve()
        }
        const timer = setTimeout(() => {
          this.#waiting.delete(check)
          this.#read.set(kind, place)
          reject(new Error(`No ${kind} arrived within ${timeoutMs} ms`))
        }, timeoutMs)
        this.#waiting.add(check)
      })
      found = find()
    }
    return (found as StreamMessage).params
  }

  /** Disconnects. */
  close(): void {
    this.#end()
  }

  /** @internal Resolves with the first `active`, and rejects when the server refuses the stream. */
  get opened(): Promise<void> {
    return this.#opened.promise
  }

  /** @internal */
  push({ method = '', params = {} }: WireMessage): void {
    const kind = method.startsWith(PREFIX) ? method.slice(PREFIX.length) : method
    this.#messages.push({ kind, params })
    const { cursor, truncated } = params
    if (typeof cursor === 'string') this.#cursor = cursor
    if (kind === 'active') {
      this.#truncated = truncated === true
      this.#opened.resolve()
    }
    for (const check of [...this.#waiting]) check()
  }

  /** @internal @param ended the final result of the request */
  follow(ended: Promise<Readonly<Record<string, unknown>>>): void {
    ended.then(
      (result) => {
        this.#opened.reject(new Error('The stream has ended before it was confirmed'))
        this.#ended.resolve({ result: result as JsonObject })
      },
      (reason: unknown) => {
        this.#opened.reject(reason)
        this.#ended.resolve({ reason })
      },
    )
  }
}
