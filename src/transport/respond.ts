/** Builds all HTTP responses of the endpoint. */
import type { ResultText } from '../dispatch/call.ts'
import type { CodecOf } from '../dispatch/codecs.ts'
import type { Recording } from '../dispatch/recording.ts'
import { errorBody, resultBody } from '../dispatch/response-text.ts'
import { utf8Length } from '../platform/utf8.ts'
import { ErrorCode } from '../protocol/error-codes.ts'
import { jsonText } from '../protocol/json.ts'
import { errorResponse, type RequestId } from '../protocol/json-rpc.ts'
import { isUnavailable, ProtocolError } from '../protocol/protocol-error.ts'
import { REFUSALS } from '../protocol/refusals.ts'
import type { Revision } from '../protocol/revisions.ts'
import type { Refusal } from './refusal.ts'

/** Headers that every response to one request carries: CORS, and `Mcp-Session-Id` for a new session. */
export type ExtraHeaders = Readonly<Record<string, string>> | undefined

const JSON_TYPE = { 'content-type': 'application/json' } as const
// Created once: the platform reads a Headers object faster than a record.
const JSON_OK: ResponseInit = { headers: new Headers(JSON_TYPE) }

/** The headers of a 503. The next request may reach an object that serves it. */
export const RETRY_SOON = { 'retry-after': '1' } as const

const SSE_HEADERS = {
  'content-type': 'text/event-stream',
  // A proxy must neither keep a stream nor change it, for example by compressing it.
  'cache-control': 'no-store, no-transform',
  // Reverse proxies must forward each event immediately.
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

/** 202 or 204: no body, and no type for one. */
export function emptyResponse(status: 202 | 204, extra: ExtraHeaders): Response {
  return new Response(null, extra === undefined ? { status } : { status, headers: extra })
}

/**
 * The JSON-RPC error of a refusal, as the body of a response or an item of a batch. The message ends with
 * the name of the refusal, by which `docs/reference/reasons.md` explains cause and cure.
 */
export function refusalBody({ name, id, message, data }: Refusal): string {
  return jsonText(errorResponse(id, REFUSALS[name].code, `${message} [${name}]`, data))
}

export function refusalResponse(refusal: Refusal, extra: ExtraHeaders): Response {
  const headers = { ...JSON_TYPE, ...extra, ...refusal.headers }
  return new Response(refusalBody(refusal), { status: REFUSALS[refusal.name].status, headers })
}

/**
 * Returns the HTTP status of a method's JSON-RPC error. An error is part of a successful exchange,
 * except where the specification names a status: for an unknown method and for a missing client
 * capability. In the session eras those are 200 too, because clients read 404 as the end of the session.
 */
function errorStatus({ code }: ProtocolError, { era }: Revision): number {
  if (era !== 'modern') return 200
  if (code === ErrorCode.methodNotFound) return 404
  return code === ErrorCode.missingClientCapability ? 400 : 200
}

/** The parts of an exchange that a response needs. */
interface Answered {
  readonly extraHeaders: ExtraHeaders
  readonly recording: Recording | undefined
  /** Returns `WWW-Authenticate` for scopes that the caller's token lacks. */
  readonly challenge: (scopes: readonly string[]) => string
}

interface AnsweredCall extends Answered {
  readonly endpoint: { readonly codecOf: CodecOf }
}

/** Answers a call with one JSON object. */
export function outcomeResponse(
  exchange: AnsweredCall,
  revision: Revision,
  id: RequestId,
  outcome: ResultText | ProtocolError,
): Response {
  const { endpoint, extraHeaders, recording } = exchange
  if (!(outcome instanceof ProtocolError)) {
    const body = resultBody(id, outcome)
    if (recording !== undefined) {
      recording.event.bytesOut = utf8Length(body)
      // Reading it from the response costs as much as the rest of a recording.
      recording.event.status = 200
    }
    return jsonResponse(body, extraHeaders)
  }
  const body = errorBody(id, outcome, endpoint.codecOf(revision))
  if (recording !== undefined) recording.event.bytesOut = utf8Length(body)
  if (outcome.missingScopes) return missingScopesResponse(exchange, body, outcome.missingScopes)
  return errorResponseOf(body, outcome, errorStatus(outcome, revision), extraHeaders)
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

/** Answers a fault of the runtime, without detail but that the request may be sent again. */
export function internalErrorResponse(extra: ExtraHeaders, error: unknown): Response {
  const message = isUnavailable(error) ? error.message : 'Internal error'
  const body = jsonText(errorResponse(undefined, ErrorCode.internalError, message))
  return errorResponseOf(body, error, 500, extra)
}

/** @param status of an error that the next request meets too */
function errorResponseOf(body: string, error: unknown, status: number, extra: ExtraHeaders) {
  const headers = { ...JSON_TYPE, ...extra }
  if (!isUnavailable(error)) return new Response(body, { status, headers })
  return new Response(body, { status: 503, headers: { ...headers, ...RETRY_SOON } })
}

/** Adds the headers to a response that authorization has built. */
export function withHeaders(response: Response, extra: ExtraHeaders): Response {
  if (extra === undefined) return response
  const headers = new Headers(response.headers)
  for (const [name, value] of Object.entries(extra)) headers.set(name, value)
  return new Response(response.body, { status: response.status, headers })
}
