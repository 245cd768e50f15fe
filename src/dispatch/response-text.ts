/** A whole JSON-RPC response as text, around the result or the error of one request. */
import type { Codec } from '../protocol/codec/codec.ts'
import { errorResponse, type RequestId } from '../protocol/json-rpc.ts'
import type { ProtocolError } from '../protocol/protocol-error.ts'
import type { ResultText } from './call.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const CLOSING_BRACE = 0x7d

/** A result response around its result, kept as bytes where it came as bytes. */
export function resultBody(id: RequestId, result: ResultText): ResultText {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`
  if (typeof result === 'string') return `${head}${result}}`
  const start = encoder.encode(head)
  const body = new Uint8Array(start.byteLength + result.byteLength + 1)
  body.set(start)
  body.set(result, start.byteLength)
  body[body.byteLength - 1] = CLOSING_BRACE
  return body
}

export function textOf(body: ResultText): string {
  return typeof body === 'string' ? body : decoder.decode(body)
}

export function errorBody(id: RequestId, error: ProtocolError, codec: Codec): string {
  return JSON.stringify(errorResponse(id, codec.errorCode(error.code), error.message, error.data))
}
