/** The spans of an exchange as bars over its duration. */
import { durationOf } from '../elements/figures.ts'
import { Text } from '../elements/text.tsx'
import { type Exchange, summaryOf } from './exchange.ts'

interface Bar {
  readonly key: number
  readonly name: string
  /** From the start of the exchange, in milliseconds. */
  readonly from: number
  readonly durationMs: number
  readonly kind: 'whole' | 'span' | 'point'
}

export function Timing({ exchange }: { readonly exchange: Exchange }) {
  const bars = barsOf(exchange)
  const end = Math.max(1, ...bars.map(({ from, durationMs }) => from + durationMs))
  const percent = (ms: number) => `${Math.min(100, Math.max(0, (ms / end) * 100))}%`
  return (
    <>
      <h3>Timing</h3>
      <ul class="timing">
        {bars.map(({ key, name, from, durationMs, kind }) => (
          <li key={key}>
            <span class="timing-name">
              <Text max={80}>{name}</Text>
            </span>
            <span class="timing-track" aria-hidden="true">
              <span
                class={`timing-bar ${kind}`}
                style={{ left: percent(from), width: percent(durationMs) }}
              />
            </span>
            <span class="timing-text">
              {kind === 'point' ? `+${durationOf(from)}` : durationOf(durationMs)}
            </span>
          </li>
        ))}
      </ul>
      <p class="quiet">
        The clock of a deployed Worker advances at I/O alone, so durations are those of I/O.
      </p>
    </>
  )
}

function barsOf(exchange: Exchange): readonly Bar[] {
  const { at, closed } = summaryOf(exchange)
  const whole: Bar[] =
    closed === undefined
      ? []
      : [{ key: 0, name: 'exchange', from: 0, durationMs: closed.durationMs, kind: 'whole' }]
  const parts = exchange.entries.flatMap((entry): Bar[] => {
    const { number: key } = entry
    if (entry.kind === 'span') {
      const { name, startedAt, durationMs } = entry
      return [{ key, name, from: Math.max(0, startedAt - at), durationMs, kind: 'span' }]
    }
    if (entry.kind !== 'message') return []
    const name = `message from the ${entry.from}`
    return [{ key, name, from: Math.max(0, entry.at - at), durationMs: 0, kind: 'point' }]
  })
  return [...whole, ...parts.sort((a, b) => a.from - b.from)]
}
