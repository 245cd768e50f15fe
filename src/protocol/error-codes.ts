/**
 * The JSON-RPC error codes that may cross the wire, as a closed set. Those of MCP Events are in `event-errors.ts`.
 *
 * New implementations should not use -32000 to -32019. The codes of this range at the end belong to
 * earlier revisions, and only the session eras use them.
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
  /** Session eras only: the caller has no session with this id. */
  sessionNotFound: -32001,
  /** Revision 2025-11-25 only: a person must open a URL before the request can be served. */
  urlElicitationRequired: -32042,
} as const

/** The last ten are those of MCP Events, in the profile of the sketch and in that of SEP-3415. */
export type ErrorCode =
  | (typeof ErrorCode)[keyof typeof ErrorCode]
  | (-32011 | -32012 | -32013 | -32014 | -32015)
  | (-32023 | -32024 | -32025 | -32026 | -32027)
