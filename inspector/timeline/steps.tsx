/** The requests of a connection, in the order of their times. */
import type { ExplainedConnection } from '../../src/timeline-texts/explain.ts'
import { clockOf, durationOf } from '../elements/figures.ts'
import { OutsideLink } from '../elements/link.tsx'
import { Code, Text } from '../elements/text.tsx'
import { statusKind } from '../traffic/status.ts'

export function Steps({ steps }: Pick<ExplainedConnection, 'steps'>) {
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
