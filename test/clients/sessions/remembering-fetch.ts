/**
 * `EventSource` sends the id of the last event when it comes back, as its standard asks; the official
 * client's transport replaces all headers on the way and so loses it. This puts it back.
 */
import { eventsOf, watchWire } from './wire.ts'

export function createRememberingFetch(): typeof fetch {
  const { fetch: watched, exchanges } = watchWire()
  return (input, init) => {
    const headers = new Headers(init?.headers)
    const last = exchanges.flatMap(eventsOf).findLast(({ id }) => id !== undefined)
    if (headers.get('accept') === 'text/event-stream' && last?.id !== undefined) {
      headers.set('last-event-id', last.id)
    }
    return watched(input, { ...init, headers })
  }
}
