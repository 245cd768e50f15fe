/** A `fetch` that records its requests and what has arrived of their responses, and whose connections a test cuts. */
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
  /** Closes the next connection that receives this text, right after the text. Resolves when it is closed. */
  cutAfter(text: string): Promise<void>
  /** Closes every open connection. */
  cut(): void
}

interface Text {
  text: string
}

interface Cut {
  readonly text: string
  readonly done: () => void
}

export function recordWire(fetchWith: typeof fetch = fetch): Wire {
  const exchanges: Exchange[] = []
  const cuts: Cut[] = []
  const open = new Set<() => void>()

  /** The body as it arrives, read ahead: it breaks where a test cuts it, after what has arrived, and where the request is aborted. */
  const arriving = (exchange: Text, body: ReadableStream<Uint8Array>, signal: AbortSignal) => {
    const reader = body.getReader()
    const decoder = new TextDecoder()
    const chunks: Uint8Array[] = []
    let end: { readonly error?: unknown } | undefined
    let wake = () => {}
    const endWith = (how: { readonly error?: unknown }) => {
      end ??= how
      open.delete(cutHere)
      reader.cancel().catch(() => undefined)
      wake()
    }
    const cutHere = () => endWith({ error: new TypeError('terminated') })
    open.add(cutHere)
    signal.addEventListener('abort', () => {
      chunks.length = 0
      endWith({ error: signal.reason })
    })
    const receive = (chunk: Uint8Array) => {
      const before = exchange.text.length
      exchange.text += decoder.decode(chunk, { stream: true })
      const positionOf = ({ text }: Cut) =>
        exchange.text.indexOf(text, Math.max(0, before - text.length))
      const cut = cuts.find((each) => positionOf(each) !== -1)
      if (cut === undefined) {
        chunks.push(chunk)
        wake()
        return
      }
      cuts.splice(cuts.indexOf(cut), 1)
      exchange.text = exchange.text.slice(0, positionOf(cut) + cut.text.length)
      chunks.push(new TextEncoder().encode(exchange.text.slice(before)))
      cutHere()
      cut.done()
    }
    const read = async () => {
      while (end === undefined) {
        const { done, value } = await reader.read()
        if (end !== undefined) return
        if (done) endWith({})
        else receive(value)
      }
    }
    read().catch((error) => endWith({ error }))
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        while (chunks.length === 0 && end === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
        const chunk = chunks.shift()
        if (chunk !== undefined) controller.enqueue(chunk)
        else if (end !== undefined && 'error' in end) controller.error(end.error)
        else controller.close()
      },
      cancel: () => endWith({}),
    })
  }

  const recorded: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    const body = request.body === null ? '' : await request.clone().text()
    const sent = input instanceof Request ? fetchWith(request) : fetchWith(input, init)
    const response = await untilAborted(sent, request.signal)
    const exchange = {
      method: request.method,
      path: new URL(request.url).pathname,
      headers: request.headers,
      body,
      status: response.status,
      responseHeaders: response.headers,
      text: '',
    }
    exchanges.push(exchange)
    if (response.body === null) return response
    const { status, statusText, headers } = response
    const arrived = arriving(exchange, response.body, request.signal)
    return new Response(arrived, { status, statusText, headers })
  }
  return {
    fetch: recorded,
    exchanges,
    cutAfter: (text) => new Promise((done) => cuts.push({ text, done })),
    cut: () => {
      for (const end of open) end()
    },
  }
}

/** Rejects when the signal aborts, as `fetch` does: an app that is called in the same process may still work. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
  })
  return Promise.race([promise, aborted])
}

/** The exchanges that opened a stream with GET. */
export function streamsOf({ exchanges }: Wire): readonly Exchange[] {
  return exchanges.filter(({ method, status }) => method === 'GET' && status === 200)
}

/** The streams that were resumed after an event. */
export function resumedStreamsOf(wire: Wire): readonly Exchange[] {
  return streamsOf(wire).filter(({ headers }) => headers.has('last-event-id'))
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
