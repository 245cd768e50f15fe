/**
 * Every request that is answered before a method runs, by name: HTTP status and JSON-RPC code. The
 * order in which they are tried is the order of the code that raises them: the door, the body, the
 * message, the era, then the headers against the body.
 */
import { ErrorCode } from '../protocol/error-codes.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { RequestId } from '../protocol/json-rpc.ts'

const { parseError, invalidRequest, invalidParams, methodNotFound } = ErrorCode

export const REFUSALS = {
  'host-not-served': { status: 403, code: invalidRequest },
  'origin-not-allowed': { status: 403, code: invalidRequest },
  'http-method-not-allowed': { status: 405, code: invalidRequest },
  'accepts-no-answer': { status: 406, code: invalidRequest },
  'content-type-not-json': { status: 415, code: invalidRequest },
  'content-encoded': { status: 415, code: invalidRequest },
  'body-too-large': { status: 413, code: invalidRequest },
  'body-unreadable': { status: 400, code: parseError },
  'body-not-json': { status: 400, code: parseError },
  'body-too-deep': { status: 400, code: invalidRequest },
  'body-repeats-a-key': { status: 400, code: invalidRequest },
  'batch-not-allowed': { status: 400, code: invalidRequest },
  'message-malformed': { status: 400, code: invalidRequest },
  'params-malformed': { status: 400, code: invalidParams },
  'response-not-expected': { status: 400, code: invalidRequest },
  'protocol-version-unsupported': { status: 400, code: ErrorCode.unsupportedProtocolVersion },
  'header-mismatch': { status: 400, code: ErrorCode.headerMismatch },
  'meta-malformed': { status: 400, code: invalidParams },
  'method-not-found': { status: 404, code: methodNotFound },
  'session-not-found': { status: 404, code: ErrorCode.sessionNotFound },
  'session-id-required': { status: 400, code: invalidRequest },
  'session-unavailable': { status: 503, code: ErrorCode.internalError },
  'request-id-in-use': { status: 400, code: invalidRequest },
  'too-many-requests': { status: 429, code: invalidRequest },
  'event-id-malformed': { status: 400, code: invalidRequest },
  'event-id-ahead': { status: 400, code: invalidRequest },
  'event-id-pruned': { status: 410, code: invalidRequest },
  'too-many-listeners': { status: 429, code: invalidRequest },
} as const satisfies Record<string, { readonly status: number; readonly code: ErrorCode }>

export type RefusalName = keyof typeof REFUSALS

/** Thrown by whatever refuses, and made into bytes in one place, `respond.ts`. */
export class Refusal extends Error {
  override readonly name: RefusalName
  readonly id: RequestId | undefined
  readonly data: JsonValue | undefined
  readonly headers: Readonly<Record<string, string>> | undefined

  constructor(
    name: RefusalName,
    message: string,
    details: {
      readonly id?: RequestId | undefined
      readonly data?: JsonValue
      readonly headers?: Readonly<Record<string, string>>
    } = {},
  ) {
    super(message)
    this.name = name
    this.id = details.id
    this.data = details.data
    this.headers = details.headers
  }
}
