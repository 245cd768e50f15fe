/** Reads an event stream to its end, message by message. */
import type { EventReader } from '../../faults/sessions/event-reader.ts'
import type { Message } from '../../faults/sessions/message.ts'

/** A stream of changes may be idle for this long, in milliseconds. */
export const IDLE_MS = 3_600_000

/** Resolves at the end of the stream, or when `onMessage` returns true. */
export async function readEvents(
  events: EventReader,
  onMessage: (message: Message, eventId: string) => unknown,
  timeoutMs?: number,
): Promise<void> {
  let read = 0
  const hasMore = () => events.messages.length > read
  while (!events.ended || hasMore()) {
    await events.until(() => hasMore() || events.ended, 'a message or the end', timeoutMs)
    while (hasMore()) {
      const message = events.messages[read]
      if (message !== undefined && onMessage(message, events.ids[read] ?? '') === true) return
      read++
    }
  }
}
