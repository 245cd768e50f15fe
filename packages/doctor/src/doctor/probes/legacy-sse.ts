/** The HTTP+SSE transport of 2024-11-05: the endpoint event of the GET stream, and initialize through it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import { parseJson } from '../../../../text/src/json/json-text.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import { describe } from '../detected.ts'
import type { OpenedResponse } from '../http/http-client.ts'
import { type Endpoint, initializeMessage } from '../mcp/endpoint.ts'
import { isResponse, postMessage } from '../mcp/rpc.ts'

export interface LegacySse {
  /** Why clients of this transport do not connect; undefined where initialize was answered. */
  readonly failure: string | undefined
}

/** A server sends the endpoint event as soon as the stream is open. */
const ENDPOINT_EVENT_MS = 5_000

/** Undefined unless GET opens a stream whose first event is `endpoint`. */
export async function probeLegacySse(endpoint: Endpoint): Promise<LegacySse | undefined> {
  const { http, url, headers } = endpoint
  const accept = { accept: 'text/event-stream' }
  const opened = await http.open({ method: 'GET', url, headers: { ...accept, ...headers } })
  if ('kind' in opened) return undefined
  try {
    if (!opened.headers['content-type']?.includes('event-stream')) return undefined
    const stream = readEvents(opened)
    const waitMs = Math.min(http.timeoutMs, ENDPOINT_EVENT_MS)
    const [first] = await stream.wait(waitMs, ({ length }) => length > 0)
    if (first?.type !== 'endpoint') return undefined
    return { failure: await failureOf(endpoint, first.data, stream) }
  } finally {
    opened.close()
  }
}

async function failureOf(
  { http, url, headers }: Endpoint,
  named: string,
  stream: EventReader,
): Promise<string | undefined> {
  // The query has the id of the session, which does not belong into a report.
  const shown = quoted(named.split('?', 1)[0])
  const target = URL.canParse(named, url.href) ? new URL(named, url) : undefined
  if (target?.origin !== url.origin) {
    return `The endpoint event names ${shown}, which is not at the origin of the URL`
  }
  const message = initializeMessage('2024-11-05', { name: 'edgeway-doctor', version: '1.0.0' })
  const reply = await postMessage(http, target, message, headers)
  if (!reply.ok || reply.status >= 300) {
    return `initialize, sent to ${shown} of the endpoint event, is answered with ${describe(reply)}`
  }
  const isAnswer = ({ data }: StreamEvent) => isResponse(parseJson(data))
  const events = await stream.wait(http.timeoutMs, (seen) => seen.some(isAnswer))
  return events.some(isAnswer)
    ? undefined
    : 'initialize is accepted, and the stream has no response to it'
}

interface StreamEvent {
  readonly type: string
  readonly data: string
}

interface EventReader {
  /** Resolves with the events so far, when they are enough, at the end of the stream or after the time. */
  wait(
    timeoutMs: number,
    isEnough: (seen: readonly StreamEvent[]) => boolean,
  ): Promise<readonly StreamEvent[]>
}

/** Events beyond these are not read. */
const MAX_EVENTS = 100
const MAX_CHARACTERS = 1024 * 1024

function readEvents({ body }: OpenedResponse): EventReader {
  const events: StreamEvent[] = []
  let hasEnded = false
  let characters = 0
  let onChange: () => void = () => undefined
  const parser = createParser({
    onEvent: ({ event: type = 'message', data }) => events.push({ type, data }),
  })
  const decoder = new TextDecoder()
  const end = () => {
    hasEnded = true
    onChange()
  }
  body.on('data', (chunk: Buffer) => {
    characters += chunk.length
    parser.feed(decoder.decode(chunk, { stream: true }))
    if (events.length > MAX_EVENTS || characters > MAX_CHARACTERS) {
      body.destroy()
      end()
    }
    onChange()
  })
  body.on('end', end).on('error', end)
  return {
    async wait(timeoutMs, isEnough) {
      const stop = new AbortController()
      onChange = () => {
        if (hasEnded || isEnough(events)) stop.abort()
      }
      onChange()
      await sleep(timeoutMs, undefined, { signal: stop.signal }).catch(() => undefined)
      return events
    },
  }
}
