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
