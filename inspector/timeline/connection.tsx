/** One connection: its verdict, and its steps. */
import type { TimelineConnection } from '../../src/features/timeline/views.ts'
import { explain } from '../../src/timeline-texts/explain.ts'
import { countOf, dateOf } from '../elements/figures.ts'
import { Code, Text } from '../elements/text.tsx'
import { Steps } from './steps.tsx'
import { VerdictView } from './verdict-view.tsx'

const STATES = {
  connected: { text: 'connected', kind: 'good' },
  'in-progress': { text: 'in progress', kind: 'accent' },
  stopped: { text: 'stopped', kind: 'bad' },
} as const

export function Connection({ connection }: { readonly connection: TimelineConnection }) {
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
