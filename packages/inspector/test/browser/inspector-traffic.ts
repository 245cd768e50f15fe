/** Recorded entries of exchanges. */
import type { TrafficEntry } from '../../page/traffic/entry.ts'

const BEGAN_AT = Date.UTC(2026, 10, 22, 12)

export interface RecordedCall {
  readonly text: string
  readonly tool?: string
  readonly client?: string
}

/** The five entries of a call of `echo`. */
export function callEntries(
  index: number,
  { text, tool = 'echo', client = 'example-client' }: RecordedCall,
): readonly TrafficEntry[] {
  const at = BEGAN_AT + index * 1000
  const entry = { exchange: `call-${index}` }
  const number = index * 10
  const params = { name: tool, arguments: { text } }
  return [
    { ...entry, ...openedOf(client), number, at },
    {
      ...entry,
      number: number + 1,
      at: at + 1,
      kind: 'message',
      from: 'client',
      message: { jsonrpc: '2.0', id: index, method: 'tools/call', params },
      bytes: 320,
      cut: false,
      shape: false,
      eventId: null,
    },
    {
      ...entry,
      number: number + 2,
      at: at + 9,
      kind: 'span',
      name: 'handler',
      startedAt: at + 3,
      durationMs: 6,
    },
    {
      ...entry,
      number: number + 3,
      at: at + 10,
      kind: 'message',
      from: 'server',
      message: {
        jsonrpc: '2.0',
        id: index,
        result: {
          content: [{ type: 'text', text }],
          resultType: 'complete',
          _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'fixture', version: '1.0.0' } },
        },
      },
      bytes: 190,
      cut: false,
      shape: false,
      eventId: null,
    },
    {
      ...entry,
      number: number + 4,
      at: at + 12,
      kind: 'closed',
      status: 200,
      durationMs: 12,
      bytes: 190,
      outcome: 'complete',
    },
  ]
}

/** A request whose header does not name the method of its body. */
export function refusedEntries(index: number): readonly TrafficEntry[] {
  const at = BEGAN_AT + index * 1000
  const entry = { exchange: `refused-${index}` }
  const number = index * 10
  return [
    { ...entry, ...openedOf('example-client'), number, at },
    {
      ...entry,
      number: number + 1,
      at: at + 1,
      kind: 'message',
      from: 'client',
      message: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
      bytes: 58,
      cut: false,
      shape: false,
      eventId: null,
    },
    {
      ...entry,
      number: number + 2,
      at: at + 1,
      kind: 'refusal',
      name: 'header-mismatch',
      status: 400,
      text: 'Header mismatch: Mcp-Method "ping" must be the method of the body',
    },
    {
      ...entry,
      number: number + 3,
      at: at + 2,
      kind: 'closed',
      status: 400,
      durationMs: 2,
      bytes: 140,
      outcome: 'refused',
    },
  ]
}

const openedOf = (client: string) =>
  ({
    kind: 'opened',
    http: 'POST',
    path: '/mcp',
    revision: '2026-07-28',
    era: 'modern',
    session: null,
    client: { name: client, version: '2.4.1' },
    subject: null,
  }) as const
