/** JSON-RPC over HTTP POST: sends one message and classifies the answer as a client would read it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { parseJson } from '../../../../text/src/json/json-text.ts'
import type { Members } from '../../../../text/src/json/members.ts'
import { textOf } from '../../../../text/src/quoted.ts'
import type { HttpClient, HttpReply, HttpResponse, IsEnough } from '../http/http-client.ts'

export interface RpcMessage {
  readonly id?: string | number
  readonly method: string
  readonly params?: Members
}

/** Why a successful HTTP response is not a JSON-RPC response. The values are fault codes. */
export type Malformation =
  | 'response-not-json'
  | 'response-content-type'
  | 'response-missing'
  | 'response-id-changed'
  | 'response-endless'
  | 'response-malformed'
  | 'event-stream-invalid'
  | 'endpoint-answers-html'

export type RpcReply =
  | {
      readonly kind: 'result'
      readonly http: HttpResponse
      readonly result: unknown
      /** The response is an entry of an array. */
      readonly isBatch: boolean
      /** The names of members that no response has. */
      readonly others: readonly string[]
    }
  | {
      readonly kind: 'error'
      readonly http: HttpResponse
      readonly code: number
      readonly message: string
      readonly data: unknown
      /** The id is that of the request, the code a number and the message a text. */
      readonly isWellFormed: boolean
      readonly others: readonly string[]
    }
  /** An HTTP status that is not a success, without a JSON-RPC error. */
  | { readonly kind: 'http'; readonly http: HttpResponse }
  | { readonly kind: 'malformed'; readonly http: HttpResponse; readonly why: Malformation }
  | { readonly kind: 'failed'; readonly reply: Extract<HttpReply, { ok: false }> }

/** Sends one request of an era. */
export type Send = (method: string, params?: Members) => Promise<RpcReply>

export const STANDARD_ACCEPT = 'application/json, text/event-stream'

export async function sendRpc(
  client: HttpClient,
  url: URL,
  message: RpcMessage,
  headers: Readonly<Record<string, string>>,
): Promise<RpcReply> {
  // An event stream may stay open after the response.
  const reply = await postMessage(client, url, message, headers, endAtResponse(message.id))
  if (!reply.ok) return { kind: 'failed', reply }
  return classify(await resumed(client, reply, message.id, headers), message.id)
}

/**
 * A server may end a stream before its response: the client gets the rest with the id of the last event.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
 */
async function resumed(
  client: HttpClient,
  first: HttpResponse,
  requestId: RpcMessage['id'],
  headers: Readonly<Record<string, string>>,
): Promise<HttpResponse> {
  const endsAt = Date.now() + client.timeoutMs
  let response = first
  let id: string | undefined
  for (;;) {
    const { url, text, end } = response
    const seen = resumptionIn(text)
    id = seen.id ?? id
    const isStream = mediaTypeOf(response) === 'text/event-stream'
    const isEnded = end === 'complete' || end === 'broken'
    if (id === undefined || !isStream || !isEnded || messagesOf(text).some(isResponse)) {
      return response
    }
    if (Date.now() + seen.retryMs > endsAt) return { ...response, end: 'timeout' }
    await sleep(seen.retryMs)
    const resume = { ...headers, accept: 'text/event-stream', 'last-event-id': id }
    const next = await client.send(
      { method: 'GET', url, headers: resume },
      endAtResponse(requestId),
    )
    // The request has no response: neither in its own stream nor after it.
    if (!next.ok || next.status !== 200) return response
    response = next
  }
}

/** A server that names no time is asked again after a second, as by the TypeScript SDK. */
const RETRY_MS = 1000
const MIN_RETRY_MS = 100

function resumptionIn(stream: string): { readonly id?: string; readonly retryMs: number } {
  let retryMs = RETRY_MS
  let id: string | undefined
  createParser({
    onEvent: (event) => {
      id = event.id ?? id
    },
    onRetry: (ms) => {
      retryMs = Math.max(ms, MIN_RETRY_MS)
    },
  }).feed(stream)
  return { ...(id === undefined ? {} : { id }), retryMs }
}

/** A message without an id is a notification. */
export function postMessage(
  client: HttpClient,
  url: URL,
  message: RpcMessage,
  headers: Readonly<Record<string, string>>,
  isEnough?: IsEnough,
): Promise<HttpReply> {
  const all = { 'content-type': 'application/json', accept: STANDARD_ACCEPT, ...headers }
  const body = JSON.stringify({ jsonrpc: '2.0', ...message })
  return client.send({ method: 'POST', url, headers: all, body }, isEnough)
}

