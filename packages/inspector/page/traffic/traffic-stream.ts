/** Reads `GET /inspect/traffic` and continues after the last entry when the connection ends. */
import { CONFIG_PATH } from '../server-config.ts'
import type { TrafficEntry } from './entry.ts'

/** The person's sign-in has ended, or the person is no longer an owner. */
type Refused = 'signed-out' | 'no-owner'

export type StreamState = 'connecting' | 'live' | 'reconnecting' | Refused

export interface StreamListener {
  onEntries(entries: readonly TrafficEntry[]): void
  onState(state: StreamState): void
}

const PATH = '/inspect/traffic'

/** Entries that arrive together are shown together. */
const BATCH_MS = 60

const FIRST_RETRY_MS = 500
const MAX_RETRY_MS = 10_000

/** Returns a function that closes the stream. */
export function openTrafficStream({ onEntries, onState }: StreamListener): () => void {
  let source: EventSource | undefined
  let last = 0
  let retryMs = FIRST_RETRY_MS
  let waiting: TrafficEntry[] = []
  let batch: ReturnType<typeof setTimeout> | undefined
  let retry: ReturnType<typeof setTimeout> | undefined
  let isClosed = false

  const flush = () => {
    batch = undefined
    const entries = waiting
    waiting = []
    onEntries(entries)
  }

  const connect = () => {
    source = new EventSource(`${PATH}?after=${last}`)
    source.onopen = () => {
      retryMs = FIRST_RETRY_MS
      onState('live')
    }
    source.onmessage = ({ data }) => {
      const entry = JSON.parse(data) as TrafficEntry
      last = entry.number
      waiting.push(entry)
      batch ??= setTimeout(flush, BATCH_MS)
    }
    source.onerror = () => {
      onState('reconnecting')
      // The browser would wait for seconds after a lost connection, and gives up after an answer such as 503.
      source?.close()
      void findRefusal().then((refused) => {
        if (isClosed) return
        if (refused !== undefined) return onState(refused)
        retry = setTimeout(connect, retryMs)
        retryMs = Math.min(retryMs * 2, MAX_RETRY_MS)
      })
    }
  }

  onState('connecting')
  connect()
  return () => {
    isClosed = true
    source?.close()
    clearTimeout(batch)
    clearTimeout(retry)
  }
}

/** The browser does not say how a stream was refused. */
async function findRefusal(): Promise<Refused | undefined> {
  const response = await fetch(CONFIG_PATH, { method: 'HEAD' }).catch(() => undefined)
  return response && REFUSED[response.status]
}

const REFUSED: Readonly<Record<number, Refused>> = { 401: 'signed-out', 404: 'no-owner' }
