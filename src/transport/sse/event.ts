/**
 * Server-sent events as bytes. Data is always one line of JSON and everything else a constant or an
 * id from a safe alphabet, so that nothing from outside can start a field of its own.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
const encoder = new TextEncoder()

/** Sent at once, so that the client and everything in between see the stream begin. */
export const OPENING: Uint8Array = encoder.encode(': open\n\n')

export const KEEP_ALIVE: Uint8Array = encoder.encode(': keepalive\n\n')

/** @param json one line: what `JSON.stringify` writes holds no line break */
export function messageEvent(json: string): Uint8Array {
  return encoder.encode(`event: message\ndata: ${json}\n\n`)
}

/** The same as text, with an id. */
export function messageEventText(json: string, id: string): string {
  return `id: ${id}\nevent: message\ndata: ${json}\n\n`
}

/**
 * Nothing but an id and how long to wait: whoever loses the connection from now on can come back.
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
