/** Frames whose messages the observers of the request receive too. */
import type { Exchange } from '../exchange.ts'
import type { Frames } from './frames.ts'

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
