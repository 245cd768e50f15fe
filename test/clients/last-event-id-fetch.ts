/**
 * A `fetch` that sends `Last-Event-ID` when `EventSource` reconnects. `EventSource` sets this header,
 * but the transport of the official client replaces all headers.
 */
import { eventsOf, recordWire } from './wire.ts'

export function createLastEventIdFetch(): typeof fetch {
  const { fetch: recorded, exchanges } = recordWire()
  return (input, init) => {
    const headers = new Headers(init?.headers)
    const last = exchanges.flatMap(eventsOf).findLast(({ id }) => id !== undefined)
    if (headers.get('accept') === 'text/event-stream' && last?.id !== undefined) {
      headers.set('last-event-id', last.id)
    }
    return recorded(input, { ...init, headers })
  }
}
