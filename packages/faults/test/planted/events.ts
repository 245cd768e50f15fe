/** Faults of events, planted in an open server with events in all three modes. */
import {
  type Answer,
  type Defect,
  errorOf,
  json,
  onMethod,
  onResult,
  paramsOf,
  resultOf,
  rpcError,
  when,
} from './plant.ts'
import type { Rows, Way, Ways } from './row.ts'
import type { SenderDefects } from './sender.ts'

export const NOTE = {
  name: 'note.changed',
  description: 'A note has changed.',
  delivery: ['poll', 'push', 'webhook'],
  inputSchema: { type: 'object', properties: { topic: { type: 'string' } } },
  payloadSchema: { type: 'object', properties: { n: { type: 'integer' } } },
}

export const occurrence = (name: string) => ({
  eventId: `evt_${crypto.randomUUID()}`,
  name,
  timestamp: '2026-11-20T10:00:00Z',
  data: { n: 1 },
})

export const notification = (id: unknown, word: string, params: object) => ({
  jsonrpc: '2.0',
  method: `notifications/events/${word}`,
  params: { ...params, _meta: { 'io.modelcontextprotocol/subscriptionId': id } },
})

/** Messages on a stream that stays open, unless it has an end. */
export const streamAnswer = (messages: readonly object[], end?: string): Answer => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  stream: (response) => {
    for (const message of messages) response.write(`data: ${JSON.stringify(message)}\n\n`)
    if (end !== undefined) response.end(end)
  },
})

type Members = Record<string, unknown>

const capabilities =
  (change: (capabilities: Members) => unknown): Defect =>
  (request, next, origin) => {
    const methods = ['server/discover', 'initialize']
    const method = methods.find((one) => one === request.json.method) ?? ''
    const changed = onResult(method, (result) => ({
      ...result,
      capabilities: change(result.capabilities as Members),
    }))
    return changed(request, next, origin)
  }

const listed = (...types: readonly object[]) =>
  resultOf('events/list', { events: types.map((type) => ({ ...NOTE, ...type })) })

/** Where the request is right: the requests that must be refused are answered as before. */
const streamed = (answer: (id: unknown) => Answer): Defect =>
  onMethod('events/stream', (id, next) =>
    next?.headers?.['content-type'] === 'text/event-stream' ? answer(id) : next,
  )

/** Where the request is right. */
const failing = (method: string, message: string): Defect =>
  onMethod(method, (id, next) =>
    String(next?.body).includes('"result"') ? rpcError(id, -32603, message) : next,
  )

const ACTIVE = { cursor: 'c1', truncated: false }

const active = (id: unknown) => notification(id, 'active', ACTIVE)
const heartbeat = (id: unknown) => notification(id, 'heartbeat', { cursor: 'c1' })

const streamOf = (messages: (id: unknown) => readonly object[]): Defect =>
  streamed((id) => streamAnswer(messages(id)))

const endingWith = (end: (id: unknown) => object): Defect =>
  streamed((id) =>
    streamAnswer(
      [active(id), notification(id, 'event', { ...occurrence(NOTE.name), cursor: null })],
      `data: ${JSON.stringify(end(id))}\n\n`,
    ),
  )

/** Replaces an error of the extension, or InvalidParams, by a result. */
const serves = (
  method: string,
  matches: (params: Members) => boolean,
  result: object,
  says: RegExp,
): Way => ({
  plant: when(
    (request) => request.json.method === method && matches(paramsOf(request)),
    ({ json: { id } }) =>
      json({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } }),
  ),
  says,
})

const polls = (matches: (params: Members) => boolean, says: RegExp) =>
  serves(
    'events/poll',
    matches,
    { events: [], cursor: null, truncated: false, hasMore: false, nextPollMs: 1000 },
    says,
  )

const deliveryOf = (params: Members) => (params.delivery ?? {}) as { url?: string; secret?: string }

const subscribes = (
  matches: (delivery: { url?: string; secret?: string }) => boolean,
  says = /./,
) =>
  serves(
    'events/subscribe',
    (params) => matches(deliveryOf(params)),
    { id: 'sub_1', refreshBefore: '2099-01-01T00:00:00Z', cursor: null, truncated: false },
    says,
  )

