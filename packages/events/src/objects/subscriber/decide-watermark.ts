/** Which cursor an event carries: one that never passes an earlier event that is not settled. */

/**
 * Returns the position up to which everything is settled once the event is.
 *
 * @param position of the event
 * @param oldestOther the oldest position that waits beside it; a gap waits at the position of the event after it
 */
export function watermarkOf(position: number, oldestOther: number | undefined): number {
  return oldestOther === undefined ? position : Math.min(position, oldestOther - 1)
}
