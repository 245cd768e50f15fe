/** Defects of events: each is one way to break `startEventServer`. */
import type { FaultCode } from '../../../faults/src/faults.ts'
import { onMethod, onResult } from '../defects.ts'
import type { Answer } from '../http-server.ts'
import {
  NOTE,
  notification,
  occurrence,
  type SenderDefects,
  streamAnswer,
} from '../reference-events.ts'
import { type Defect, json } from '../reference-server.ts'
import { ALL } from './row.ts'

export interface EventRow {
  readonly fault: FaultCode
  readonly when: string
  readonly defect?: Defect
  readonly sender?: SenderDefects
  /** The clients with the finding. */
  readonly at: readonly string[]
  readonly fix: RegExp
  /** What the message says, where the fault alone does not say it. */
  readonly says?: RegExp
}

const CHATGPT = ['ChatGPT']

const capabilities =
  (change: (capabilities: Record<string, unknown>) => unknown): Defect =>
  (request, next, origin) => {
    const methods = ['server/discover', 'initialize']
    const method = methods.find((one) => one === request.json.method) ?? ''
    return onResult(method, (result) => ({
      ...result,
      capabilities: change(result.capabilities as Record<string, unknown>),
    }))(request, next, origin)
  }

const listed = (type: object) => onResult('events/list', () => ({ events: [{ ...NOTE, ...type }] }))

const polled = (change: (result: Record<string, unknown>) => object): Defect =>
  onResult('events/poll', (result) => ({ ...result, ...change(result) }))

/** Where the request is right: the requests that must be refused are answered as before. */
const streamed = (answer: (id: unknown) => Answer): Defect =>
  onMethod('events/stream', (id, next) =>
    next?.headers?.['content-type'] === 'text/event-stream' ? answer(id) : next,
  )

const ACTIVE = { cursor: 'c1', truncated: false }

const heartbeat = (id: unknown) => notification(id, 'heartbeat', { cursor: 'c1' })

const streamOf = (messages: (id: unknown) => readonly object[]): Defect =>
  streamed((id) => streamAnswer(messages(id)))

const endingWith = (end: (id: unknown) => object): Defect =>
  streamed((id) =>
    streamAnswer(
      [
        notification(id, 'active', ACTIVE),
        notification(id, 'event', { ...occurrence(NOTE.name), cursor: null }),
      ],
      `data: ${JSON.stringify(end(id))}\n\n`,
    ),
  )

/** The answer to a subscription that is right. */
const subscribed = (change: (result: Record<string, unknown>) => unknown): Defect =>
  onResult('events/subscribe', change)

const failed = (code: number, message: string) => (id: unknown) =>
  json({ jsonrpc: '2.0', id, error: { code, message } })

/** Replaces an error of the extension, or InvalidParams, by a result. */
const serves =
  (method: string, when: (params: Record<string, unknown>) => boolean, result: object): Defect =>
  (request, next) =>
    request.json.method === method && when((request.json.params ?? {}) as Record<string, unknown>)
      ? json({ jsonrpc: '2.0', id: request.json.id, result: { resultType: 'complete', ...result } })
      : next()

const EMPTY_POLL = { events: [], cursor: null, truncated: false, hasMore: false, nextPollMs: 1000 }
const GRANTED = {
  id: 'sub_1',
  refreshBefore: '2099-01-01T00:00:00Z',
  cursor: null,
  truncated: false,
}

const deliveryOf = (params: Record<string, unknown>) =>
  (params.delivery ?? {}) as { url?: string; secret?: string }

const received = (
  fault: 'events-challenge-invalid' | 'events-delivery-invalid',
): readonly EventRow[] => {
  const member = fault === 'events-challenge-invalid' ? 'challenge' : 'delivery'
  const row = (when: string, change: SenderDefects['delivery'], says: RegExp): EventRow => ({
    fault,
    when,
    sender: { [member]: change },
    at: CHATGPT,
    fix: /webhook-signature|HMAC-SHA-256/,
    says,
  })
  const what = member === 'challenge' ? 'a challenge' : 'a delivery'
  return [
    row(
      `${what} is signed with the text of the secret`,
      ({ key }) => ({ key: Buffer.from(`whsec_${key.toString('base64')}`) }),
      /key is the text of the secret/,
    ),
    row(
      `${what} has an old timestamp`,
      () => ({ timestamp: 1_700_000_000 }),
      /webhook-timestamp "1700000000"/,
    ),
    row(
      `${what} has no id of the subscription`,
      () => ({ subscription: '' }),
      /X-MCP-Subscription-Id nothing/,
    ),
    row(`${what} has the id of another subscription`, () => ({ subscription: 'sub_2' }), /sub_2/),
    row(`${what} is text/plain`, () => ({ contentType: 'text/plain' }), /text\/plain/),
    row(`${what} has another webhook-id`, () => ({ id: 'other' }), /webhook-id "other"/),
  ]
}

