/** The exchanges that the page has received. It is read while the page is open, whichever tab is shown. */
import { Store } from '../store.ts'
import type { EntryOf, TrafficEntry } from './entry.ts'
import { type Exchange, withEntries } from './exchange.ts'
import { openTrafficStream, type StreamState } from './traffic-stream.ts'

/** Of the page. The server stores fewer entries than these have. */
const MAX_EXCHANGES = 2000

/** That the tab of events shows. */
const MAX_EVENTS = 200

/** The server replays at most what it has stored, which is less. */
const MAX_SEEN = 20_000

interface TrafficLog {
  readonly stream: StreamState
  /** Newest last. */
  readonly exchanges: readonly Exchange[]
  /** Events, their deliveries and subscriptions. Newest last. */
  readonly events: readonly EntryOf<'event'>[]
  /** Entries that arrived while the list is paused; undefined while it is not. */
  readonly held: readonly TrafficEntry[] | undefined
}

export const trafficLog = new Store<TrafficLog>({
  stream: 'connecting',
  exchanges: [],
  events: [],
  held: undefined,
})

/** Entries that the list has or had, so that a replay adds none of them again. */
const seen = new Set<string>()

export function followTraffic(): () => void {
  return openTrafficStream({
    onState: (stream) => trafficLog.set({ ...trafficLog.value, stream }),
    onEntries(entries) {
      const fresh = entries.filter(({ number, exchange }) => {
        const key = `${number} ${exchange}`
        const isKnown = seen.has(key)
        seen.add(key)
        const [oldest] = seen
        if (seen.size > MAX_SEEN && oldest !== undefined) seen.delete(oldest)
        return !isKnown
      })
      if (fresh.length === 0) return
      addEvents(fresh)
      const { held } = trafficLog.value
      if (held === undefined) add(fresh)
      else trafficLog.set({ ...trafficLog.value, held: [...held, ...fresh] })
    },
  })
}

export function pause(): void {
  trafficLog.set({ ...trafficLog.value, held: [] })
}

export function resume(): void {
  const { held = [] } = trafficLog.value
  trafficLog.set({ ...trafficLog.value, held: undefined })
  add(held)
}

/** Empties the list. The server keeps what it has stored. */
export function clear(): void {
  const { held } = trafficLog.value
  trafficLog.set({ ...trafficLog.value, exchanges: [], held: held && [] })
}

function addEvents(entries: readonly TrafficEntry[]): void {
  const found = entries.filter((entry) => entry.kind === 'event')
  if (found.length === 0) return
  const events = [...trafficLog.value.events, ...found].sort((a, b) => a.number - b.number)
  trafficLog.set({ ...trafficLog.value, events: events.slice(-MAX_EVENTS) })
}

/** What happens outside of a request is in no exchange. */
function add(entries: readonly TrafficEntry[]): void {
  const inExchanges = entries.filter(({ exchange }) => exchange !== '')
  const exchanges = withEntries(trafficLog.value.exchanges, inExchanges, MAX_EXCHANGES)
  trafficLog.set({ ...trafficLog.value, exchanges })
}
