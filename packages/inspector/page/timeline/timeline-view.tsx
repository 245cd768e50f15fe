/** The tab of the connection timeline: what each client did, and where it stopped. */
import type { TimelineConnection } from '../../src/timeline/views.ts'
import { type ExplainedConnection, explain } from '../../src/timeline-texts/explain.ts'
import { clockOf, countOf, dateOf, durationOf } from '../elements/figures.ts'
import { OutsideLink } from '../elements/link.tsx'
import { Empty, ReadingState } from '../elements/notice.tsx'
import { SmallButton } from '../elements/small-button.tsx'
import { Code, Text } from '../elements/text.tsx'
import { statusKind } from '../traffic/status.ts'
import { REFRESH_MS, useReading } from '../use-reading.ts'
import { VerdictView } from './verdict-view.tsx'

export function TimelineView() {
  const reading = useReading<{ readonly connections: readonly TimelineConnection[] }>(
    '/inspect/timeline.json',
    REFRESH_MS,
  )
  const { value, isReading, refresh } = reading
  return (
    <div class="page">
      <div class="page-head">
        <h2>Connection timeline</h2>
        <SmallButton disabled={isReading} onClick={refresh}>
          Refresh
        </SmallButton>
      </div>
      <p class="quiet">
        Each client of the last hours: how far it came, which step did not come, and which known
        causes this server's answers exclude.
      </p>
      <ReadingState {...reading} />
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

const STATES = {
  connected: { text: 'connected', kind: 'good' },
  'in-progress': { text: 'in progress', kind: 'accent' },
  stopped: { text: 'stopped', kind: 'bad' },
  examination: { text: 'examination', kind: '' },
} as const

/** One connection: its verdict, and its steps. */
function Connection({ connection }: { readonly connection: TimelineConnection }) {
  const { client, networks, beganAt, verdict, steps } = explain(connection)
  const { text, kind } = STATES[verdict.state]
  return (
    <article class="card">
      <header class="card-head">
        <h3>
          <Text max={100}>{client.name === '' ? 'Unknown client' : client.name}</Text>
        </h3>
        <span class={`badge ${kind}`}>{text}</span>
        <span class="quiet card-end">{dateOf(beganAt)}</span>
      </header>
      <VerdictView verdict={verdict} />
      <details>
        <summary>
          {countOf(steps.length, 'step')}
          {networks.length > 0 && (
            <span class="quiet">
              {' '}
              from network <Code max={40}>{networks.join(', ')}</Code>
            </span>
          )}
        </summary>
        <Steps steps={steps} />
      </details>
    </article>
  )
}

/** The requests of a connection, in the order of their times. */
function Steps({ steps }: Pick<ExplainedConnection, 'steps'>) {
  return (
    <ol class="steps">
      {steps.map(({ at, tookMs, title, http, status, events, details }, index) => (
        <li key={`${at} ${index}`}>
          <p class="step-head">
            <time class="quiet">{clockOf(at)}</time>
            <span class={`badge ${statusKind(status)}`}>{status}</span>
            <strong>
              <Text max={200}>{title}</Text>
            </strong>
            <span class="quiet">
              <Code max={200}>{`${http} ${details.url ?? ''}`}</Code> {durationOf(tookMs)}
            </span>
          </p>
          {events.map(({ type, name, message, clause }) => (
            <p key={name} class="step-event">
              <span class={`badge ${type === 'leniency' ? 'warn' : 'bad'}`}>{type}</span>{' '}
              <Code>{name}</Code> <Text>{message}</Text>{' '}
              {clause !== undefined && <OutsideLink url={clause.url} text={clause.text} />}
            </p>
          ))}
        </li>
      ))}
    </ol>
  )
}
