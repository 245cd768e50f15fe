/**
 * Sends one HTTP request over a connection of its own and reads the response within bounds. It follows
 * no redirect, and resolves for every answer and every failure.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { createBrotliDecompress, createGunzip, createInflate, constants as zlib } from 'node:zlib'
import { createAddressGuard, PrivateAddressError } from './addresses.ts'
import { joinedHeaders } from './joined-headers.ts'

/** The part of a body that is read, after decompression. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024
const MAX_HEADER_BYTES = 64 * 1024
/** The doctor sends more requests than a client. It waits this long, once, when a limit says so. */
const MAX_RETRY_AFTER_MS = 5000

export interface HttpRequest {
  readonly method: string
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export type FailureKind =
  | 'host-not-found'
  | 'connection-failed'
  | 'tls-invalid'
  | 'no-answer'
  | 'response-malformed'
  | 'address-refused'

export interface HttpFailure {
  readonly kind: FailureKind
  readonly detail: string
}

/** How reading the body ended. `stopped`: the reader had what it needed. */
export type BodyEnd = 'complete' | 'stopped' | 'too-large' | 'timeout' | 'broken'

export interface HttpResponse {
  readonly url: URL
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly end: BodyEnd
}

export type HttpReply =
  | ({ readonly ok: true } & HttpResponse)
  | { readonly ok: false; readonly url: URL; readonly failure: HttpFailure }

export interface OpenedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The decompressed body. */
  readonly body: Readable
  /** Closes the connection. */
  close(): void
}

/** Gets each part of a body, and says whether the reader needs no more. */
export type IsEnough = (part: string, headers: Readonly<Record<string, string>>) => boolean

export interface HttpClient {
  readonly timeoutMs: number
  /** Resolves when the headers have arrived. The caller closes the response. */
  open(request: HttpRequest): Promise<OpenedResponse | HttpFailure>
  /** Reads the body until it ends, until `isEnough` returns true, or until a bound is reached. */
  send(request: HttpRequest, isEnough?: IsEnough): Promise<HttpReply>
}

export interface HttpClientOptions {
  /** How long to wait for the headers, and again for the body. */
  readonly timeoutMs: number
  /** The URL that the operator has given. It decides which addresses may be connected to. */
  readonly given: URL
  readonly userAgent: string
  /** From then on, requests reject with a {@link CutShortError}: milliseconds since the epoch. */
  readonly endsAt?: number
}

/** The examination ends here. What was observed before is reported. */
export class CutShortError extends Error {
  readonly cut: Cut

  constructor(cut: Cut) {
    super(cut.why)
    this.cut = cut
  }
}

export interface Cut {
  readonly why: 'too-slow' | 'rate-limited'
  /** The requests of a limited part that were served. */
  readonly served: number
}

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { timeoutMs, given, userAgent, endsAt = Number.POSITIVE_INFINITY } = options
  const { checkHost, lookup } = createAddressGuard(given)

  function open({ method, url, headers, body }: HttpRequest) {
    if (Date.now() >= endsAt) {
      return Promise.reject(new CutShortError({ why: 'too-slow', served: 0 }))
    }
    return new Promise<OpenedResponse | HttpFailure>((resolve) => {
      const fail = (error: unknown) => resolve(failureOf(error))
      try {
        if (!/^https?:$/.test(url.protocol)) throw new PrivateAddressError(url.protocol)
        checkHost(url)
        const send = url.protocol === 'https:' ? httpsRequest : httpRequest
        const request = send(url, {
          method,
          agent: false,
          lookup,
          maxHeaderSize: MAX_HEADER_BYTES,
          headers: {
            'user-agent': userAgent,
            'accept-encoding': 'gzip, deflate, br',
            ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
            ...headers,
          },
        })
        const timer = setTimeout(
          () => request.destroy(new DOMException('no response headers', 'TimeoutError')),
          timeoutMs,
        )
        request.on('error', (error) => {
          clearTimeout(timer)
          fail(error)
        })
        request.on('response', (message) => {
          clearTimeout(timer)
          resolve({
            status: message.statusCode ?? 0,
            headers: joinedHeaders(message.headers),
            body: decoded(message),
            close: () => request.destroy(),
          })
        })
        // Without a listener Node closes the connection, and the request has neither a response nor an error.
        request.on('upgrade', (message, socket) => {
          clearTimeout(timer)
          socket.destroy()
          const detail = `status ${message.statusCode} without a request for another protocol`
          resolve({ kind: 'response-malformed', detail })
        })
        request.end(body)
      } catch (error) {
        fail(error)
      }
    })
  }

  async function send(request: HttpRequest, isEnough: IsEnough = () => false) {
    const reply = await sendOnce(request, isEnough)
    const waitMs =
      reply.ok && reply.status === 429 ? Number(reply.headers['retry-after']) * 1000 : 0
    if (!(waitMs > 0 && waitMs <= MAX_RETRY_AFTER_MS)) return reply
    await sleep(waitMs)
    return sendOnce(request, isEnough)
  }

  async function sendOnce(request: HttpRequest, isEnough: IsEnough): Promise<HttpReply> {
    const { url } = request
    const opened = await open(request)
    if ('kind' in opened) return { ok: false, url, failure: opened } as const
    const { status, headers } = opened
    const { text, end } = await readText(opened, timeoutMs, (part) => isEnough(part, headers))
    return { ok: true, url, status, headers, text, end } as const
  }

  return { timeoutMs, open, send }
}

