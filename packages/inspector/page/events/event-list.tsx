/** Events, deliveries and subscriptions, the newest first. */
import { clockOf } from '../elements/figures.ts'
import { Code, Text } from '../elements/text.tsx'
import type { EntryOf } from '../traffic/entry.ts'

type Entry = EntryOf<'event'>

/** Outcomes that someone must look at, and those that are as they should be. */
const BAD = ['abandoned', 'dropped', 'suspended', 'refused']
const WARN = ['retried', 'expired', 'ended']

export function EventList({ entries }: { readonly entries: readonly Entry[] }) {
  if (entries.length === 0) return <p>Nothing yet.</p>
  return (
    <ol class="steps" aria-label="What happened">
      {entries.toReversed().map((entry) => (
        <li key={entry.number}>
          <Row {...entry} />
        </li>
      ))}
    </ol>
  )
}

function Row({ at, what, outcome, event, subscription, reason }: Entry) {
  const text = outcome ?? what
  return (
    <>
      <p class="step-head">
        <time class="quiet">{clockOf(at)}</time>
        <span class={`badge ${kindOf(text)}`}>{text}</span>
        <strong>
          <Code max={130}>{event}</Code>
        </strong>
        {what !== 'emitted' && <span class="quiet">{what}</span>}
      </p>
      {(reason !== null || subscription !== null) && (
        <p class="step-event">
          {reason !== null && <Text max={200}>{reason}</Text>}{' '}
          {subscription !== null && <Code max={24}>{subscription}</Code>}
        </p>
      )}
    </>
  )
}

function kindOf(outcome: string): string {
  if (BAD.includes(outcome)) return 'bad'
  return WARN.includes(outcome) ? 'warn' : 'good'
}
