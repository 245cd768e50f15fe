/** JSON-RPC messages as a client receives them, and the events of a stream that carries them. */
import type { JsonObject } from '../protocol/json.ts'
import { readAhead } from './read-ahead.ts'

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
 * the signal aborts.
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
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      text += decoder.decode(value, { stream: true })
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        const event = parseEvent(text.slice(0, end))
        text = text.slice(end + 2)
        if (event.data !== '') yield event
      }
    }
  } finally {
    signal?.removeEventListener('abort', cancel)
    // The consumer may stop before the end, which disconnects the client.
    cancel()
  }
}

function parseEvent(block: string): WireEvent {
  const lines = block.split('\n')
  const valuesOf = (field: string) =>
    lines.flatMap((line) =>
      line.startsWith(`${field}:`) ? [line.slice(field.length + 1).replace(/^ /, '')] : [],
    )
  return { event: valuesOf('event').at(-1) ?? 'message', data: valuesOf('data').join('\n') }
}
