/** The options of `changes()`, with their default values. */

export const DEFAULT_CHANGES_OPTIONS = {
  /**
   * Number of objects that share the listeners. Publishers and listeners must use the same number:
   * change it with a full deployment, not a gradual one. Default 1, enough for 10,000 listeners.
   */
  shards: 1,
  /** Listeners per isolate, over all subjects. Each holds a stream in the isolate's memory. Default 2,000. */
  listenersPerIsolate: 2000,
  /**
   * Listeners per subject. Anonymous listeners are counted by network (IPv4 /24, IPv6 /48), per shard.
   * Default 100.
   */
  listenersPerSubject: 100,
  /** Listeners per shard. Default 10,000. */
  listenersPerShard: 10_000,
  /** Milliseconds that one call of a shard may take. Default 10,000. */
  shardTimeoutMs: 10_000,
  /**
   * Milliseconds that a change is stored at least, for listeners that reconnect. A listener that is
   * away for longer receives a gap. A shard stores at most 10,000 changes. Default 600,000.
   */
  changeRetentionMs: 600_000,
  /** Lifetime of a stream of `subscriptions/listen`; it then ends with its result, and the client opens it again. Default 1 hour. */
  listenLifetimeMs: 3_600_000,
}

export interface ChangesOptions extends Partial<Readonly<typeof DEFAULT_CHANGES_OPTIONS>> {}
