/**
 * Encodes server-sent events. Data is always JSON in one line, and all other fields are constants or
 * ids from a safe alphabet, so external text cannot add a field to an event.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
const encoder = new TextEncoder()

/** A comment that is sent immediately, so that proxies and the client receive the response headers. */
export const OPENING: Uint8Array = encoder.encode(': open\n\n')

export const KEEP_ALIVE: Uint8Array = encoder.encode(': keepalive\n\n')

/** @param json one line: `JSON.stringify` writes no line breaks */
export function messageEvent(json: string): Uint8Array {
  return encoder.encode(`event: message\ndata: ${json}\n\n`)
}

/** The same event as text, with an id. */
export function messageEventText(json: string, id: string): string {
  return `id: ${id}\nevent: message\ndata: ${json}\n\n`
}

/**
 * An event without data: its id and retry delay allow the client to resume before the first message.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
 */
export function primingEvent(id: string, retryMs: number): Uint8Array {
  return encoder.encode(`id: ${id}\nretry: ${retryMs}\ndata:\n\n`)
}

/** @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse */
export function endpointEvent(path: string, retryMs: number): Uint8Array {
  return encoder.encode(`retry: ${retryMs}\n\nevent: endpoint\ndata: ${path}\n\n`)
}
