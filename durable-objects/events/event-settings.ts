/** Settings of MCP Events, with their default values and validation. */
import { MAX_TIMER_MS } from '../../src/platform/deadline.ts'
import type { MaybePromise } from '../../src/platform/maybe-promise.ts'

/** Durations are in milliseconds. */
export interface EventLimits {
  /** Live subscriptions of one principal, over all event types. Default 100. */
  readonly subscriptionsPerPrincipal: number
  /** Streams of one principal at one event type; those of anonymous callers are counted by network. Default 100. */
  readonly streamsPerPrincipal: number
  /** Streams at one event type. Default 10,000. */
  readonly streamsPerType: number
  /**
   * Arguments for which polls and streams of one principal keep listeners at the upstream of one event type at the same time;
   * those of anonymous callers are counted by network. As many are started by its new subscriptions in a minute. Default 100.
   */
  readonly upstreamsPerPrincipal: number
  /** Lifetime of a subscription whose client suggests none. Default 6 hours. */
  readonly defaultTtlMs: number
  /** Shortest lifetime that is granted. Default 1 minute. */
  readonly minTtlMs: number
  /** Longest lifetime that is granted. Default 24 hours. */
  readonly maxTtlMs: number
  /**
   * Times between the attempts of one delivery, each varied by 20 %. The event is given up after the last one.
   * Default 30 s, 2 minutes, 10 minutes.
   */
  readonly retryDelaysMs: readonly number[]
  /** How long a callback may take. Default 10 s. */
  readonly deliveryTimeoutMs: number
  /** How long deliveries are signed with the earlier secret too, after a new one. Default 10 minutes. */
  readonly secretOverlapMs: number
  /** How long a callback stays verified for its principal. Default 24 hours. */
  readonly verificationMs: number
  /** Challenges that one principal causes in a minute. Default 10. */
  readonly challengesPerMinute: number
  /** Events that wait for delivery to one subscription. Above it the oldest are lost and a gap is sent. Default 10,000. */
  readonly pendingPerSubscription: number
  /** How long an event id is remembered: emitted again, it is the same occurrence. Default 24 hours. */
  readonly eventIdMs: number
  /** Occurrences that the log of one type keeps, within its `history`. Default 100,000. */
  readonly occurrencesPerLog: number
  /**
   * Bytes in the storage of one object: of a log, and of the outbox of a principal. Above it the oldest are lost, as above
   * `occurrencesPerLog` and `pendingPerSubscription`. The platform allows 10 GB. Default 4 GB.
   */
  readonly bytesPerObject: number
  /** Longest interval of the heartbeats of a stream. A new stream has one after a second. Default 20 s. */
  readonly heartbeatMs: number
  /** When a client should poll again. Default 30 s. */
  readonly pollMs: number
}

/** Which callbacks deliveries may go to. */
export interface CallbackRules {
  /**
   * Origins that the operator trusts: plain http and addresses that are not public are allowed there, and their
   * challenges are not counted by host (the class `callback-host` of `rateLimits()`). Default none.
   */
  readonly trusted?:
    | readonly string[]
    | ((origin: string, env: unknown) => MaybePromise<boolean>)
    | undefined
  /** Whether trusted origins answer a challenge too, all of them or each. Default false. */
  readonly challengeTrusted?: boolean | ((origin: string) => boolean) | undefined
}

export interface EventSettings {
  readonly limits: EventLimits
  readonly callbacks: CallbackRules
  /** Whether a subscription may have no expiry. */
  readonly allowsNoExpiry: boolean
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const DEFAULT_LIMITS: EventLimits = {
  subscriptionsPerPrincipal: 100,
  streamsPerPrincipal: 100,
  streamsPerType: 10_000,
  upstreamsPerPrincipal: 100,
  defaultTtlMs: 6 * HOUR_MS,
  minTtlMs: MINUTE_MS,
  maxTtlMs: 24 * HOUR_MS,
  retryDelaysMs: [30_000, 2 * MINUTE_MS, 10 * MINUTE_MS],
  deliveryTimeoutMs: 10_000,
  secretOverlapMs: 10 * MINUTE_MS,
  verificationMs: 24 * HOUR_MS,
  challengesPerMinute: 10,
  pendingPerSubscription: 10_000,
  eventIdMs: 24 * HOUR_MS,
  occurrencesPerLog: 100_000,
  bytesPerObject: 4_000_000_000,
  heartbeatMs: 20_000,
  pollMs: 30_000,
}

/** @throws {TypeError} for a value that is not an integer above 0, and for a duration above 2^31 - 1 ms */
export function resolveEventLimits(limits: Partial<EventLimits> = {}): EventLimits {
  const resolved = { ...DEFAULT_LIMITS }
  for (const [name, value] of Object.entries(limits)) {
    if (value === undefined) continue
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) throw new TypeError(`limits.${name} is unknown`)
    for (const number of Array.isArray(value) ? value : [value]) {
      if (!(Number.isSafeInteger(number) && number > 0)) {
        throw new TypeError(`limits.${name} must be an integer above 0`)
      }
      if (name.endsWith('Ms') && number > MAX_TIMER_MS) {
        throw new TypeError(`limits.${name} must be at most ${MAX_TIMER_MS}`)
      }
    }
    Object.assign(resolved, { [name]: value })
  }
  const { minTtlMs, defaultTtlMs, maxTtlMs } = resolved
  if (minTtlMs > maxTtlMs || defaultTtlMs < minTtlMs || defaultTtlMs > maxTtlMs) {
    throw new TypeError('limits need minTtlMs <= defaultTtlMs <= maxTtlMs')
  }
  return resolved
}
