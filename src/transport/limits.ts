/** Every bound of the endpoint, with its written value. Durations in milliseconds, sizes in bytes. */

import type { SessionLimits } from '../ports/sessions.ts'

export interface Limits extends SessionLimits {
  /** A request body, counted as it arrives. Default 4 MiB. */
  readonly bodyBytes: number
  /** Nesting of the body's JSON. Default 64. */
  readonly jsonDepth: number
  /** Messages in one batch, where the revision has batches. Default 50. */
  readonly batchItems: number
  /** The answers of one batch together; further requests in it are refused. Default 8 MiB. */
  readonly batchAnswerBytes: number
  /** One call of a handler whose definition says nothing else. Default 5 minutes. */
  readonly handlerTimeoutMs: number
  /** How long a question may wait for its answer before the request has to be made anew. Default 10 minutes. */
  readonly requestStateTtlMs: number
  /** How long a call may take before its answer becomes a stream. Default 100. */
  readonly streamAfterMs: number
  /** At most between two comments on a stream; a young one has them more often. Default 15 s. */
  readonly keepAliveMs: number
  /** How long a subscription lasts before it ends in an orderly way, to be opened anew. Default 1 hour. */
  readonly listenLifetimeMs: number
  /** Written to a stream and not yet taken by its reader; above it, notifications are dropped. Default 1 MiB. */
  readonly sendBufferBytes: number
  /** How long a reader may take nothing before its stream is given up. Default 30 s. */
  readonly writeStallMs: number
}

/** The longest delay a timer takes, in milliseconds; a longer one would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1

export const DEFAULT_LIMITS: Limits = {
  bodyBytes: 4 * 1024 * 1024,
  jsonDepth: 64,
  batchItems: 50,
  batchAnswerBytes: 8 * 1024 * 1024,
  handlerTimeoutMs: 300_000,
  requestStateTtlMs: 600_000,
  streamAfterMs: 100,
  keepAliveMs: 15_000,
  listenLifetimeMs: 3_600_000,
  sendBufferBytes: 1024 * 1024,
  writeStallMs: 30_000,
  sessionLifetimeMs: 30 * 24 * 60 * 60 * 1000,
  logEvents: 1000,
  logBytes: 1024 * 1024,
  sessionLogBytes: 32 * 1024 * 1024,
  logRetentionMs: 300_000,
  retryMs: 1000,
  requestsInFlight: 64,
  streamsPerSession: 8,
  subscriptionsPerSession: 1000,
}

/** @throws {TypeError} for a limit that is not a number above 0, or that does not exist */
export function resolveLimits(overrides: Partial<Limits> = {}): Limits {
  for (const [name, value] of Object.entries(overrides)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) throw new TypeError(`There is no limit "${name}"`)
    if (typeof value !== 'number' || !(value > 0)) {
      throw new TypeError(`The limit "${name}" must be a number above 0`)
    }
  }
  return { ...DEFAULT_LIMITS, ...overrides }
}
