/**
 * All limits of the endpoint with their defaults. Durations are in milliseconds. Sizes are in bytes,
 * or in UTF-16 code units of JSON text where a limit says so: a code unit is one byte of ASCII text
 * and at most three bytes of any other.
 */
import type { CallLimits } from '../dispatch/call.ts'
import type { FactoryLimits } from '../dispatch/definitions.ts'
import { MAX_TIMER_MS } from '../platform/deadline.ts'
import type { SessionLimits } from '../ports/sessions.ts'

export interface Limits extends SessionLimits, FactoryLimits, CallLimits {
  /** Maximum size of a request body, in bytes. Default 4 MiB. */
  readonly bodyBytes: number
  /** Maximum nesting of the body's JSON. Default 64. */
  readonly jsonDepth: number
  /**
   * Maximum number of values in the body's JSON: literals, strings, arrays and objects. Bounds the memory
   * that parsing and validation allocate. An empty array or object counts twice. Default 100,000.
   */
  readonly jsonValues: number
  /** Maximum number of messages in one batch, for revisions with batches. Default 50. */
  readonly batchItems: number
  /**
   * Maximum size of all answers of one batch, in UTF-16 code units. Requests after it is reached are
   * refused. Default 4 Mi.
   */
  readonly batchAnswerBytes: number
  /** How long a call may take before its answer becomes a stream. Default 100. */
  readonly streamAfterMs: number
  /** Maximum interval between two comments on a stream; shorter on a young stream. Default 15 s. */
  readonly keepAliveMs: number
  /** Lifetime of a subscription; it then ends with its result, and the client opens it again. Default 1 hour. */
  readonly listenLifetimeMs: number
  /**
   * Maximum size of what is written to a stream and not yet read, in bytes; for a subscription, of its
   * waiting messages, in UTF-16 code units. Above it a call drops notifications and a subscription ends.
   * Default 1 Mi.
   */
  readonly sendBufferBytes: number
  /** How long a client may read nothing of a waiting write before its stream is aborted. Default 30 s. */
  readonly writeStallMs: number
}

export const DEFAULT_LIMITS: Limits = {
  bodyBytes: 4 * 1024 * 1024,
  jsonDepth: 64,
  jsonValues: 100_000,
  batchItems: 50,
  batchAnswerBytes: 4 * 1024 * 1024,
  resultBytes: 16 * 1024 * 1024,
  handlerTimeoutMs: 300_000,
  requestStateTtlMs: 600_000,
  holdMs: 45_000,
  taskTtlMs: 7 * 24 * 60 * 60 * 1000,
  tasksPerPrincipal: 1000,
  stateBytes: 64 * 1024,
  stateTtlMs: 30 * 24 * 60 * 60 * 1000,
  statesPerPrincipal: 1000,
  statesPerSession: 100,
  fileBytes: 256 * 1024 * 1024,
  fileTtlMs: 30 * 24 * 60 * 60 * 1000,
  filesPerPrincipal: 1000,
  fileBytesPerPrincipal: 1024 * 1024 * 1024,
  streamAfterMs: 100,
  keepAliveMs: 15_000,
  listenLifetimeMs: 3_600_000,
  sendBufferBytes: 1024 * 1024,
  writeStallMs: 30_000,
  sessionLifetimeMs: 30 * 24 * 60 * 60 * 1000,
  sessionIdleMs: 24 * 60 * 60 * 1000,
  logEvents: 1000,
  logBytes: 1024 * 1024,
  sessionLogBytes: 32 * 1024 * 1024,
  logRetentionMs: 300_000,
  retryMs: 1000,
  requestsInFlight: 64,
  streamsPerSession: 8,
  sessionsPerPrincipal: 100,
  subscriptionsPerSession: 1000,
  factoryTimeoutMs: 10_000,
  definitionMaxAgeMs: 300_000,
  definitionsPerIsolate: 200,
}

/** The limits that a timer waits for as they are. */
const TIMERS = new Set<string>([
  'handlerTimeoutMs',
  'holdMs',
  'streamAfterMs',
  'keepAliveMs',
  'writeStallMs',
  'factoryTimeoutMs',
] satisfies (keyof Limits)[])

/** A row of an object holds 2 MB. */
const MAX_STATE_BYTES = 1024 * 1024

/** @throws {TypeError} for a limit that does not exist or is out of its range */
export function resolveLimits(overrides: Partial<Limits> = {}): Limits {
  for (const [name, value] of Object.entries(overrides)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) throw new TypeError(`There is no limit "${name}"`)
    if (typeof value !== 'number' || !(value > 0)) {
      throw new TypeError(`The limit "${name}" must be a number above 0`)
    }
    if (!name.endsWith('Ms') && !Number.isSafeInteger(value)) {
      throw new TypeError(`The limit "${name}" must be an integer`)
    }
    if (TIMERS.has(name) && value > MAX_TIMER_MS) {
      throw new TypeError(`The limit "${name}" must be at most ${MAX_TIMER_MS}, 24 days`)
    }
    if (name === 'stateBytes' && value > MAX_STATE_BYTES) {
      throw new TypeError(`The limit "${name}" must be at most ${MAX_STATE_BYTES}`)
    }
  }
  return { ...DEFAULT_LIMITS, ...overrides }
}