export const EVENT_ROWS: readonly EventRow[] = [
  {
    fault: 'events-key-missing',
    when: 'the extension alone is declared',
    defect: capabilities(({ events: _, ...rest }) => rest),
    at: CHATGPT,
    fix: /"events": \{\}/,
  },
  {
    fault: 'events-extension-missing',
    when: 'the member events alone is declared',
    defect: capabilities(({ extensions: _, ...rest }) => rest),
    at: ALL,
    fix: /io\.modelcontextprotocol\/events/,
  },
  {
    fault: 'events-capability-invalid',
    when: 'the capability is true',
    defect: capabilities((rest) => ({ ...rest, events: true })),
    at: ALL,
    fix: /listChanged/,
  },
  {
    fault: 'events-capability-invalid',
    when: 'server/discover declares events and initialize does not',
    defect: onResult('initialize', (result) => ({ ...result, capabilities: { tools: {} } })),
    at: ALL,
    fix: /object/,
    says: /initialize have no events/,
  },
  {
    fault: 'events-list-failed',
    when: 'events/list is an error',
    defect: onMethod('events/list', failed(-32_601, 'Method not found')),
    at: CHATGPT,
    fix: /empty list/,
  },
  {
    fault: 'events-list-invalid',
    when: 'events is null',
    defect: onResult('events/list', () => ({ events: null })),
    at: CHATGPT,
    fix: /as a list/,
  },
  {
    fault: 'events-list-invalid',
    when: 'the pages of events/list repeat',
    defect: onResult('events/list', (result) => ({ ...result, nextCursor: 'again' })),
    at: CHATGPT,
    fix: /nextCursor/,
  },
  {
    fault: 'events-list-invalid',
    when: 'two event types have one name',
    defect: onResult('events/list', () => ({ events: [NOTE, NOTE] })),
    at: CHATGPT,
    fix: /each type once/,
  },
  {
    fault: 'events-type-invalid',
    when: 'delivery is empty',
    defect: listed({ delivery: [] }),
    at: CHATGPT,
    fix: /at least one of/,
  },
  {
    fault: 'events-type-invalid',
    when: 'delivery has an unknown mode',
    defect: listed({ delivery: ['poll', 'pigeon'] }),
    at: CHATGPT,
    fix: /at least one of/,
    says: /pigeon/,
  },
  {
    fault: 'events-type-invalid',
    when: 'an event type has no payloadSchema',
    defect: listed({ payloadSchema: undefined }),
    at: CHATGPT,
    fix: /payloadSchema/,
  },
  {
    fault: 'events-description-missing',
    when: 'an event type has no description',
    defect: listed({ description: undefined }),
    at: CHATGPT,
    fix: /Describe/,
  },
  {
    fault: 'events-poll-failed',
    when: 'events/poll is an error',
    defect: onMethod('events/poll', (id, next) =>
      String(next?.body).includes('"result"') ? failed(-32_603, 'Upstream')(id) : next,
    ),
    at: ALL,
    fix: /leave "poll" out/,
  },
  ...['events', 'cursor', 'truncated', 'hasMore', 'nextPollMs'].map(
    (member): EventRow => ({
      fault: 'events-poll-invalid',
      when: `the result of events/poll has no ${member}`,
      defect: polled(() => ({ [member]: undefined })),
      at: ALL,
      fix: /Always send/,
      says: new RegExp(`the ${member} nothing`),
    }),
  ),
  ...[
    { eventId: 7 },
    { name: 'other' },
    { timestamp: '2026-11-20T10:00:00' },
    { data: 'text' },
  ].map(
    (change): EventRow => ({
      fault: 'events-poll-invalid',
      when: `an event of events/poll has ${JSON.stringify(change)}`,
      defect: polled(({ events }) => ({
        events: (events as object[]).map((event) => ({ ...event, ...change })),
      })),
      at: ALL,
      fix: /eventId/,
      says: new RegExp(Object.keys(change)[0] ?? ''),
    }),
  ),
  {
    fault: 'events-poll-replays',
    when: 'a poll without a cursor returns events',
    defect: polled(() => ({ events: [occurrence(NOTE.name)] })),
    at: ALL,
    fix: /no events and a fresh cursor/,
  },
  {
    fault: 'events-refusal-wrong',
    when: 'events/poll serves an unknown type',
    defect: serves('events/poll', ({ name }) => name === 'edgeway.doctor.unknown', EMPTY_POLL),
    at: ALL,
    fix: /NotFound/,
    says: /events\/poll of an unknown type/,
  },
  {
    fault: 'events-refusal-wrong',
    when: 'events/poll serves a request without a name',
    defect: serves('events/poll', ({ name }) => name === undefined, EMPTY_POLL),
    at: ALL,
    fix: /-32602/,
    says: /without a name/,
  },
  {
    fault: 'events-refusal-wrong',
    when: 'events/poll serves arguments of the wrong type',
    defect: serves(
      'events/poll',
      (params) => typeof (params.arguments as { topic?: unknown } | undefined)?.topic === 'object',
      EMPTY_POLL,
    ),
    at: ALL,
    fix: /-32602/,
    says: /argument of the wrong type/,
  },
  {
    fault: 'events-refusal-wrong',
    when: 'events/poll serves a type without poll',
    defect: serves('events/poll', ({ name }) => name === 'note.pushed', EMPTY_POLL),
    at: ALL,
    fix: /Unsupported/,
    says: /without the mode poll/,
  },
  {
    fault: 'events-refusal-wrong',
    when: 'events/unsubscribe of an unknown subscription has a result',
    defect: serves(
      'events/unsubscribe',
      (params) => String(deliveryOf(params).url).endsWith('/never'),
      {},
    ),
    at: ALL,
    fix: /NotFound/,
    says: /unknown subscription/,
  },
  {
    fault: 'events-stream-failed',
    when: 'events/stream is answered with JSON',
    defect: streamed((id) => json({ jsonrpc: '2.0', id, result: { resultType: 'complete' } })),
    at: ALL,
    fix: /text\/event-stream/,
  },
  {
    fault: 'events-stream-not-active',
    when: 'a heartbeat comes before active',
    defect: streamOf((id) => [heartbeat(id), notification(id, 'active', ACTIVE)]),
    at: ALL,
    fix: /before anything else/,
  },
  {
    fault: 'events-stream-not-active',
    when: 'events/stream sends nothing',
    defect: streamOf(() => []),
    at: ALL,
    fix: /as soon as/,
    says: /No message came/,
  },
  {
    fault: 'events-stream-message-invalid',
    when: 'a message has the id of another subscription',
    defect: streamOf((id) => [notification(id, 'active', ACTIVE), heartbeat('other')]),
    at: ALL,
    fix: /subscriptionId/,
  },
  {
    fault: 'events-stream-message-invalid',
    when: 'a heartbeat has no cursor',
    defect: streamOf((id) => [
      notification(id, 'active', ACTIVE),
      notification(id, 'heartbeat', {}),
    ]),
    at: ALL,
    fix: /cursor in active, event and heartbeat/,
  },
  {
    fault: 'events-stream-message-invalid',
    when: 'a message is a notification of progress',
    defect: streamOf((id) => [
      notification(id, 'active', ACTIVE),
      { jsonrpc: '2.0', method: 'notifications/progress', params: {} },
      heartbeat(id),
    ]),
    at: ALL,
    fix: /notifications\/events/,
  },
  {
    fault: 'events-stream-end-invalid',
    when: 'events/stream ends without a result',
    defect: endingWith((id) => notification(id, 'error', { error: {} })),
    at: ALL,
    fix: /resultType/,
  },
  {
    fault: 'events-stream-end-invalid',
    when: 'the last result of events/stream has no _meta',
    defect: endingWith((id) => ({ jsonrpc: '2.0', id, result: { resultType: 'complete' } })),
    at: ALL,
    fix: /_meta/,
  },
  {
    fault: 'events-stream-not-refused',
    when: 'an unknown type is refused on an event stream',
    defect: onMethod('events/stream', (id, next) => {
      if (!String(next?.body).includes('-32023')) return next
      const error = { jsonrpc: '2.0', id, error: { code: -32_023, message: 'NotFound' } }
      return streamAnswer([error])
    }),
    at: ALL,
    fix: /open no stream/,
  },
  {
    fault: 'events-subscribe-failed',
    when: 'every subscription is Forbidden',
    defect: onMethod('events/subscribe', failed(-32_024, 'Forbidden')),
    at: CHATGPT,
    fix: /add authorization/,
  },
  {
    fault: 'events-subscribe-failed',
    when: 'a subscription ends with an internal error',
    defect: onMethod('events/subscribe', (id, next) =>
      String(next?.body).includes('"result"') ? failed(-32_603, 'Database')(id) : next,
    ),
    at: CHATGPT,
    fix: /Correct what the message names/,
  },
  ...['id', 'refreshBefore', 'cursor', 'truncated'].map(
    (member): EventRow => ({
      fault: 'events-subscribe-invalid',
      when: `the result of events/subscribe has no ${member}`,
      defect: subscribed((result) => ({ ...result, [member]: undefined })),
      at: CHATGPT,
      fix: /Always send/,
      says: new RegExp(`the ${member} nothing`),
    }),
  ),
  {
    fault: 'events-subscribe-unchecked',
    when: 'a subscription without a secret is accepted',
    defect: serves(
      'events/subscribe',
      (params) => deliveryOf(params).secret === undefined,
      GRANTED,
    ),
    at: ALL,
    fix: /no secret/,
    says: /without a secret/,
  },
  {
    fault: 'events-subscribe-unchecked',
    when: 'a short secret is accepted',
    defect: serves(
      'events/subscribe',
      (params) => String(deliveryOf(params).secret).length < 30,
      GRANTED,
    ),
    at: ALL,
    fix: /24 to 64 bytes/,
    says: /8 bytes/,
  },
  {
    fault: 'events-subscribe-unchecked',
    when: 'an http URL is accepted',
    defect: serves(
      'events/subscribe',
      (params) => String(deliveryOf(params).url).startsWith('http://edgeway-doctor.invalid'),
      GRANTED,
    ),
    at: ALL,
    fix: /not https/,
    says: /http URL/,
  },
  {
    fault: 'events-callback-private',
    when: 'a callback to a private address is accepted',
    defect: serves(
      'events/subscribe',
      (params) => String(deliveryOf(params).url).startsWith('https://10.'),
      GRANTED,
    ),
    at: ALL,
    fix: /before a connection is made/,
  },
  {
    fault: 'events-callback-private',
    when: 'a callback on this computer is refused after a connection',
    sender: { connects: true },
    at: ALL,
    fix: /before a connection is made/,
    says: /after a connection/,
  },
  {
    fault: 'events-challenge-unchecked',
    when: 'the echo of a challenge is not compared',
    sender: { checksEcho: false },
    at: ALL,
    fix: /Compare the echo/,
  },
  ...received('events-challenge-invalid'),
  ...received('events-delivery-invalid'),
  {
    fault: 'events-delivery-invalid',
    when: 'a delivery has no data',
    sender: {
      delivery: ({ body }) => ({ body: JSON.stringify({ ...JSON.parse(body), data: undefined }) }),
    },
    at: CHATGPT,
    fix: /HMAC/,
    says: /the data nothing/,
  },
  {
    fault: 'events-unsubscribe-failed',
    when: 'events/unsubscribe is an error',
    defect: onMethod('events/unsubscribe', (id, next) =>
      String(next?.body).includes('"result"') ? failed(-32_603, 'Database')(id) : next,
    ),
    at: CHATGPT,
    fix: /delivery\.mode/,
  },
  {
    fault: 'events-delivery-after-end',
    when: 'deliveries go on after events/unsubscribe',
    sender: { deliversAfterEnd: true },
    at: CHATGPT,
    fix: /retries that wait/,
  },
]
