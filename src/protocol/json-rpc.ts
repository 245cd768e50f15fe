/** JSON-RPC 2.0 messages with the restrictions of MCP: parsing and serialising. */
import { dropNulls } from './absent-members.ts'
import { isJsonObject, type JsonObject, type JsonValue, jsonText } from './json.ts'

/** A well-formed string, or an integer that JavaScript represents exactly. `0` and `""` are ids; `null` is not. */
export type RequestId = string | number

export interface RequestMessage {
  readonly kind: 'request'
  readonly id: RequestId
  readonly method: string
  readonly params: JsonObject | undefined
}

export interface NotificationMessage {
  readonly kind: 'notification'
  readonly method: string
  readonly params: JsonObject | undefined
}

/** A response of the client to a server request: a result or an error. */
export interface ResponseMessage {
  readonly kind: 'response'
  readonly id: RequestId | undefined
  readonly result: JsonObject | undefined
  readonly error: JsonObject | undefined
}

export interface InvalidMessage {
  readonly kind: 'invalid'
  /** The id for the error response; undefined if it could not be read. */
  readonly id: RequestId | undefined
  readonly fault: 'shape' | 'params'
  readonly reason: string
}

export type Message = RequestMessage | NotificationMessage | ResponseMessage

/** Maximum length of a string id, in UTF-16 code units. */
export const MAX_ID_LENGTH = 256

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string'
    ? value.length <= MAX_ID_LENGTH && value.isWellFormed()
    : typeof value === 'number' && Number.isSafeInteger(value)
}

function invalid(
  id: unknown,
  reason: string,
  fault: InvalidMessage['fault'] = 'shape',
): InvalidMessage {
  return { kind: 'invalid', id: isRequestId(id) ? id : undefined, fault, reason }
}

/**
 * Parses one JSON value as a message. Members that JSON-RPC does not define are ignored.
 *
 * @see https://www.jsonrpc.org/specification
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/index#messages
 */
export function parseMessage(value: unknown): Message | InvalidMessage {
  if (!isJsonObject(value)) return invalid(undefined, 'The message must be a JSON object')
  const { jsonrpc, id, method, params, result, error } = value
  if (jsonrpc !== '2.0') return invalid(id, 'jsonrpc must be "2.0"')
  const hasId = Object.hasOwn(value, 'id')
  if (Object.hasOwn(value, 'method')) {
    if (typeof method !== 'string' || method === '') {
      return invalid(id, 'method must be a non-empty string')
    }
    if (result !== undefined || error !== undefined) {
      return invalid(id, 'A message is a request or a response, not both')
    }
    if (hasId && !isRequestId(id)) {
      return invalid(id, `id must be a string of at most ${MAX_ID_LENGTH} characters or an integer`)
    }
    if (params !== undefined && params !== null && !isJsonObject(params)) {
      return invalid(id, 'params must be an object', 'params')
    }
    if (params) dropNulls(method, params)
    const given = params ?? undefined
    return hasId
      ? { kind: 'request', id: id as RequestId, method, params: given }
      : { kind: 'notification', method, params: given }
  }
  const hasResult = isJsonObject(result)
  const hasError = isErrorObject(error)
  const isBoth = hasResult && error !== undefined && error !== null
  if (isBoth || hasResult === hasError) {
    const needed = 'a method, a result object, or an error with a code'
    return invalid(id, `The message must have ${needed}`)
  }
  if (isRequestId(id)) {
    return {
      kind: 'response',
      id,
      result: hasResult ? result : undefined,
      error: hasError ? error : undefined,
    }
  }
  // JSON-RPC allows an error response without an id. A result without an id cannot be matched.
  if (hasError && (id === undefined || id === null)) {
    return { kind: 'response', id: undefined, result: undefined, error }
  }
  return invalid(id, 'A response must carry the id of its request')
}

/**
 * A message of the wrong type is tolerated, because it is only displayed.
 *
 * @see https://www.jsonrpc.org/specification#error_object
 */
function isErrorObject(error: unknown): error is JsonObject {
  return isJsonObject(error) && Number.isSafeInteger(error.code)
}

/**
 * Builds an error response. If the id is unknown, the member is omitted: the MCP schema has
 * `id?: RequestId`, never `null`.
 */
export function errorResponse(
  id: RequestId | undefined,
  code: number,
  message: string,
  data?: JsonValue,
): JsonObject {
  const error = data === undefined ? { code, message } : { code, message, data }
  return id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id, error }
}

export function notificationText(method: string, params: JsonObject | undefined): string {
  return jsonText({ jsonrpc: '2.0', method, params })
}

export function requestText(id: RequestId, method: string, params: JsonObject): string {
  return jsonText({ jsonrpc: '2.0', id, method, params })
}
