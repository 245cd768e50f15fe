/**
 * The limits of every app: those of a feature are options of the feature. Durations are in milliseconds. Sizes are in
 * bytes, or in UTF-16 code units of JSON text where a limit says so: a code unit is one byte of ASCII text and at most
 * three bytes of any other.
 */
import { resolveLimits } from '../platform/limits.ts'

export const DEFAULT_LIMITS = {
  /** Maximum size of a request body, in bytes. Default 4 MiB. */
  bodyBytes: 4 * 1024 * 1024,
  /** Maximum nesting of the body's JSON. Default 64. */
  jsonDepth: 64,
  /**
   * Maximum number of values in the body's JSON: literals, strings, arrays and objects. Bounds the memory
   * that parsing and validation allocate. An empty array or object counts twice. Default 100,000.
   */
  jsonValues: 100_000,
  /**
   * Maximum size of one result, in UTF-16 code units. A handler whose result is larger has failed.
   * Default 16 Mi.
   */
  resultBytes: 16 * 1024 * 1024,
  /** Timeout of a handler whose definition sets none. Default 5 minutes. */
  handlerTimeoutMs: 300_000,
  /** How long a call may take before its answer becomes a stream. Default 100. */
  streamAfterMs: 100,
  /** Maximum interval between two comments on a stream; shorter on a young stream. Default 15 s. */
  keepAliveMs: 15_000,
  /**
   * Maximum size of what is written to a stream and not yet read, in bytes; for a subscription, of its
   * waiting messages, in UTF-16 code units. Above it a call drops notifications and a subscription ends.
   * Default 1 Mi.
   */
  sendBufferBytes: 1024 * 1024,
  /** How long a client may read nothing of a waiting write before its stream is aborted. Default 30 s. */
  writeStallMs: 30_000,
  /** How long a factory may take. Default 10 s. */
  factoryTimeoutMs: 10_000,
  /**
   * How long a definition serves before it is built again; one of a session, how long after it was
   * last used. Default 5 minutes.
   */
  definitionMaxAgeMs: 300_000,
  /** Definitions that one isolate keeps; the least recently used one is dropped. Default 200. */
  definitionsPerIsolate: 200,
}

export interface Limits extends Readonly<typeof DEFAULT_LIMITS> {}

/** @throws {TypeError} for a limit that does not exist or is out of its range */
export const resolveAppLimits = (overrides: Partial<Limits> = {}): Limits =>
  resolveLimits('limits', DEFAULT_LIMITS, overrides, 'timers')
