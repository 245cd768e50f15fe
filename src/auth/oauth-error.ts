/** The errors of the authorization server and the resource server: an OAuth error code, a status, a description. */

import type { OAuthErrorCode } from '../protocol/oauth-error-code.ts'

export type { OAuthErrorCode }

const STATUS: Partial<Record<OAuthErrorCode, number>> = {
  invalid_client: 401,
  invalid_token: 401,
  insufficient_scope: 403,
  server_error: 500,
  temporarily_unavailable: 503,
}

/**
 * An error that crosses the wire. Its message is the `error_description`: printable ASCII without
 * quotes and backslashes (RFC 6749 §5.2), and without secrets.
 */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  readonly code: OAuthErrorCode
  readonly status: number
  /** The value of `Retry-After`, if the response has it. */
  readonly retryAfterSeconds: number | undefined
  /** What telemetry reports, where the operator learns more than the client. Default: the message. */
  readonly telemetryMessage: string
  /** The class of rate limits that the request has exceeded, for telemetry. */
  readonly limitClass: string | undefined
  /** Whether the challenge offers DPoP: a bound token was presented as `Bearer`. */
  readonly offersDpop: boolean

  constructor(code: OAuthErrorCode, description: string, options: OAuthErrorOptions = {}) {
    super(description, options)
    this.code = code
    this.status = options.status ?? STATUS[code] ?? 400
    this.retryAfterSeconds = options.retryAfterSeconds
    this.telemetryMessage = options.telemetryMessage ?? description
    this.limitClass = options.limitClass
    this.offersDpop = options.offersDpop ?? false
  }
}

export interface OAuthErrorOptions extends ErrorOptions {
  readonly status?: number
  readonly retryAfterSeconds?: number
  readonly telemetryMessage?: string
  readonly limitClass?: string
  readonly offersDpop?: boolean
}

export function invalidRequest(description: string, options?: OAuthErrorOptions): OAuthError {
  return new OAuthError('invalid_request', description, options)
}
