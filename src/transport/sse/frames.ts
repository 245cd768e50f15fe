/** What a response that takes a while is made of: events, or white space around one JSON object. */
import { KEEP_ALIVE, messageEvent, OPENING } from './event.ts'

export interface Frames {
  /** Sent at once, so that the client and everything in between see the response begin. */
  readonly opening: Uint8Array
  readonly keepAlive: Uint8Array
  readonly message: (json: string) => Uint8Array
}

export const EVENTS: Frames = { opening: OPENING, keepAlive: KEEP_ALIVE, message: messageEvent }

const encoder = new TextEncoder()
const SPACE = encoder.encode(' ')

/** White space before a JSON text means nothing. @see https://www.rfc-editor.org/rfc/rfc8259#section-2 */
export const JSON_TEXT: Frames = {
  opening: SPACE,
  keepAlive: SPACE,
  message: (json) => encoder.encode(json),
}
