/** Entries of exchanges, as the server sends them. */
import type { Decision, EntryOf, TrafficEntry } from '../../../page/traffic/entry.ts'
import { withEntries } from '../../../page/traffic/exchange.ts'
import { trafficLog } from '../../../page/traffic/traffic-log.ts'

export const AT = new Date(2026, 10, 22, 12).getTime()

type Kind = TrafficEntry['kind']
type Entry<K extends Kind> = K extends Decision['kind'] ? Decision : EntryOf<K>
type Change<K extends Kind> = Partial<Omit<Entry<K>, 'kind'>>

const DEFAULTS: { readonly [K in Kind]: Omit<Entry<K>, 'number' | 'at' | 'exchange'> } = {
  opened: {
    kind: 'opened',
    http: 'POST',
    path: '/mcp',
    revision: '2026-07-28',
    era: 'modern',
    session: null,
    client: { name: 'example-client', version: '2.4.1' },
    subject: null,
  },
  message: {
    kind: 'message',
    from: 'client',
    message: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    bytes: 320,
    cut: false,
    shape: false,
    eventId: null,
  },
  refusal: { kind: 'refusal', name: 'header-mismatch', status: 400, text: 'The header differs' },
  leniency: { kind: 'leniency', name: 'accept-missing', status: null, text: 'Accept is missing' },
  failure: { kind: 'failure', name: 'handler-failed', status: 500, text: 'The handler threw' },
  span: { kind: 'span', name: 'handler', startedAt: AT + 3, durationMs: 6 },
  task: { kind: 'task', task: 'k1', tool: 'export', status: 'working' },
  event: {
    kind: 'event',
    event: 'note.changed',
    what: 'emitted',
    outcome: null,
    subscription: null,
    reason: null,
  },
  closed: { kind: 'closed', status: 200, durationMs: 12, bytes: 190, outcome: 'complete' },
}

let lastNumber = 0

/** An entry of the exchange `x`, with the next number. */
export function entry<K extends Kind>(kind: K, change: Change<K> = {}): Entry<K> {
  lastNumber += 1
  const own = { number: lastNumber, at: AT, exchange: 'x' }
  return { ...own, ...DEFAULTS[kind], ...change } as unknown as Entry<K>
}

export const fromClient = (message: unknown) => entry('message', { message })

export const fromServer = (message: unknown) => entry('message', { from: 'server', message })

/** An exchange with a name of its own. */
export function exchange(id: string, ...entries: readonly TrafficEntry[]): readonly TrafficEntry[] {
  return entries.map((each) => ({ ...each, exchange: id }))
}

/** Puts entries into the list of the page. */
export function record(...entries: readonly TrafficEntry[]): void {
  const { value } = trafficLog
  trafficLog.set({ ...value, exchanges: withEntries(value.exchanges, entries, 2000) })
}
