/** The reasons for which a call or a stream is cancelled. `docs/reference/reasons.md` explains each. */

/** Why a call or a stream ended before its answer. */
export type CancelReason =
  | 'access-revoked'
  | 'cancelled-by-client'
  | 'client-disconnected'
  | 'session-ended'
  | 'stalled'
  | 'timeout'
