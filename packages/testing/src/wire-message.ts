/** JSON-RPC messages as a client receives them, and the events of a stream that carries them. */
import type { JsonObject } from '../../../src/protocol/json.ts'

export interface WireMessage {
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: JsonObject
  readonly result?: JsonObject
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export interface WireEvent {
  readonly event: string
  readonly data: string
}

/**
 * Yields the events of a stream that have data, as they arrive. Ends when the server ends the stream or
 * the signal aborts. An event without its empty line at the end of the stream is incomplete, and discarded.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export async function* eventsOf(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<WireEvent> {
  const reader = readAhead(body).getReader()
  const cancel = () => void reader.cancel(signal?.reason).catch(() => undefined)
  if (signal?.aborted) cancel()
  signal?.addEventListener('abort', cancel, { once: true })
  const decoder = new TextDecoder()
  const parse = createEventParser()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield* parse(decoder.decode(value, { stream: true }))
    }
  } finally {
    signal?.removeEventListener('abort', cancel)
    // The consumer may stop before the end, which disconnects the client.
    cancel()
  }
}

/** Returns a function that takes the next part of a stream and returns the events that it completes. */
function createEventParser(): (part: string) => readonly WireEvent[] {
  let begun = ''
  let endedWithCr = false
  let event = ''
  let data: string[] = []

  const endEvent = (): WireEvent => {
    const ended = { event: event || 'message', data: data.join('\n') }
    event = ''
    data = []
    return ended
  }

  const readField = (line: string) => {
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'event') event = value
    if (field === 'data') data.push(value)
  }

  return (part) => {
    // The second half of a CRLF, whose first half has ended the line.
    const rest = endedWithCr && part.startsWith('\n') ? part.slice(1) : part
    if (part !== '') endedWithCr = rest.endsWith('\r')
    const [first = '', ...others] = rest.split(/\r\n|\n|\r/)
    begun += first
    return others.flatMap((next) => {
      const line = begun
      begun = next
      if (line !== '') readField(line)
      const ended = line === '' ? endEvent() : undefined
      return ended === undefined || ended.data === '' ? [] : [ended]
    })
  }
}

/** Chunks. More would hide from the server that its client reads slowly. */
const CHUNKS_AHEAD = 2

/**
 * A pipe would do the same, but workerd leaves its rejection unhandled when the body breaks and its reader is
 * cancelled at one moment, as for a client that disconnects. A test run would fail for it.
 */
export function readAhead(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const source = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await source.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => source.cancel(reason),
    },
    { highWaterMark: CHUNKS_AHEAD },
  )
}
