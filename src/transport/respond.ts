/** The one place where answers and errors become HTTP responses. */

import { errorBody } from '../dispatch/response-text.ts'
import type { Codec } from '../protocol/codec/codec.ts'
import { ErrorCode } from '../protocol/error-codes.ts'
import { errorResponse, type RequestId } from '../protocol/json-rpc.ts'
import { InsufficientScopeError, type ProtocolError } from '../protocol/protocol-error.ts'
import { REFUSALS, type Refusal } from './refusals.ts'

/** Headers that the door adds to every answer of one request: CORS. */
export type ExtraHeaders = Readonly<Record<string, string>> | undefined

const JSON_TYPE = { 'content-type': 'application/json' } as const
// Made once: the platform reads a Headers object faster than a record.
const JSON_OK: ResponseInit = { headers: new Headers(JSON_TYPE) }

const SSE_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  // Asks reverse proxies to pass events on as they come.
  'x-accel-buffering': 'no',
} as const

export function jsonResponse(
  body: string | Uint8Array | ReadableStream,
  extra: ExtraHeaders,
): Response {
  if (extra === undefined) return new Response(body, JSON_OK)
  return new Response(body, { status: 200, headers: { ...JSON_TYPE, ...extra } })
}

export function sseResponse(body: ReadableStream, extra: ExtraHeaders): Response {
  return new Response(body, { status: 200, headers: { ...SSE_HEADERS, ...extra } })
}

/** Accepted, and nothing more to say: no body, and no type for one. */
export function acceptedResponse(extra: ExtraHeaders): Response {
  return new Response(null, extra === undefined ? { status: 202 } : { status: 202, headers: extra })
}

export function noContentResponse(extra: ExtraHeaders): Response {
  return new Response(null, extra === undefined ? { status: 204 } : { status: 204, headers: extra })
}

export function refusalResponse(refusal: Refusal, extra: ExtraHeaders): Response {
  const { status, code } = REFUSALS[refusal.name]
  const body = JSON.stringify(errorResponse(refusal.id, code, refusal.message, refusal.data))
  return new Response(body, { status, headers: { ...JSON_TYPE, ...extra, ...refusal.headers } })
}

/**
 * Where in HTTP a JSON-RPC error of a method belongs. An error is part of a successful exchange,
 * except where the specification names a status: an unknown method, a capability that the client
 * lacks. The session eras keep even those at 200, because their
 * clients read 404 as the end of a session.
 */
export function errorStatus(error: ProtocolError, modern: boolean): number {
  if (!modern) return 200
  if (error.code === ErrorCode.methodNotFound) return 404
  return error.code === ErrorCode.missingClientCapability ? 400 : 200
}

/** What a response to one exchange needs of it. */
interface Answered {
  readonly extraHeaders: ExtraHeaders
  /** `WWW-Authenticate` for scopes that the caller's token lacks. */
  readonly challenge: (scopes: readonly string[]) => string
}

export function protocolErrorResponse(
  exchange: Answered,
  id: RequestId,
  error: ProtocolError,
  codec: Codec,
): Response {
  const body = errorBody(id, error, codec)
  if (error instanceof InsufficientScopeError) {
    return missingScopesResponse(exchange, body, error.scopes)
  }
  return new Response(body, {
    status: errorStatus(error, codec.revision.era === 'modern'),
    headers: { ...JSON_TYPE, ...exchange.extraHeaders },
  })
}

/** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/index */
export function missingScopesResponse(
  { extraHeaders, challenge }: Answered,
  body: string,
  scopes: readonly string[],
): Response {
  const headers = { ...JSON_TYPE, ...extraHeaders, 'www-authenticate': challenge(scopes) }
  return new Response(body, { status: 403, headers })
}

/** Something broke that is nobody's business outside. */
export function internalErrorResponse(extra: ExtraHeaders): Response {
  const body = JSON.stringify(errorResponse(undefined, ErrorCode.internalError, 'Internal error'))
  return new Response(body, { status: 500, headers: { ...JSON_TYPE, ...extra } })
}

/** A response of another room, with the headers of the door. */
export function withHeaders(response: Response, extra: ExtraHeaders): Response {
  if (extra === undefined) return response
  const headers = new Headers(response.headers)
  for (const [name, value] of Object.entries(extra)) headers.set(name, value)
  return new Response(response.body, { status: response.status, headers })
}
