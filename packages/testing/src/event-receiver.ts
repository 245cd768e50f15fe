/**
 * A receiver of webhook deliveries for tests: verifies them as a client does, answers the challenge and records
 * everything. It fails as a test instructs it. `received-delivery.ts` reads and verifies one delivery.
 */
import type { EventOccurrence } from '../../../src/protocol/events.ts'
import { addHost, look, removeHost, ScriptedQueue } from './outbound.ts'
import { type Delivery, problemOf, readDelivery } from './received-delivery.ts'

/** How long {@link EventReceiver.next} waits by default, in milliseconds. */
const NEXT_TIMEOUT_MS = 5_000

const SECRET_BYTES = 32

/** A body above every limit of a sender, for `'huge'`. */
const HUGE_BYTES = 1_048_576

/** What the receiver does with a valid request. */
export type ReceiverAnswer =
  /** 204; for a challenge 200 with the challenge. */
  | 'accept'
  /** 200 with another challenge than that of the request. */
  | 'wrong-challenge'
  /** 200 with a body of 1 MiB. */
  | 'huge'
  /** Nothing, until the sender gives up or the receiver is closed. */
  | 'hang'
  /** Fails as a host does that cannot be reached. */
  | 'unreachable'
  | { readonly status: number; readonly body?: string }
  /** 302 to this URL. */
  | { readonly redirect: string }

export interface ReceivedDelivery extends Delivery {
  /** Why the receiver has refused the request; undefined for a valid one. */
  readonly problem: string | undefined
  /** The status of the answer; undefined where there was none. */
  readonly status: number | undefined
}

export interface EventReceiverOptions {
  /** The callback. Default: an address of its own below `https://receiver.example`. */
  readonly url?: string
  /** Default: a random one. */
  readonly secret?: string
  /** Epoch milliseconds. Default: `Date.now`. */
  readonly now?: () => number
}

/**
 * Creates a receiver. Its `url` and `secret` are what `client.events.subscribe` takes as `callback`.
 *
 * A server in the same process reaches it after `listen()`, which answers requests of the global `fetch` to the
 * receiver's URL. Behind an HTTP server, pass each request to `fetch`.
 */
export function createEventReceiver(options: EventReceiverOptions = {}): EventReceiver {
  return new EventReceiver(options)
}

/** Returns a random secret of the form that `events/subscribe` requires. */
export function createEventSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
  // The methods of `Uint8Array` for base64 are missing in Node 24, and this module is used without the rest.
  return `whsec_${btoa(String.fromCharCode(...bytes))}`
}

export class EventReceiver {
  readonly url: string
  readonly #now: () => number
  readonly #secrets: string[]
  readonly #deliveries: ReceivedDelivery[] = []
  #isClosed = false
  #eventAnswers = new ScriptedQueue<ReceiverAnswer>()
  #challengeAnswers = new ScriptedQueue<ReceiverAnswer>()
  #returned = 0

  /** @internal */
  constructor({ url, secret = createEventSecret(), now = () => Date.now() }: EventReceiverOptions) {
    this.url = url ?? `https://receiver.example/${crypto.randomUUID()}`
    this.#secrets = [secret]
    this.#now = now
  }

  /** The newest secret. */
  get secret(): string {
    return this.#secrets.at(-1) as string
  }

  /** Every request so far, refused ones included. */
  get deliveries(): readonly ReceivedDelivery[] {
    return [...this.#deliveries]
  }

  /** The events that were answered with 2xx, repeated ones included. */
  get events(): readonly EventOccurrence[] {
    return this.#deliveries.flatMap(({ event, status = 0 }) =>
      event !== undefined && status >= 200 && status < 300 ? [event] : [],
    )
  }

  /** Begins to accept another secret, which becomes `secret`, and returns it. The earlier ones are accepted too. */
  rotate(secret: string = createEventSecret()): string {
    this.#secrets.push(secret)
    return secret
  }

  /** How the next events and control envelopes are answered, one each. The last answer is for all later ones. */
  answerEvents(...answers: readonly ReceiverAnswer[]): void {
    this.#eventAnswers = new ScriptedQueue(...answers)
  }

  /** How the next challenges are answered, one each. The last answer is for all later ones. */
  answerChallenges(...answers: readonly ReceiverAnswer[]): void {
    this.#challengeAnswers = new ScriptedQueue(...answers)
  }

  /**
   * Waits for the next event, `gap` or `terminated`, however it was answered. Challenges are in `deliveries` alone.
   *
   * @throws {Error} when none arrives within `timeoutMs`, by default 5 seconds
   */
  async next(timeoutMs = NEXT_TIMEOUT_MS): Promise<ReceivedDelivery> {
    const place = this.#returned
    this.#returned += 1
    const find = () => this.#deliveries.filter(({ kind }) => kind !== 'verification')[place]
    const until = performance.now() + timeoutMs
    for (let found = find(); ; found = find()) {
      if (found !== undefined) return found
      if (performance.now() >= until) break
      await look()
    }
    this.#returned -= 1
    throw new Error(`No delivery arrived within ${timeoutMs} ms`)
  }

  /**
   * Answers a request of a sender.
   *
   * @throws {TypeError} for `'unreachable'`, and for `'hang'` once the sender has given up
   */
  async fetch(request: Request): Promise<Response> {
    const delivery = await readDelivery(request, this.#secrets, this.#now())
    const problem = problemOf(delivery)
    const answer = problem === undefined ? this.#nextAnswer(delivery) : 'accept'
    const response =
      problem === undefined
        ? responseTo(delivery, answer)
        : new Response(problem.text, { status: problem.status })
    this.#deliveries.push({ ...delivery, problem: problem?.text, status: response?.status })
    if (response !== undefined) return response
    if (answer === 'hang') await this.#hang(request.signal)
    throw new TypeError('The receiver cannot be reached')
  }

  /** @internal */
  answers(url: string): boolean {
    return url === this.url
  }

  /** Answers requests of the global `fetch` to the receiver's URL, until `close()`. All others go where they went. */
  listen(): this {
    this.#isClosed = false
    addHost(this)
    return this
  }

  /** Ends what `listen()` has begun, and every request that hangs. */
  close(): void {
    removeHost(this)
    this.#isClosed = true
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #nextAnswer({ kind }: Delivery): ReceiverAnswer {
    const queue = kind === 'verification' ? this.#challengeAnswers : this.#eventAnswers
    return queue.next() ?? 'accept'
  }

  async #hang(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#isClosed) await look()
  }
}

/** Undefined for an answer that never arrives. */
function responseTo({ kind, envelope }: Delivery, answer: ReceiverAnswer): Response | undefined {
  if (answer === 'hang' || answer === 'unreachable') return undefined
  if (answer === 'huge') return new Response(' '.repeat(HUGE_BYTES))
  if (answer === 'wrong-challenge') return Response.json({ challenge: 'another challenge' })
  if (answer === 'accept') {
    return kind === 'verification'
      ? Response.json({ challenge: envelope?.challenge })
      : new Response(null, { status: 204 })
  }
  return 'redirect' in answer
    ? new Response(null, { status: 302, headers: { location: answer.redirect } })
    : new Response(answer.body ?? null, { status: answer.status })
}
