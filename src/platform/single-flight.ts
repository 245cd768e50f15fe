/**
 * Concurrent requests for the same work share one execution of it.
 *
 * workerd wakes each request in its own place by a tag of its promises. Async functions that V8 has optimised create
 * promises without it, and what awaits such a promise goes on in the wrong request. So followers await a promise of
 * `Promise.withResolvers()`, which always has the tag.
 */
import { withDeadline } from './deadline.ts'
import { LruMap } from './lru-map.ts'

/** An execution whose request was terminated stays until the next call with its key, or until this many are newer. */
const MAX_RUNNING = 1_000

/** Where the work has a deadline, followers wait this much longer: they get its failure and do not repeat it. */
export const FOLLOW_MARGIN_MS = 500

const TIMEOUT = Symbol('timeout')

interface Execution<T> {
  readonly outcome: Promise<T>
  readonly startedAt: number
}

/**
 * Executes work once for all concurrent callers with the same key. A failure is shared as well.
 *
 * On Workers, a promise and its timers belong to the request or the object that created them. When that request is
 * terminated, the promise never settles. A follower therefore waits with a timer of its own request,
 * and executes the work itself when the timer fires.
 */
export class SingleFlight<T> {
  readonly #running = new LruMap<Execution<T>>(MAX_RUNNING)
  readonly #followTimeoutMs: number
  readonly #abandonedAfterMs: number
  readonly #now: () => number

  /**
   * @param followTimeoutMs how long a follower waits: the longest that the work usually takes. Not its
   *   deadline, but {@link FOLLOW_MARGIN_MS} more
   * @param abandonedAfterMs an execution that started this long ago is not followed: its request was
   *   terminated, because the work has a shorter deadline
   */
  constructor(
    followTimeoutMs: number,
    abandonedAfterMs: number = Number.POSITIVE_INFINITY,
    now: () => number = () => Date.now(),
  ) {
    this.#followTimeoutMs = followTimeoutMs
    this.#abandonedAfterMs = abandonedAfterMs
    this.#now = now
  }

  isRunning(key: string): boolean {
    return this.#find(key) !== undefined
  }

  /** Later callers do not follow the executions that are running now: these may use outdated state. */
  detach(): void {
    this.#running.clear()
  }

  async run(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.#find(key)
    if (running === undefined) return this.#execute(key, work)
    const outcome = await withDeadline<T, typeof TIMEOUT>(
      this.#followTimeoutMs,
      running.outcome,
      () => TIMEOUT,
    )
    if (outcome !== TIMEOUT) return outcome
    this.#remove(key, running)
    return this.run(key, work)
  }

  #find(key: string): Execution<T> | undefined {
    const running = this.#running.peek(key)
    if (running === undefined) return undefined
    return this.#now() - running.startedAt < this.#abandonedAfterMs ? running : undefined
  }

  async #execute(key: string, work: () => Promise<T>): Promise<T> {
    // The promise that followers await in their own requests: see the header.
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    work().then(resolve, reject)
    const execution: Execution<T> = { outcome: promise, startedAt: this.#now() }
    this.#running.set(key, execution)
    try {
      return await promise
    } finally {
      this.#remove(key, execution)
    }
  }

  #remove(key: string, execution: Execution<T>): void {
    if (this.#running.peek(key) === execution) this.#running.delete(key)
  }
}
