/** Settings of MCP Events, with their default values and validation. */
import { resolveLimits } from '../../../../src/platform/limits.ts'
import type { MaybePromise } from '../../../../src/platform/maybe-promise.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Durations are in milliseconds. */
const DEFAULT_LIMITS = {
  /** Live subscriptions of one principal, over all event types. Default 100. */
  subscriptionsPerPrincipal: 100,
  /** Streams of one principal at one event type; those of anonymous callers are counted by network. Default 100. */
  streamsPerPrincipal: 100,
  /** Streams at one event type. Default 10,000. */
  streamsPerType: 10_000,
  /**
   * Arguments for which polls and streams of one principal keep listeners at the upstream of one event type at the same time;
   * those of anonymous callers are counted by network. As many are started by its new subscriptions in a minute. Default 100.
   */
  upstreamsPerPrincipal: 100,
  /** Lifetime of a subscription whose client suggests none. Default 6 hours. */
  defaultTtlMs: 6 * HOUR_MS,
  /** Shortest lifetime that is granted. Default 1 minute. */
  minTtlMs: MINUTE_MS,
  /** Longest lifetime that is granted. Default 24 hours. */
  maxTtlMs: 24 * HOUR_MS,
  /**
   * Times between the attempts of one delivery, each varied by 20 %. The event is given up after the last one.
   * Default 30 s, 2 minutes, 10 minutes.
   */
  retryDelaysMs: [30_000, 2 * MINUTE_MS, 10 * MINUTE_MS] as readonly number[],
  /** How long a callback may take. Default 10 s. */
  deliveryTimeoutMs: 10_000,
  /** How long deliveries are signed with the earlier secret too, after a new one. Default 10 minutes. */
  secretOverlapMs: 10 * MINUTE_MS,
  /** How long a callback stays verified for its principal. Default 24 hours. */
  verificationMs: 24 * HOUR_MS,
  /** Challenges that one principal causes in a minute. Default 10. */
  challengesPerMinute: 10,
  /** Events that wait for delivery to one subscription. Above it the oldest are lost and a gap is sent. Default 10,000. */
  pendingPerSubscription: 10_000,
  /** How long an event id is remembered: emitted again, it is the same occurrence. Default 24 hours. */
  eventIdMs: 24 * HOUR_MS,
  /** Occurrences that the log of one type keeps, within its `history`. Default 100,000. */
  occurrencesPerLog: 100_000,
  /**
   * Bytes in the storage of one object: of a log, and of the outbox of a principal. Above it the oldest are lost, as above
   * `occurrencesPerLog` and `pendingPerSubscription`. The platform allows 10 GB. Default 4 GB.
   */
  bytesPerObject: 4_000_000_000,
  /** Longest interval of the heartbeats of a stream. A new stream has one after a second. Default 20 s. */
  heartbeatMs: 20_000,
  /** Lifetime of a stream; it then ends with its result, and the client opens it again. Default 1 hour. */
  streamLifetimeMs: HOUR_MS,
  /** When a client should poll again. Default 30 s. */
  pollMs: 30_000,
  /** How long a call of the tool of `waitTool()` waits; less where the client is known to wait for less. Default 45 s. */
  holdMs: 45_000,
}

export interface EventLimits extends Readonly<typeof DEFAULT_LIMITS> {}

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

/** @throws {TypeError} for a limit that does not exist or is out of its range */
export function resolveEventLimits(limits: Partial<EventLimits> = {}): EventLimits {
  const resolved = resolveLimits('events', DEFAULT_LIMITS, limits, 'timers')
  const { minTtlMs, defaultTtlMs, maxTtlMs } = resolved
  if (minTtlMs > maxTtlMs || defaultTtlMs < minTtlMs || defaultTtlMs > maxTtlMs) {
    throw new TypeError('events: limits need minTtlMs <= defaultTtlMs <= maxTtlMs')
  }
  return resolved
}
