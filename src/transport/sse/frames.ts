/** The two framings of a slow response: server-sent events, or white space before one JSON object. */
import type { Exchange } from '../exchange.ts'
import { KEEP_ALIVE, messageEvent, OPENING } from './event.ts'

export interface Frames {
  /** Sent immediately, so that proxies and the client receive the response headers. */
  readonly opening: Uint8Array
  readonly keepAlive: Uint8Array
  readonly message: (json: string) => Uint8Array
}

export const EVENTS: Frames = { opening: OPENING, keepAlive: KEEP_ALIVE, message: messageEvent }

const encoder = new TextEncoder()
const SPACE = encoder.encode(' ')

/** White space before a JSON text is insignificant. @see https://www.rfc-editor.org/rfc/rfc8259#section-2 */
export const PADDED_JSON: Frames = {
  opening: SPACE,
  keepAlive: SPACE,
  message: (json) => encoder.encode(json),
}

/** Frames whose messages the observers of the request receive too. */
export function recordedFrames(frames: Frames, { recording }: Pick<Exchange, 'recording'>): Frames {
  const observe = recording?.observe
  if (observe === undefined) return frames
  return {
    ...frames,
    message(json) {
      observe({ type: 'sent', json, eventId: undefined })
      return frames.message(json)
    },
  }
}
