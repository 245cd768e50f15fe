/**
 * The refusals: requests rejected before any method ran, by name, each with its HTTP status and its
 * JSON-RPC code. `docs/reference/reasons.md` explains each.
 */
import { ErrorCode } from './error-codes.ts'

const { parseError, invalidRequest, invalidParams, methodNotFound } = ErrorCode

/** In the order of the checks: host and origin, rate, HTTP, body, message, era, ladder, session. */
export const REFUSALS = {
  'host-not-served': { status: 403, code: invalidRequest },
  'origin-not-allowed': { status: 403, code: invalidRequest },
  'administrator-required': { status: 403, code: invalidRequest },
  'rate-limited': { status: 429, code: invalidRequest },
  'http-method-not-allowed': { status: 405, code: invalidRequest },
  'content-encoding-not-supported': { status: 415, code: invalidRequest },
  'content-type-not-json': { status: 415, code: invalidRequest },
  'not-acceptable': { status: 406, code: invalidRequest },
  'body-too-large': { status: 413, code: invalidRequest },
  'body-incomplete': { status: 400, code: parseError },
  'body-not-json': { status: 400, code: parseError },
  'body-too-deep': { status: 400, code: invalidRequest },
  'body-has-too-many-values': { status: 413, code: invalidRequest },
  'body-has-duplicate-key': { status: 400, code: invalidRequest },
  'batch-not-allowed': { status: 400, code: invalidRequest },
  'message-malformed': { status: 400, code: invalidRequest },
  'params-malformed': { status: 400, code: invalidParams },
  'unexpected-response': { status: 400, code: invalidRequest },
  'meta-malformed': { status: 400, code: invalidParams },
  'header-mismatch': { status: 400, code: ErrorCode.headerMismatch },
  'protocol-version-unsupported': { status: 400, code: ErrorCode.unsupportedProtocolVersion },
  'method-not-found': { status: 404, code: methodNotFound },
  'capability-missing': { status: 400, code: ErrorCode.missingClientCapability },
  'definition-failed': { status: 500, code: ErrorCode.internalError },
  'too-many-listeners': { status: 429, code: invalidRequest },
  'session-id-missing': { status: 400, code: invalidRequest },
  'session-not-found': { status: 404, code: ErrorCode.sessionNotFound },
  'session-unavailable': { status: 503, code: ErrorCode.internalError },
  'request-id-in-use': { status: 400, code: invalidRequest },
  'too-many-requests': { status: 429, code: invalidRequest },
  'event-id-invalid': { status: 400, code: invalidRequest },
  'event-id-ahead': { status: 400, code: invalidRequest },
  'event-id-pruned': { status: 410, code: invalidRequest },
  'stream-complete': { status: 405, code: invalidRequest },
  'too-many-streams': { status: 429, code: invalidRequest },
} as const satisfies Record<string, { readonly status: number; readonly code: ErrorCode }>

export type RefusalName = keyof typeof REFUSALS
