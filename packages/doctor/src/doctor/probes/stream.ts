/** The GET stream of a session: its first byte, its keep-alive, and a second stream beside it. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpFailure, OpenedResponse } from '../http/http-client.ts'
import { type Endpoint, type Handshake, sessionHeaders } from '../mcp/endpoint.ts'

export interface StreamObservation {
  readonly opened:
    | { readonly status: number; readonly contentType: string; readonly allow: string | undefined }
    | HttpFailure
  /** Only for an open stream. */
  readonly stream?: {
    /** Milliseconds from the request to the headers and to the first byte; undefined if none came. */
    readonly headersAfterMs: number
    readonly firstByteAfterMs: number | undefined
    /** The longest time without a byte after the first one, while the stream was watched. */
    readonly longestSilenceMs: number
    readonly watchedMs: number
    readonly hasEnded: boolean
    /** The beginning of the body. */
    readonly text: string
    /** The status of a second GET while the first one was open. */
    readonly secondStatus: number | undefined
    /** The status of a GET with the version that Codex sends in it. */
    readonly oldVersionStatus: number | undefined
  }
}

/** The watch ends early after a keep-alive, because it says what there is to know. */
export async function probeStream(
  endpoint: Endpoint,
  handshake: Handshake,
  watchMs: number,
): Promise<StreamObservation> {
  const startedAt = Date.now()
  const response = await openStream(endpoint, handshake)
  if ('kind' in response) return { opened: response }
  const { status, headers } = response
  const contentType = headers['content-type'] ?? ''
  const opened = { status, contentType, allow: headers.allow }
  if (status !== 200 || !contentType.includes('text/event-stream')) {
    response.close()
    return { opened }
  }
  const headersAfterMs = Date.now() - startedAt
  const watched = await watchBytes(response, startedAt, watchMs)
  // A server may replace the first stream with the second one, so this comes last.
  const second = await openStream(endpoint, handshake)
  if (!('kind' in second)) second.close()
  const old = await openStream(endpoint, { ...handshake, revision: OLD_REVISION })
  if (!('kind' in old)) old.close()
  response.close()
  return {
    opened,
    stream: {
      headersAfterMs,
      ...watched,
      secondStatus: 'kind' in second ? undefined : second.status,
      oldVersionStatus: 'kind' in old ? undefined : old.status,
    },
  }
}

/** Codex sends it with GET, also after it has negotiated another one. */
const OLD_REVISION = '2024-11-05'

/** @returns what a GET of a client with this session gets */
export function openStream({ http, url, headers }: Endpoint, handshake: Handshake) {
  return http.open({
    method: 'GET',
    url,
    headers: { accept: 'text/event-stream', ...headers, ...sessionHeaders(handshake) },
  })
}

async function watchBytes({ body }: OpenedResponse, startedAt: number, watchMs: number) {
  let firstByteAfterMs: number | undefined
  let lastByteAt = startedAt
  let longestSilenceMs = 0
  let hasEnded = false
  let text = ''
  const stop = new AbortController()
  body.on('data', (chunk: Buffer) => {
    const now = Date.now()
    if (text.length < MAX_CHARACTERS) text += chunk.toString('latin1').slice(0, MAX_CHARACTERS)
    if (firstByteAfterMs === undefined) firstByteAfterMs = now - startedAt
    else longestSilenceMs = Math.max(longestSilenceMs, now - lastByteAt)
    // Bytes of the opening arrive together; one that comes later is a keep-alive or a message.
    if (now - lastByteAt > OPENING_MS && now - startedAt > OPENING_MS) stop.abort()
    lastByteAt = now
  })
  const end = () => {
    hasEnded = true
    stop.abort()
  }
  body.on('end', end).on('error', end)
  await sleep(watchMs, undefined, { signal: stop.signal }).catch(() => undefined)
  const watchedMs = Date.now() - startedAt
  if (!stop.signal.aborted) {
    longestSilenceMs = Math.max(longestSilenceMs, Date.now() - lastByteAt)
  }
  return { firstByteAfterMs, longestSilenceMs, watchedMs, hasEnded, text }
}

const OPENING_MS = 1500
const MAX_CHARACTERS = 65_536
