/** The state of the live stream. Announced when it changes. */
import { useStore } from '../store.ts'
import { trafficLog } from './traffic-log.ts'
import type { StreamState } from './traffic-stream.ts'

const TEXTS: Readonly<Record<StreamState, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  reconnecting: 'Reconnecting',
  'signed-out': 'Signed out.',
  'no-owner': 'This server is no longer shown to you.',
}

export function StreamStatus() {
  const { stream, held } = useStore(trafficLog)
  const isPaused = held !== undefined && stream === 'live'
  return (
    <p class={`stream ${isPaused ? 'paused' : stream}`} role="status">
      {isPaused ? 'Paused' : TEXTS[stream]}
      {stream === 'signed-out' && <a href="/inspect">Sign in</a>}
    </p>
  )
}
