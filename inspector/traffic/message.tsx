/** One JSON-RPC message: its direction, what it is, and its members. */
import { durationOf, sizeOf } from '../elements/figures.ts'
import { JsonTree } from '../elements/json-tree.tsx'
import { Code } from '../elements/text.tsx'
import type { EntryOf } from './entry.ts'
import { membersOf } from './exchange.ts'

interface MessageProps {
  readonly entry: EntryOf<'message'>
  /** When the exchange began, in epoch milliseconds. */
  readonly beganAt: number
}

export function Message({ entry, beganAt }: MessageProps) {
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