/** One way for each member that a result lacks. */
const lacking = (method: string, names: readonly string[]): Ways =>
  Object.fromEntries(
    names.map((name) => [
      `the result of ${method} has no ${name}`,
      { plant: resultOf(method, { [name]: undefined }), says: new RegExp(`the ${name} nothing`) },
    ]),
  )

const occurring = (change: object): Way => ({
  plant: onResult('events/poll', ({ events, ...result }) => ({
    ...result,
    events: (events as object[]).map((event) => ({ ...event, ...change })),
  })),
  says: new RegExp(Object.keys(change)[0] ?? ''),
})

const signed = (member: 'challenge' | 'delivery'): Ways => {
  const ways: Record<string, readonly [SenderDefects['delivery'], RegExp]> = {
    'is signed with the text of the secret': [
      ({ key }) => ({
        key: new TextEncoder().encode(`whsec_${btoa(String.fromCharCode(...key))}`),
      }),
      /key is the text of the secret/,
    ],
    'has an old timestamp': [
      () => ({ timestamp: 1_700_000_000 }),
      /webhook-timestamp "1700000000"/,
    ],
    'has no id of the subscription': [
      () => ({ subscription: '' }),
      /X-MCP-Subscription-Id nothing/,
    ],
    'has the id of another subscription': [() => ({ subscription: 'sub_2' }), /sub_2/],
    'is text/plain': [() => ({ contentType: 'text/plain' }), /text\/plain/],
    'has another webhook-id': [() => ({ id: 'other' }), /webhook-id "other"/],
  }
  return Object.fromEntries(
    Object.entries(ways).map(([when, [change, says]]) => [
      `a ${member} ${when}`,
      { sender: { [member]: change }, says },
    ]),
  )
}

