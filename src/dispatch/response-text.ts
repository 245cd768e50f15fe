/** Serialises whole JSON-RPC responses around the result or error of a request. */
import type { Codec } from '../protocol/codec/codec.ts'
import { jsonText } from '../protocol/json.ts'
import { errorResponse, type RequestId } from '../protocol/json-rpc.ts'
import type { ProtocolError } from '../protocol/protocol-error.ts'
import type { ResultText } from './call.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const CLOSING_BRACE = 0x7d

/** Builds a result response. It has the type of the result: text or bytes. */
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
  return jsonText(errorResponse(id, codec.errorCode(error.code), error.message, error.data))
}
