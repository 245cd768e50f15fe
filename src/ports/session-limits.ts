/** The limits of sessions, which are options of `sessions()`. */

/** Durations in milliseconds, sizes in UTF-16 code units of JSON text. */
export const DEFAULT_SESSION_LIMITS = {
  /** Lifetime of a session id, idle or not. Default 30 days; a seal is valid for at most 90 days. */
  lifetimeMs: 30 * 24 * 60 * 60 * 1000,
  /**
   * How long a session that has never held a stream with `GET` keeps what it stores after its last request, and up
   * to an hour more. Then it ends. A session that stores nothing has no such end. Default 1 day.
   */
  idleMs: 24 * 60 * 60 * 1000,
  /** Notifications in the log of one stream. Asks and answers do not count. Default 1000. */
  logEvents: 1000,
  /** Size of the notifications in the log of one stream. Default 1 Mi. */
  logBytes: 1024 * 1024,
  /** Size of all ended logs of a session; the oldest are deleted first. Default 32 Mi. */
  totalLogBytes: 32 * 1024 * 1024,
  /** How long a log is stored after its last event, for a client that reconnects. Default 5 minutes. */
  logRetentionMs: 300_000,
  /** The `retry` of a stream: how long a client waits before it reconnects. Default 1 s. */
  retryMs: 1000,
  /** Requests that run or wait for responses at the same time. Default 64. */
  requestsInFlight: 64,
  /**
   * Standalone streams of one session at the same time. One more ends those without a heartbeat for 30 s, and is
   * refused when there are none. Default 8.
   */
  streamsPerSession: 8,
  /**
   * Sessions of one issuer and subject that store rows, at all resources together. One more ends the least recently used one. Sessions of
   * anonymous callers are not counted. Default 100.
   */
  perPrincipal: 100,
  /** Resource subscriptions of one session. Default 1000. */
  subscriptionsPerSession: 1000,
  /** Maximum number of messages in one batch, for revisions with batches. Default 50. */
  batchItems: 50,
  /** Maximum size of all answers of one batch. Requests after it is reached are refused. Default 4 Mi. */
  batchAnswerBytes: 4 * 1024 * 1024,
}

export type SessionLimits = Readonly<typeof DEFAULT_SESSION_LIMITS>
