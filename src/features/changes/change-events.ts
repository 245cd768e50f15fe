/** The events of changes: one change is the same event for all listeners whose requests have the same id. */
import { EVENTS, type Frames } from '../../transport/sse/frames.ts'

/** Events that are kept. Clients number their requests, so listeners have few different ids. */
const MAX_KEPT = 64

/** Longer events are encoded for each listener, in UTF-16 code units. */
const MAX_KEPT_LENGTH = 1024

/** The events that were encoded last in this isolate, by their message. */
const kept = new Map<string, Uint8Array>()

export const CHANGE_EVENTS: Frames = {
  ...EVENTS,
  message(json) {
    if (json.length > MAX_KEPT_LENGTH) return EVENTS.message(json)
    const known = kept.get(json)
    if (known !== undefined) return known
    if (kept.size === MAX_KEPT) kept.clear()
    const event = EVENTS.message(json)
    kept.set(json, event)
    return event
  },
}