export const EVENTS: Rows = {
  'events-key-missing': {
    'the extension alone is declared': capabilities(({ events: _, ...rest }) => rest),
  },
  'events-extension-missing': {
    'the member events alone is declared': capabilities(({ extensions: _, ...rest }) => rest),
  },
  'events-capability-invalid': {
    'the capability is true': capabilities((rest) => ({ ...rest, events: true })),
    'server/discover declares events and initialize does not': {
      plant: resultOf('initialize', { capabilities: { tools: {} } }),
      says: /initialize have no events/,
    },
  },
  'events-list-failed': {
    'events/list is an error': errorOf('events/list', -32601, 'Method not found'),
  },
  'events-list-invalid': {
    'events is null': onResult('events/list', () => ({ events: null })),
    'the pages of events/list repeat': resultOf('events/list', { nextCursor: 'again' }),
    'two event types have one name': listed({}, {}),
  },
  'events-type-invalid': {
    'delivery is empty': listed({ delivery: [] }),
    'delivery has an unknown mode': {
      plant: listed({ delivery: ['poll', 'pigeon'] }),
      says: /pigeon/,
    },
    'an event type has no payloadSchema': listed({ payloadSchema: undefined }),
  },
  'events-description-missing': {
    'an event type has no description': listed({ description: undefined }),
  },
  'events-poll-failed': { 'events/poll is an error': failing('events/poll', 'Upstream') },
  'events-poll-invalid': {
    ...lacking('events/poll', ['events', 'cursor', 'truncated', 'hasMore', 'nextPollMs']),
    'an event of events/poll has a number as its id': occurring({ eventId: 7 }),
    'an event of events/poll has the name of another type': occurring({ name: 'other' }),
    'an event of events/poll has a timestamp without a zone': occurring({
      timestamp: '2026-11-20T10:00:00',
    }),
    'an event of events/poll has a text as its data': occurring({ data: 'text' }),
  },
  'events-poll-replays': {
    'a poll without a cursor returns events': resultOf('events/poll', {
      events: [occurrence(NOTE.name)],
    }),
  },
  'events-refusal-wrong': {
    'events/poll serves an unknown type': polls(
      ({ name }) => name === 'edgeway.doctor.unknown',
      /events\/poll of an unknown type/,
    ),
    'events/poll serves a request without a name': polls(
      ({ name }) => name === undefined,
      /without a name/,
    ),
    'events/poll serves arguments of the wrong type': polls(
      (params) => typeof (params.arguments as { topic?: unknown } | undefined)?.topic === 'object',
      /argument of the wrong type/,
    ),
    'events/poll serves a type without poll': polls(
      ({ name }) => name === 'note.pushed',
      /without the mode poll/,
    ),
    'events/unsubscribe of an unknown subscription has a result': serves(
      'events/unsubscribe',
      (params) => String(deliveryOf(params).url).endsWith('/never'),
      {},
      /unknown subscription/,
    ),
  },
  'events-stream-failed': {
    'events/stream is answered with JSON': streamed((id) =>
      json({ jsonrpc: '2.0', id, result: { resultType: 'complete' } }),
    ),
  },
  'events-stream-not-active': {
    'a heartbeat comes before active': streamOf((id) => [heartbeat(id), active(id)]),
    'events/stream sends nothing': { plant: streamOf(() => []), says: /No message came/ },
  },
  'events-stream-message-invalid': {
    'a message has the id of another subscription': streamOf((id) => [
      active(id),
      heartbeat('other'),
    ]),
    'a heartbeat has no cursor': streamOf((id) => [active(id), notification(id, 'heartbeat', {})]),
    'a message is a notification of progress': streamOf((id) => [
      active(id),
      { jsonrpc: '2.0', method: 'notifications/progress', params: {} },
      heartbeat(id),
    ]),
  },
  'events-stream-end-invalid': {
    'events/stream ends without a result': endingWith((id) =>
      notification(id, 'error', { error: {} }),
    ),
    'the last result of events/stream has no _meta': endingWith((id) => ({
      jsonrpc: '2.0',
      id,
      result: { resultType: 'complete' },
    })),
  },
  'events-stream-not-refused': {
    'an unknown type is refused on an event stream': onMethod('events/stream', (id, next) => {
      if (!String(next?.body).includes('-32023')) return next
      return streamAnswer([{ jsonrpc: '2.0', id, error: { code: -32023, message: 'NotFound' } }])
    }),
  },
  'events-subscribe-failed': {
    'every subscription is Forbidden': errorOf('events/subscribe', -32024, 'Forbidden'),
    'a subscription ends with an internal error': failing('events/subscribe', 'Database'),
  },
  'events-subscribe-invalid': lacking('events/subscribe', [
    'id',
    'refreshBefore',
    'cursor',
    'truncated',
  ]),
  'events-subscribe-unchecked': {
    'a subscription without a secret is accepted': subscribes(
      ({ secret }) => secret === undefined,
      /without a secret/,
    ),
    'a short secret is accepted': subscribes(({ secret }) => String(secret).length < 30, /8 bytes/),
    'an http URL is accepted': subscribes(
      ({ url }) => String(url).startsWith('http://edgeway-doctor.invalid'),
      /http URL/,
    ),
  },
  'events-callback-private': {
    'a callback to a private address is accepted': subscribes(({ url }) =>
      String(url).startsWith('https://10.'),
    ),
    'a callback on this computer is refused after a connection': {
      sender: { connects: true },
      says: /after a connection/,
    },
  },
  'events-challenge-unchecked': {
    'the echo of a challenge is not compared': { sender: { checksEcho: false } },
  },
  'events-challenge-invalid': signed('challenge'),
  'events-delivery-invalid': {
    ...signed('delivery'),
    'a delivery has no data': {
      sender: {
        delivery: ({ body }) => ({
          body: JSON.stringify({ ...JSON.parse(body), data: undefined }),
        }),
      },
      says: /the data nothing/,
    },
  },
  'events-unsubscribe-failed': {
    'events/unsubscribe is an error': failing('events/unsubscribe', 'Database'),
  },
  'events-delivery-after-end': {
    'deliveries go on after events/unsubscribe': { sender: { deliversAfterEnd: true } },
  },
}
