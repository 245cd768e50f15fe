/** The errors of the SDK, which a handler throws, and their translation. */
import type { JsonValue } from '../../../src/protocol/json.ts'
import { ProtocolError as WireError } from '../../../src/protocol/protocol-error.ts'
import {
  type RequiredElicitation,
  UrlElicitationRequiredError as RequiredUrlError,
} from '../../../src/server/url-elicitation-required-error.ts'

/** The error codes of the SDK 1.x. */
export const ErrorCode = {
  ConnectionClosed: -32000,
  RequestTimeout: -32001,
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  UrlElicitationRequired: -32042,
} as const
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode]

/** The error codes of the SDK 2.x. */
export const ProtocolErrorCode = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  ResourceNotFound: -32002,
  MissingRequiredClientCapability: -32021,
  UnsupportedProtocolVersion: -32022,
  UrlElicitationRequired: -32042,
} as const
export type ProtocolErrorCode = (typeof ProtocolErrorCode)[keyof typeof ProtocolErrorCode]

/**
 * An error with a JSON-RPC code (SDK 2.x). In a tool the model receives its message in a result with
 * `isError: true`; elsewhere the client receives a JSON-RPC error.
 */
export class ProtocolError extends Error {
  override readonly name: string = 'ProtocolError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** {@link ProtocolError} of the SDK 1.x, whose message names the code. */
export class McpError extends ProtocolError {
  override readonly name: string = 'McpError'

  constructor(code: number, message: string, data?: unknown) {
    super(code, `MCP error ${code}: ${message}`, data)
  }
}

/** Thrown by a handler for a resource that does not exist (SDK 2.x). */
export class ResourceNotFoundError extends ProtocolError {
  override readonly name = 'ResourceNotFoundError'
  readonly uri: string

  constructor(uri: string, message = `Resource not found: ${uri}`) {
    super(ProtocolErrorCode.ResourceNotFound, message, { uri })
    this.uri = uri
  }
}

/** Thrown by a handler that must be called again after a person has opened a URL. */
export class UrlElicitationRequiredError extends ProtocolError {
  override readonly name = 'UrlElicitationRequiredError'
  readonly elicitations: readonly RequiredElicitation[]

  constructor(
    elicitations: readonly (RequiredElicitation & { readonly mode?: 'url' })[],
    message = 'URL elicitation required',
  ) {
    super(ErrorCode.UrlElicitationRequired, message, { elicitations })
    this.elicitations = elicitations
  }
}

/** Translates an error that the handler of a tool has thrown. Others are results for the model. */
export function toolError(error: unknown): unknown {
  if (!(error instanceof UrlElicitationRequiredError)) return error
  return new RequiredUrlError(error.elicitations, error.message)
}

/** Translates an error that the handler of a prompt, resource or completion has thrown. */
export function methodError(error: unknown): unknown {
  const translated = toolError(error)
  if (!(translated instanceof ProtocolError)) return translated
  const { code, message, data } = translated
  // The codes of authors are not a closed set.
  return new WireError(code as WireError['code'], message, data as JsonValue, { cause: error })
}