/** A response of another id may be that of another request, unless it is null. */
function endAtResponse(id: RpcMessage['id']): IsEnough {
  let found = false
  const parser = createParser({
    onEvent: (event) => {
      const message = isMessage(event) ? parseJson(event.data) : undefined
      found ||= isResponse(message) && (message.id === id || message.id === null)
    },
  })
  return (part, headers) => {
    if (headers['content-type']?.includes('event-stream')) parser.feed(part)
    return found
  }
}

/** Whether the connection ended without a response, as it does when the server crashes. */
export const isCutOff = (reply: HttpReply): boolean =>
  !reply.ok && reply.failure.kind === 'connection-failed'

export const mediaTypeOf = ({ headers }: HttpResponse): string =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

function classify(http: HttpResponse, id: string | number | undefined): RpcReply {
  const malformed = (why: Malformation): RpcReply => ({ kind: 'malformed', http, why })
  const isStream = mediaTypeOf(http) === 'text/event-stream'
  const messages = isStream ? messagesOf(http.text) : [parseJson(http.text)]
  const responses = messages.flat().filter(isResponse)
  const response = responses.find((one) => one.id === id) ?? responses.at(-1)
  if (response !== undefined && 'error' in response) {
    const error = isJsonObject(response.error) ? response.error : {}
    const { code, message = '', data } = error
    return {
      kind: 'error',
      http,
      code: Number(textOf(code)),
      message: textOf(message),
      data,
      isWellFormed:
        response.id === id && typeof code === 'number' && typeof error.message === 'string',
      others: othersIn(response),
    }
  }
  if (http.status >= 300) return { kind: 'http', http }
  // Clients take a 202 for the answer to a notification and read no body.
  if (response !== undefined && http.status === 202) return malformed('response-missing')
  const isEnded = isStream || http.end === 'complete'
  if (response !== undefined && isJsonOrStream(http) && isEnded) {
    return response.id === id
      ? {
          kind: 'result',
          http,
          result: response.result,
          isBatch: !messages.includes(response),
          others: othersIn(response),
        }
      : malformed('response-id-changed')
  }
  if (response === undefined && isHtmlPage(http)) return malformed('endpoint-answers-html')
  if (http.end === 'broken') return malformed('response-malformed')
  if (http.end === 'too-large') return malformed('response-endless')
  if (http.end === 'timeout') {
    return malformed(http.text === '' || isStream ? 'response-missing' : 'response-endless')
  }
  if (response !== undefined) return malformed('response-content-type')
  if (isStream && !messages.some(isJsonObject) && http.text.includes('"jsonrpc"')) {
    return malformed('event-stream-invalid')
  }
  if (!isStream && messagesOf(http.text).some(isResponse)) return malformed('response-content-type')
  if (isStream || http.text.trim() === '') return malformed('response-missing')
  return malformed(parseJson(http.text) === undefined ? 'response-not-json' : 'response-missing')
}

/** Clients read no other type, such as `application/vnd.example+json`. */
const isJsonOrStream = (http: HttpResponse) =>
  ['application/json', 'text/event-stream'].includes(mediaTypeOf(http))

const MEMBERS: readonly string[] = ['jsonrpc', 'id', 'result', 'error']

const othersIn = (response: object) =>
  Object.keys(response).filter((name) => !MEMBERS.includes(name))

const isHtmlPage = (http: HttpResponse) =>
  /^\s*<(?:!doctype html|html|head|body)/i.test(http.text) || mediaTypeOf(http) === 'text/html'

export function isResponse(value: unknown): value is Members {
  if (!isJsonObject(value) || value.jsonrpc !== '2.0' || 'method' in value) return false
  // Clients reject a message that has both, also if one of them is null.
  return 'error' in value ? isJsonObject(value.error) && !('result' in value) : 'result' in value
}

/** The methods of requests that an event stream of the server has, except `ping`. */
export function serverRequestsIn(stream: string): readonly string[] {
  return messagesOf(stream)
    .flatMap((message) =>
      isJsonObject(message) && 'id' in message && typeof message.method === 'string'
        ? message.method
        : [],
    )
    .filter((method) => method !== 'ping')
}

/** The types of the complete events of a stream that have data. The last event may be cut: it is not counted. */
export function eventTypesIn(stream: string): readonly string[] {
  const types: string[] = []
  createParser({ onEvent: ({ event = 'message' }) => types.push(event) }).feed(stream)
  return types
}

/** Clients read no other type of event. */
const isMessage = ({ event = 'message' }: EventSourceMessage) => event === 'message'

function messagesOf(stream: string): readonly unknown[] {
  const messages: unknown[] = []
  const parser = createParser({
    onEvent: (event) => {
      if (isMessage(event)) messages.push(parseJson(event.data))
    },
  })
  parser.feed(stream)
  return messages
}
