/** `GET /inspect/traffic`: the stored entries and then each new one, as server-sent events. Also as one document. */

import type { WaitUntil } from '../../../../src/index.ts'
import {
  messageEventText,
  onDisconnect,
  ResponseStream,
  sseResponse,
} from '../../../../src/internal.ts'
import { delay } from '../../../../src/platform/deadline.ts'
import { randomToken } from '../../../../src/platform/random-token.ts'
import type { Limits } from '../../../../src/ports/app-limits.ts'
import type {
  NumberedTraffic,
  TrafficPage,
  TrafficRead,
  TrafficStore,
} from '../objects/traffic/port.ts'
import { shapeOfMessage } from './bounded-message.ts'
import { PRIVATE_HEADERS, problem } from './problem.ts'
import type { MessageEntry } from './traffic-entry.ts'

/** One read waits for entries this long, in milliseconds. */
const WAIT_MS = 8_000

/** The viewer of a stream is checked again after this time, in milliseconds. */
const RECHECK_MS = 30_000

/** How long a stream waits after a failed read, in milliseconds. After the last one the page connects again. */
const RETRY_DELAYS_MS = [250, 1_000, 4_000]

const RETRY_AFTER_SECONDS = '30'

const MAX_NUMBER_DIGITS = 16

const INVALID_POSITION = 'Last-Event-ID and after must be the number of an entry'

const encoder = new TextEncoder()

export interface TrafficStreamOptions {
  readonly store: TrafficStore
  readonly limits: Limits
  /** Who reads; undefined in development. */
  readonly subject: string | undefined
  /** Whether the viewer may still read. */
  readonly isStillAllowed: () => Promise<boolean>
}

export async function serveTraffic(
  request: Request,
  ctx: WaitUntil,
  { store, limits, subject, isStillAllowed }: TrafficStreamOptions,
): Promise<Response> {
  const after = positionOf(request)
  if (after === 'invalid') {
    return problem(400, INVALID_POSITION)
  }
  if (request.method === 'HEAD')
    return sseResponse(new Response('').body ?? empty(), PRIVATE_HEADERS)
  const from = { watcher: randomToken(12), subject }
  const first = await store.read({ ...from, after, waitMs: 0 })
  if (first === undefined) {
    return tooManyStreams()
  }
  const stream = new ResponseStream(limits, () => undefined)
  const body = stream.open()
  const read = (more: Pick<TrafficRead, 'after' | 'waitMs'>) => store.read({ ...from, ...more })
  // Without it, a page that is loaded again and again would wait for its own former streams.
  const leave = () => store.leave(from.watcher).catch(() => undefined)
  ctx.waitUntil(follow(stream, first, subject, read, isStillAllowed).then(leave))
  onDisconnect(request, () => {
    stream.abandon('client-disconnected')
    ctx.waitUntil(leave())
  })
  return sseResponse(body, PRIVATE_HEADERS)
}

/** `GET /inspect/traffic.json`: the stored entries as one document, `{ "entries": [TrafficEntry, …] }`. */
export async function readStoredTraffic(
  request: Request,
  store: TrafficStore,
  subject: string | undefined,
): Promise<Response> {
  const position = positionOf(request)
  if (position === 'invalid') return problem(400, INVALID_POSITION)
  // All such reads of a person are one watcher.
  const from = { watcher: `json ${subject ?? ''}`, subject, waitMs: 0 }
  const entries: string[] = []
  for (let after = position ?? 0; ; ) {
    const page = await store.read({ ...from, after })
    if (page === undefined) return tooManyStreams()
    entries.push(...page.entries.map((entry) => jsonOf(entry, subject)))
    if (page.last === after) break
    after = page.last
  }
  const headers = { ...PRIVATE_HEADERS, 'content-type': 'application/json' }
  return new Response(`{"entries":[${entries.join(',')}]}`, { headers })
}

/** A response to `HEAD` has no body. */
function empty(): ReadableStream {
  return new ReadableStream({ start: (controller) => controller.close() })
}

function tooManyStreams(): Response {
  const headers = { 'retry-after': RETRY_AFTER_SECONDS }
  return problem(429, 'Too many streams read the traffic. Close one', headers)
}

/** Undefined for entries that are to come. */
function positionOf(request: Request): number | 'invalid' | undefined {
  const text =
    request.headers.get('last-event-id') || new URL(request.url).searchParams.get('after')
  if (text === null) return undefined
  return text.length <= MAX_NUMBER_DIGITS && /^\d+$/.test(text) ? Number(text) : 'invalid'
}

/** Sends pages until the stream is over. Never rejects. */
async function follow(
  stream: ResponseStream,
  first: TrafficPage,
  subject: string | undefined,
  read: (request: Pick<TrafficRead, 'after' | 'waitMs'>) => Promise<TrafficPage | undefined>,
  isStillAllowed: () => Promise<boolean>,
): Promise<void> {
  let page: TrafficPage | undefined = first
  let { last } = first
  let failures = 0
  let checkedAt = Date.now()
  while (!stream.isOver && page !== undefined) {
    const text = page.entries.map((entry) => eventOf(entry, subject)).join('')
    if (text !== '') await stream.sendEvent(encoder.encode(text))
    last = page.last
    try {
      if (Date.now() - checkedAt > RECHECK_MS) {
        if (!(await isStillAllowed())) break
        checkedAt = Date.now()
      }
      page = await read({ after: last, waitMs: WAIT_MS })
      failures = 0
    } catch {
      const wait = RETRY_DELAYS_MS[failures++]
      if (wait === undefined) break
      await delay(wait)
      page = { entries: [], last }
    }
  }
  await stream.close()
}

/** The entry of another owner has a shape instead of its message. */
function jsonOf({ number, owner, entry }: NumberedTraffic, subject: string | undefined): string {
  const text = owner === null || owner === subject ? entry : withShape(entry)
  return `{"number":${number},${text.slice(1)}`
}

function eventOf(entry: NumberedTraffic, subject: string | undefined): string {
  return messageEventText(jsonOf(entry, subject), String(entry.number))
}

function withShape(text: string): string {
  const entry = JSON.parse(text) as MessageEntry
  return JSON.stringify({ ...entry, ...shapeOfMessage(entry.message), shape: true })
}
