/** Errors that are answered as JSON-RPC errors. */
import { ErrorCode } from './error-codes.ts'
import type { JsonValue } from './json.ts'

/**
 * A JSON-RPC error that is sent to the client. Its message never contains a stack trace, a secret, or
 * more than a short excerpt of what the client sent.
 */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
  readonly code: ErrorCode
  readonly data: JsonValue | undefined
  /**
   * The scopes that the access token lacks. Before any stream opens, such an error is answered with status 403 and a
   * `WWW-Authenticate` challenge.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/index
   */
  readonly missingScopes: readonly string[] | undefined
  /**
   * - `unavailable`: no object can serve the request now, because its version lacks what is called or the data is
   *   elsewhere. The Worker answers 503 with `Retry-After`, and with the message.
   * - `step-interrupted`: a step was running when its object lost its memory, and may not run twice.
   */
  readonly reason: 'unavailable' | 'step-interrupted' | undefined

  constructor(
    code: ErrorCode,
    message: string,
    data?: JsonValue,
    options: ErrorOptions & Partial<Pick<ProtocolError, 'missingScopes' | 'reason'>> = {},
  ) {
    super(message, options)
    this.code = code
    this.data = data
    this.missingScopes = options.missingScopes
    this.reason = options.reason
  }
}

export const isUnavailable = (error: unknown): error is ProtocolError =>
  error instanceof ProtocolError && error.reason === 'unavailable'

export const insufficientScope = (missingScopes: readonly string[]): ProtocolError =>
  new ProtocolError(
    ErrorCode.invalidRequest,
    `Insufficient scope: ${missingScopes.join(' ')}`,
    undefined,
    { missingScopes },
  )

export function invalidParams(message: string, data?: JsonValue): ProtocolError {
  return new ProtocolError(ErrorCode.invalidParams, message, data)
}

/**
 * The resource does not exist, or this principal may not see it. Both have the same error, so that the
 * existence of a hidden resource is not disclosed.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#error-handling
 */
export function resourceNotFound(uri: string): ProtocolError {
  return new ProtocolError(ErrorCode.resourceNotFound, 'Resource not found', { uri })
}

/** Default maximum length of an excerpt, in UTF-16 code units. */
const MAX_EXCERPT = 128

/** Shortens untrusted text for an error message and replaces control characters. */
export function excerpt(text: string, maxLength = MAX_EXCERPT): string {
  const printable = text
    .slice(0, maxLength + 1)
    .replace(/[\p{Cc}\u2028\u2029]/gu, '\ufffd')
    .toWellFormed()
  return printable.length > maxLength ? `${printable.slice(0, maxLength)}…` : printable
}
