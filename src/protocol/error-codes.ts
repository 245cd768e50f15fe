/**
 * The JSON-RPC error codes that may cross the wire, as a closed set.
 *
 * -32000 to -32019 is deliberately absent: new implementations should not use that sub-range, and
 * the codes of earlier revisions (`-32002`, `-32042`) belong to the session codec alone.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/index#error-codes
 */
export const ErrorCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
  /** Revisions before 2026-07-28 only; the modern codec writes `invalidParams` instead. */
  resourceNotFound: -32002,
} as const

export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode]
