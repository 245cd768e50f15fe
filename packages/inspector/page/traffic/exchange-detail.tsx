/** Everything that was recorded of one exchange. */
import { clauseOf } from '../../src/timeline-texts/clauses.ts'
import { DetailHead } from '../elements/detail-head.tsx'
import { dateOf, durationOf, sizeOf } from '../elements/figures.ts'
import { JsonTree } from '../elements/json-tree.tsx'
import { OutsideLink } from '../elements/link.tsx'
import { Notice } from '../elements/notice.tsx'
import { Code, Paragraph, Text } from '../elements/text.tsx'
import { navigate } from '../route.ts'
import type { Decision, EntryOf } from './entry.ts'
import { type Exchange, type ExchangeSummary, membersOf, summaryOf } from './exchange.ts'
import { Status } from './exchange-list.tsx'
import { Timing } from './timing.tsx'

const close = () => navigate('traffic')

export function ExchangeDetail({ exchange }: { readonly exchange: Exchange }) {
  const summary = summaryOf(exchange)
  const { entries } = exchange
  const messages = entries.filter((entry) => entry.kind === 'message')
  const tasks = entries.filter((entry) => entry.kind === 'task')
  const events = entries.filter((entry) => entry.kind === 'event')

  return (
    <article class="scroll detail">
      <DetailHead
        onClose={close}
        title={
          <>
            <Code max={200}>{summary.title}</Code>
            {summary.target !== undefined && <Code max={300}>{summary.target}</Code>}
          </>
        }
      >
        <Status status={summary.status} />
      </DetailHead>
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
      {events.map(({ number, event }) => (
        <Notice key={number} title="Event emitted">
          <Paragraph isCode text={event} />
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

const TITLES = { refusal: 'Refusal', leniency: 'Leniency', failure: 'Failure' } as const

/** A refusal or a leniency: its name, what happened, and the clause. */
function Mark({ mark }: { readonly mark: Decision }) {
  const { kind, name, status, text } = mark
  const clause = clauseOf(kind, name)
  return (
    <Notice kind={kind === 'leniency' ? 'warn' : 'bad'}>
      <p class="mark-title">
        <strong>{TITLES[kind]}</strong> <Code>{name}</Code>
        {status !== null && <span class="quiet"> HTTP {status}</span>}
      </p>
      <Paragraph text={text} />
      {clause !== undefined && (
        <p>
          <OutsideLink url={clause.url} text={clause.text} />
        </p>
      )}
    </Notice>
  )
}

interface MessageProps {
  readonly entry: EntryOf<'message'>
  /** When the exchange began, in epoch milliseconds. */
  readonly beganAt: number
}

/** One JSON-RPC message: its direction, what it is, and its members. */
function Message({ entry, beganAt }: MessageProps) {
  const { from, message, bytes, cut, shape, eventId, at } = entry
  return (
    <li class={`message from-${from}`}>
      <p class="message-head">
        <span class="direction">{from === 'client' ? 'Client → server' : 'Server → client'}</span>
        <Code max={200}>{describe(message)}</Code>
        <span class="quiet">+{durationOf(Math.max(0, at - beganAt))}</span>
        <span class="quiet">{sizeOf(bytes)}</span>
        {eventId !== null && (
          <span class="quiet">
            event <Code max={80}>{eventId}</Code>
          </span>
        )}
        {cut && <span class="badge warn">cut</span>}
        {shape && <span class="badge">names and types alone</span>}
      </p>
      <JsonTree value={message} label="the message" />
    </li>
  )
}

function describe(message: unknown): string {
  if (Array.isArray(message)) return `batch of ${message.length}`
  const { method, id, error, result } = membersOf(message)
  if (typeof method === 'string') {
    return id === undefined ? `${method} (notification)` : `${method} (id ${JSON.stringify(id)})`
  }
  if (error !== undefined) return `error (id ${JSON.stringify(id ?? null)})`
  const { resultType } = membersOf(result)
  const type = typeof resultType === 'string' && resultType !== 'complete' ? ` ${resultType}` : ''
  return `result${type} (id ${JSON.stringify(id ?? null)})`
}
