/** Failures of the protocol itself: what is answered as a JSON-RPC error rather than as a result. */
import { ErrorCode } from './error-codes.ts'
import type { JsonValue } from './json.ts'

/**
 * A JSON-RPC error that crosses the wire. Its message is meant for the peer: it never holds a
 * stack, a secret, or more than a short excerpt of what the peer sent.
 */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
  readonly code: ErrorCode
  readonly data: JsonValue | undefined

  constructor(code: ErrorCode, message: string, data?: JsonValue, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.data = data
  }
}

export function invalidParams(message: string, data?: JsonValue): ProtocolError {
  return new ProtocolError(ErrorCode.invalidParams, message, data)
}

/**
 * The resource does not exist, or not for this principal: the two must look alike.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#error-handling
 */
export function resourceNotFound(uri: string): ProtocolError {
  return new ProtocolError(ErrorCode.resourceNotFound, 'Resource not found', { uri })
}

/** How much of a peer's text an error message may repeat, in UTF-16 code units. */
const MAX_EXCERPT = 128

/** A short, printable excerpt of text from outside, for an error message. */
export function excerpt(text: string, maxLength = MAX_EXCERPT): string {
  const printable = text
    .slice(0, maxLength + 1)
    .replace(/[\p{Cc}\u2028\u2029]/gu, '\ufffd')
    .toWellFormed()
  return printable.length > maxLength ? `${printable.slice(0, maxLength)}…` : printable
}

/**
 * The access token lacks scopes. Answered before any stream opens, as 403 with a challenge.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/index
 */
export class InsufficientScopeError extends ProtocolError {
  readonly scopes: readonly string[]

  constructor(scopes: readonly string[]) {
    super(ErrorCode.invalidRequest, `Insufficient scope: ${scopes.join(' ')}`)
    this.scopes = scopes
  }
}
