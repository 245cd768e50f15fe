/** Frames whose messages the observers of the request receive too. */
import type { Exchange } from '../exchange.ts'
import type { Frames } from './frames.ts'

export function recordedFrames(frames: Frames, { recording }: Pick<Exchange, 'recording'>): Frames {
  const observer = recording?.observer
  if (observer?.sent === undefined) return frames
  return {
    ...frames,
    message(json) {
      observer.sent?.(json, undefined)
      return frames.message(json)
    },
  }
}
