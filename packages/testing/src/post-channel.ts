/** Sends messages by POST, in the eras in which each response arrives on the POST of its request. */

import { tryParseJson } from '../../../src/platform/try-parse.ts'
import { isJsonObject } from '../../../src/protocol/json.ts'
import { McpError } from '../../client/src/mcp-error.ts'
import { eventsOf, type WireMessage } from './wire-message.ts'

export type Fetch = (request: Request) => Promise<Response>

export interface PostOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** Receives the messages that precede the response. */
  readonly onMessage?: (message: WireMessage) => void
}

/** The response to a request, with the headers of its HTTP response. */
export interface PostResult {
  readonly message: WireMessage
  readonly headers: Headers
}

/**
 * Sends one request and waits for its response, in JSON or on a stream.
 *
 * @throws {McpError} when the server refuses the request, or ends the stream without a response
 * @throws the reason of the signal, also when the response of a cancelled request is on its way
 */
export async function postRequest(
  send: Fetch,
  url: string,
  body: WireMessage,
  options: PostOptions,
): Promise<PostResult> {
  const { signal } = options
  const exchanged = exchange(send, url, body, options)
  if (signal === undefined) return exchanged
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([exchanged, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

async function exchange(
  send: Fetch,
  url: string,
  body: WireMessage,
  { headers = {}, signal, onMessage = () => undefined }: PostOptions,
): Promise<PostResult> {
  const response = await post(send, url, body, headers, signal)
  if (!isStream(response)) {
    const text = await response.text()
    const message = parse(text)
    if (response.ok && message?.result !== undefined) return { message, headers: response.headers }
    throw errorOf(response, message, text)
  }
  for await (const { data } of eventsOf(response.body as ReadableStream<Uint8Array>, signal)) {
    const message = JSON.parse(data) as WireMessage
    if (message.method !== undefined) onMessage(message)
    else if (message.error !== undefined) throw errorOf(response, message, data)
    else if (message.id === body.id) return { message, headers: response.headers }
  }
  throw new McpError('The stream ended without a response', { status: response.status })
}

/** Sends a notification or a response. @throws {McpError} when the server refuses it */
export async function postMessage(
  send: Fetch,
  url: string,
  body: WireMessage,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const response = await post(send, url, body, headers)
  const text = await response.text()
  if (!response.ok) throw errorOf(response, parse(text), text)
}

/** Opens a stream by GET. @throws {McpError} when the server refuses it */
export async function getStream(
  send: Fetch,
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const all = { accept: 'text/event-stream', ...headers }
  const response = await send(new Request(url, { headers: all, signal }))
  if (response.ok && isStream(response)) return response.body as ReadableStream<Uint8Array>
  const text = await response.text()
  throw errorOf(response, parse(text), text)
}

function post(
  send: Fetch,
  url: string,
  body: WireMessage,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<Response> {
  return send(
    new Request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      ...(signal && { signal }),
    }),
  )
}

function isStream({ headers, body }: Response): boolean {
  return body !== null && headers.get('content-type')?.startsWith('text/event-stream') === true
}

function parse(text: string): WireMessage | undefined {
  // The body of a refusal may be empty, or text.
  const value = tryParseJson(text)
  return isJsonObject(value) ? (value as WireMessage) : undefined
}

/** The error of a refused request, with the scopes of its challenge. */
export function errorOf(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  message: WireMessage | undefined,
  text: string,
): McpError {
  const scope = /\bscope="([^"]*)"/.exec(headers.get('www-authenticate') ?? '')?.[1]
  const scopes = scope?.split(' ').filter(Boolean) ?? []
  const error = isJsonObject(message?.error) ? message.error : undefined
  if (error === undefined) return new McpError(`HTTP ${status} ${text}`.trim(), { status, scopes })
  const { code, data, message: reason } = error
  return new McpError(`${reason} (${code})`, { code, data, status, scopes })
}
