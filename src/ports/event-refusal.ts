/** Why a request for events by webhook was refused. `docs/reference/reasons.md` explains each. */
export type EventRefusalReason =
  | 'Forbidden'
  | 'InvalidParams'
  | 'NotFound'
  | 'ResourceExhausted'
  | 'Unsupported'
  | 'challenge_failed'
  | 'connection_refused'
  | 'http_4xx'
  | 'http_5xx'
  | 'internal-error'
  | 'timeout'
  | 'tls_error'
