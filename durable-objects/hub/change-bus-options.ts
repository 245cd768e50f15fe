/** Options of the change bus, with their default values and validation. */
import { MAX_TIMER_MS } from '../../src/platform/deadline.ts'

export interface ChangeBusOptions {
  /**
   * Number of objects that share the listeners. Publishers and listeners must use the same number:
   * change it with a full deployment, not a gradual one. Default 1, enough for 10,000 listeners.
   */
  readonly shards?: number
  /** Listeners per isolate, over all subjects. Each holds a stream in the isolate's memory. Default 2,000. */
  readonly listenersPerIsolate?: number
  /**
   * Listeners per subject. Anonymous listeners are counted by network (IPv4 /24, IPv6 /48), per shard.
   * Default 100.
   */
  readonly listenersPerSubject?: number
  /** Listeners per shard. Default 10,000. */
  readonly listenersPerShard?: number
  /** Milliseconds that one call of a shard may take. Default 10,000. */
  readonly shardTimeoutMs?: number
  /**
   * Milliseconds that a change is stored at least, for listeners that reconnect. A listener that is
   * away for longer receives a gap. A shard stores at most 10,000 changes. Default 600,000.
   */
  readonly changeRetentionMs?: number
}

const DEFAULT_CHANGE_BUS_OPTIONS: Required<ChangeBusOptions> = {
  shards: 1,
  listenersPerIsolate: 2000,
  listenersPerSubject: 100,
  listenersPerShard: 10_000,
  shardTimeoutMs: 10_000,
  changeRetentionMs: 600_000,
}

/** @throws {TypeError} for a value that is not an integer above 0, and for a duration above 2^31 - 1 ms */
export function resolveChangeBusOptions(options: ChangeBusOptions): Required<ChangeBusOptions> {
  const resolved = { ...DEFAULT_CHANGE_BUS_OPTIONS }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    if (!(Number.isSafeInteger(value) && value > 0)) {
      throw new TypeError(`${name} must be an integer above 0`)
    }
    if (name.endsWith('Ms') && value > MAX_TIMER_MS) {
      throw new TypeError(`${name} must be at most ${MAX_TIMER_MS}`)
    }
    Object.assign(resolved, { [name]: value })
  }
  return resolved
}
