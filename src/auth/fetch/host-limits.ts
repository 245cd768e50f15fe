/**
 * Bounds how often this isolate sends requests to one host. Clients choose the hosts, so a stranger must
 * not be able to make this server send many requests to another one.
 */
import { LruMap } from '../../platform/lru-map.ts'

/** Requests to one host at the same time. */
export const MAX_CONCURRENT_PER_HOST = 8
export const MAX_PER_MINUTE_PER_HOST = 100

const MINUTE_MS = 60_000
const MAX_HOSTS = 1_000

interface SentRequest {
  readonly startedAt: number
  isRunning: boolean
}

export class HostLimits {
  /** The requests of the last minute. */
  readonly #hosts = new LruMap<readonly SentRequest[]>(MAX_HOSTS)
  readonly #timeoutMs: number
  readonly #now: () => number

  /** @param timeoutMs a request that started this long ago has ended: its own request was terminated */
  constructor(timeoutMs: number, now: () => number) {
    this.#timeoutMs = timeoutMs
    this.#now = now
  }

  /** Returns a function that marks the request as ended; undefined when it must not be sent. */
  start(host: string): (() => void) | undefined {
    const now = this.#now()
    const recent = (this.#hosts.get(host) ?? []).filter(
      ({ startedAt }) => now - startedAt < MINUTE_MS,
    )
    const running = recent.filter(
      ({ startedAt, isRunning }) => isRunning && now - startedAt < this.#timeoutMs,
    )
    if (recent.length >= MAX_PER_MINUTE_PER_HOST) return undefined
    if (running.length >= MAX_CONCURRENT_PER_HOST) return undefined
    const request = { startedAt: now, isRunning: true }
    this.#hosts.set(host, [...recent, request])
    return () => {
      request.isRunning = false
    }
  }
}
