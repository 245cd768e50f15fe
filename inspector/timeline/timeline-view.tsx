/** The tab of the connection timeline: what each client did, and where it stopped. */
import type { TimelineConnection } from '../../src/features/timeline/views.ts'
import { Empty, Failed } from '../elements/notice.tsx'
import { useReading } from '../use-reading.ts'
import { Connection } from './connection.tsx'

const PATH = '/inspect/timeline.json'

const REFRESH_MS = 5000

export function TimelineView() {
  const { value, problem, isReading, refresh } = useReading<{
    readonly connections: readonly TimelineConnection[]
  }>(PATH, REFRESH_MS)
  return (
    <div class="page">
      <div class="page-head">
        <h2>Connection timeline</h2>
        <button type="button" class="small" disabled={isReading} onClick={refresh}>
          Refresh
        </button>
      </div>
      <p class="quiet">
        Each client of the last hours: how far it came, which step did not come, and which known
        causes this server's answers exclude.
      </p>
      {problem !== undefined && <Failed problem={problem} retry={refresh} />}
      {value === undefined && problem === undefined && <p class="quiet">Loading…</p>}
      {value?.connections.length === 0 && (
        <Empty title="No client has connected yet">
          <p>
            Add the server to a client, and this page says at which step it stops. In production,
            switch the timeline on first.
          </p>
        </Empty>
      )}
      {value?.connections.map((connection) => (
        <Connection key={connection.id} connection={connection} />
      ))}
    </div>
  )
}
