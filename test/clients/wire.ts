/** A `fetch` that records its requests and what has arrived of their responses. */
import { parseEvents, type SseEvent, type WireMessage } from '../support/sse-parser.ts'

/** A request of a client and the status of its response. */
export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly body: string
  readonly status: number
}

export interface Exchange extends RecordedRequest {
  readonly responseHeaders: Headers
  /** The part of the response body that has arrived. */
  readonly text: string
}

export interface Wire {
  readonly fetch: typeof fetch
  /** In the order in which their responses began. */
  readonly exchanges: readonly Exchange[]
}

export function recordWire(fetchWith: typeof fetch = fetch): Wire {
  const exchanges: Exchange[] = []
  const recorded: typeof fetch = async (input, init) => {
    const response = await fetchWith(input, init)
    const exchange = {
      method: init?.method ?? 'GET',
      path: new URL(input instanceof Request ? input.url : input).pathname,
      headers: new Headers(init?.headers),
      body: String(init?.body ?? ''),
      status: response.status,
      responseHeaders: response.headers,
      text: '',
    }
    exchanges.push(exchange)
    if (response.body === null) return response
    const decoder = new TextDecoder()
    const body = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          exchange.text += decoder.decode(chunk, { stream: true })
          controller.enqueue(chunk)
        },
      }),
    )
    const { status, statusText, headers } = response
    return new Response(body, { status, statusText, headers })
  }
  return { fetch: recorded, exchanges }
}

/** The exchanges that opened a stream with GET. */
export function streamsOf({ exchanges }: Wire): readonly Exchange[] {
  return exchanges.filter(({ method, status }) => method === 'GET' && status === 200)
}

/** The streams that were resumed after an event. */
export function resumedStreamsOf(wire: Wire): readonly Exchange[] {
  return streamsOf(wire).filter(({ headers }) => headers.has('last-event-id'))
}

/** The exchange of a tool call. */
export function callOf({ exchanges }: Wire, tool: string): Exchange {
  const found = exchanges.find(({ body }) => body.includes(`"name":"${tool}"`))
  if (found === undefined) throw new Error(`No call of ${tool}`)
  return found
}

/** Every complete message so far, exchange by exchange. */
export function messagesOf({ exchanges }: Wire): readonly WireMessage[] {
  return exchanges.flatMap(eventsOf).flatMap(({ data }) => (data === '' ? [] : [JSON.parse(data)]))
}

/** The progress values of every notification so far. */
export function progressOf(wire: Wire): readonly number[] {
  return messagesOf(wire).flatMap(({ method, params }) =>
    method === 'notifications/progress' ? [params.progress] : [],
  )
}

export interface WireEvent {
  readonly id: string | undefined
  readonly data: string
}

/** The complete events of a stream that have data; a response in JSON counts as one event. */
export function eventsOf({ responseHeaders, text }: Exchange): readonly WireEvent[] {
  if (responseHeaders.get('content-type') !== 'text/event-stream') {
    return text === '' ? [] : [{ id: undefined, data: text }]
  }
  const end = Math.max(text.lastIndexOf('\n\n'), 0)
  return parseEvents(text.slice(0, end)).flatMap(({ id, event, data }: SseEvent) =>
    data === undefined || event === 'endpoint' ? [] : [{ id, data }],
  )
}

/** The number at the end of an event id, with its separator. */
export function numberOf(eventId: string | null | undefined): string | undefined {
  return eventId?.slice(eventId.lastIndexOf('~'))
}
