/** Everything that was recorded of one exchange. */
import { useEffect, useRef } from 'preact/hooks'
import { dateOf, durationOf, sizeOf } from '../elements/figures.ts'
import { Notice } from '../elements/notice.tsx'
import { Code, Text } from '../elements/text.tsx'
import { navigate } from '../route.ts'
import { useEscape } from '../use-escape.ts'
import { type Exchange, type ExchangeSummary, summaryOf } from './exchange.ts'
import { Status } from './exchange-list.tsx'
import { Mark } from './mark.tsx'
import { Message } from './message.tsx'
import { Timing } from './timing.tsx'

const close = () => navigate('traffic')

export function ExchangeDetail({ exchange }: { readonly exchange: Exchange }) {
  const summary = summaryOf(exchange)
  const heading = useRef<HTMLHeadingElement>(null)
  const { entries } = exchange
  const messages = entries.filter((entry) => entry.kind === 'message')
  const tasks = entries.filter((entry) => entry.kind === 'task')

  useEffect(() => heading.current?.focus({ preventScroll: true }), [])

  useEscape(close)
  return (
    <article class="scroll detail">
      <header class="detail-head">
        <button type="button" class="small back" onClick={close}>
          Close
        </button>
        <h2 ref={heading} tabIndex={-1}>
          <Code max={200}>{summary.title}</Code>
          {summary.target !== undefined && <Code max={300}>{summary.target}</Code>}
        </h2>
        <Status status={summary.closed?.status} />
      </header>
      <Properties summary={summary} />
      {summary.marks.map((mark) => (
        <Mark key={mark.number} mark={mark} />
      ))}
      {tasks.map(({ number, task, tool, status }) => (
        <Notice key={number} title={`Task: ${status}`}>
          <p>
            <Code>{tool}</Code> <Code>{task}</Code>
          </p>
        </Notice>
      ))}
      <h3>Messages</h3>
      {messages.length === 0 ? (
        <p class="quiet">
          {summary.closed === undefined
            ? 'No message yet.'
            : 'This exchange had no JSON-RPC message.'}
        </p>
      ) : (
        <ol class="messages">
          {messages.map((entry) => (
            <Message key={entry.number} entry={entry} beganAt={summary.at} />
          ))}
        </ol>
      )}
      <Timing exchange={exchange} />
    </article>
  )
}

function Properties({ summary: { at, opened, closed } }: { readonly summary: ExchangeSummary }) {
  const client = opened?.client
  return (
    <dl class="properties">
      <Property name="Time" value={dateOf(at)} />
      {opened && <Property name="Request" value={`${opened.http} ${opened.path}`} isCode />}
      <Property name="Revision" value={opened?.revision} />
      <Property name="Era" value={opened?.era} />
      <Property name="Client" value={client && `${client.name} ${client.version}`} />
      <Property name="Subject" value={opened?.subject} />
      <Property name="Session" value={opened?.session} isCode />
      <Property name="Duration" value={closed && durationOf(closed.durationMs)} />
      <Property name="Response" value={closed && sizeOf(closed.bytes)} />
      <Property name="Outcome" value={closed?.outcome} />
    </dl>
  )
}

interface PropertyProps {
  readonly name: string
  readonly value: string | null | undefined
  readonly isCode?: boolean
}

function Property({ name, value, isCode = false }: PropertyProps) {
  if (value === undefined || value === null) return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>{isCode ? <Code max={300}>{value}</Code> : <Text max={300}>{value}</Text>}</dd>
    </div>
  )
}