/** Reads a document as a program does. */
export const getJson = (http: HttpClient, url: URL): Promise<HttpReply> =>
  http.send({ method: 'GET', url, headers: { accept: 'application/json' } })

/** A limit that is reached after some requests says nothing about what the others ask for. */
export function cutAtRateLimit(http: HttpClient): HttpClient {
  let served = 0
  return {
    ...http,
    async send(request, isEnough) {
      const reply = await http.send(request, isEnough)
      if (!reply.ok || reply.status !== 429) {
        served += 1
        return reply
      }
      throw new CutShortError({ why: 'rate-limited', served })
    },
  }
}

async function readText(
  { body, close }: OpenedResponse,
  timeoutMs: number,
  isEnough: (part: string) => boolean,
): Promise<{ text: string; end: BodyEnd }> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    close()
    body.destroy()
  }, timeoutMs)
  try {
    for await (const chunk of body) {
      bytes += (chunk as Buffer).length
      const part = decoder.decode(chunk as Buffer, { stream: true })
      text += part
      if (isEnough(part)) return { text, end: 'stopped' }
      if (bytes > MAX_BODY_BYTES) return { text, end: 'too-large' }
    }
    return { text, end: isLate ? 'timeout' : 'complete' }
  } catch {
    // The connection broke or the compressed data is invalid; what was read so far is still of use.
    return { text, end: isLate ? 'timeout' : 'broken' }
  } finally {
    clearTimeout(timer)
    close()
  }
}

function decoded(message: IncomingMessage): Readable {
  const decoder = decoderOf(message.headers['content-encoding'])
  if (decoder === undefined) return message
  // An error of either stream destroys both, and the reader of the decoder gets it.
  pipeline(message, decoder, () => undefined)
  return decoder
}

/** Partial output is flushed, because a compressed event stream does not end. */
function decoderOf(encoding: string | undefined): Transform | undefined {
  switch (encoding?.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip({ flush: zlib.Z_SYNC_FLUSH, finishFlush: zlib.Z_SYNC_FLUSH })
    case 'deflate':
      return createInflate({ flush: zlib.Z_SYNC_FLUSH, finishFlush: zlib.Z_SYNC_FLUSH })
    case 'br':
      return createBrotliDecompress({ flush: zlib.BROTLI_OPERATION_FLUSH })
  }
}

const TLS_CODE = /CERT|TLS|SSL|EPROTO|SIGNATURE|SELF_SIGNED|UNABLE_TO_VERIFY/

/** Node reports each failure as an error with a code; its text is not stable. */
function failureOf(error: unknown): HttpFailure {
  if (error instanceof DOMException) return { kind: 'no-answer', detail: error.message }
  if (error instanceof PrivateAddressError) {
    return { kind: 'address-refused', detail: `${error.message} is not a public address` }
  }
  const { code = '', message } = error as NodeJS.ErrnoException
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return { kind: 'host-not-found', detail: code }
  if (code === 'ETIMEDOUT') return { kind: 'no-answer', detail: code }
  if (TLS_CODE.test(code)) return { kind: 'tls-invalid', detail: code }
  if (code.startsWith('HPE_') || code.startsWith('ERR_INVALID')) {
    return { kind: 'response-malformed', detail: `${code}: ${message}` }
  }
  // An AggregateError of several addresses has no message.
  return { kind: 'connection-failed', detail: code || message }
}
