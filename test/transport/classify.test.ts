import { describe, expect, it } from 'vitest'
import { type Message, parseMessage } from '../../src/protocol/json-rpc.ts'
import { findRevision } from '../../src/protocol/revisions.ts'
import {
  classify,
  declaredRevision,
  isBatchable,
  type Route,
  sessionLeniency,
} from '../../src/transport/classify.ts'

const CLAIMS = { none: undefined, modern: '2026-07-28', older: '2025-06-18', number: 7 } as const
const HEADERS = {
  none: null,
  modern: '2026-07-28',
  '2025-11-25': '2025-11-25',
  '2025-06-18': '2025-06-18',
  '2025-03-26': '2025-03-26',
  '2024-11-05': '2024-11-05',
  unknown: '2031-01-01',
  empty: '',
  repeated: '2025-06-18, 2025-06-18',
  'repeated with modern': '2026-07-28, 2025-06-18',
  'repeated modern': '2026-07-28, 2026-07-28',
  'repeated unknown': 'a, b',
} as const
const SESSIONS = {
  'no id': { id: null, isBound: true },
  id: { id: 'sealed', isBound: true },
  'no id, unbound': { id: null, isBound: false },
  'id, unbound': { id: 'sealed', isBound: false },
} as const

type Claim = keyof typeof CLAIMS
type Header = keyof typeof HEADERS
type Session = keyof typeof SESSIONS
type Kind = 'request' | 'initialize' | 'notification' | 'response' | 'batch'

function parse(value: object): Message {
  const message = parseMessage({ jsonrpc: '2.0', ...value })
  if (message.kind === 'invalid') throw new TypeError(message.reason)
  return message
}

function bodyOf(kind: Kind, claim: Claim): Message | readonly unknown[] {
  const version = CLAIMS[claim]
  const params =
    version === undefined ? {} : { _meta: { 'io.modelcontextprotocol/protocolVersion': version } }
  switch (kind) {
    case 'request':
      return parse({ id: 1, method: 'tools/list', params })
    case 'initialize':
      return parse({ id: 1, method: 'initialize', params })
    case 'notification':
      return parse({ method: 'notifications/initialized', params })
    case 'response':
      return parse({ id: 1, result: params })
    case 'batch':
      return [{ jsonrpc: '2.0', id: 1, method: 'tools/list', params }]
  }
}

/** The route as text: its kind, its revision or session id, and its leniencies. */
function describeRoute(route: Route): string {
  switch (route.kind) {
    case 'modern':
      return ['modern', ...route.leniencies].join(' ')
    case 'without-session':
      return ['without-session', route.revision.id, ...route.leniencies].join(' ')
    case 'batch-without-session':
      return `batch-without-session ${route.revision?.id}`
    case 'in-session':
    case 'batch-in-session':
      return `${route.kind} ${route.sessionId}`
  }
}

const routeOf = (kind: Kind, claim: Claim, header: Header, session: Session) => {
  const { id, isBound } = SESSIONS[session]
  return describeRoute(
    classify(bodyOf(kind, claim), {
      versionHeader: HEADERS[header],
      request: { headers: new Headers(id === null ? {} : { 'mcp-session-id': id }) },
      services: { sessions: () => (isBound ? {} : undefined) },
    }),
  )
}

const ANY_CLAIM = Object.keys(CLAIMS) as readonly Claim[]
const CLAIMED: readonly Claim[] = ['modern', 'older', 'number']
const ANY_HEADER = Object.keys(HEADERS) as readonly Header[]
const ANY_SESSION = Object.keys(SESSIONS) as readonly Session[]
const WITHOUT_SESSION: readonly Session[] = ['no id', 'no id, unbound', 'id, unbound']

/** The revision and the leniency of a message without a session, by version header. */
const BY_HEADER: readonly (readonly [readonly Header[], string])[] = [
  [['none'], '2025-03-26'],
  [['2025-11-25'], '2025-11-25'],
  [['2025-06-18'], '2025-06-18'],
  [['2025-03-26'], '2025-03-26'],
  [['2024-11-05'], '2024-11-05'],
  [['unknown', 'empty'], '2025-11-25 protocol-version-header-unknown'],
  [['repeated', 'repeated with modern'], '2025-06-18 protocol-version-header-repeated'],
  [['repeated modern', 'repeated unknown'], '2025-11-25 protocol-version-header-repeated'],
]

type Row = readonly [
  kind: Kind,
  claims: readonly Claim[],
  headers: readonly Header[],
  sessions: readonly Session[],
  route: string,
]

const TABLE: readonly Row[] = [
  // A claim in `_meta` is modern, regardless of the headers and of the method.
  ['request', CLAIMED, ANY_HEADER, ANY_SESSION, 'modern'],
  ['initialize', CLAIMED, ANY_HEADER, ANY_SESSION, 'modern'],
  ['notification', CLAIMED, ANY_HEADER, ANY_SESSION, 'modern notification-in-modern-era'],

  // A session id selects the session, regardless of the version header; `initialize` ignores it.
  ['request', ['none'], ANY_HEADER, ['id'], 'in-session sealed'],
  ['notification', ['none'], ANY_HEADER, ['id'], 'in-session sealed'],
  ['response', ANY_CLAIM, ANY_HEADER, ['id'], 'in-session sealed'],

  // A modern version header without a claim is modern, except for `initialize`.
  ['request', ['none'], ['modern'], WITHOUT_SESSION, 'modern'],
  ['notification', ['none'], ['modern'], WITHOUT_SESSION, 'modern notification-in-modern-era'],
  ['response', ANY_CLAIM, ['modern'], WITHOUT_SESSION, 'modern'],
  [
    'initialize',
    ['none'],
    ['modern'],
    ANY_SESSION,
    'without-session 2025-11-25 initialize-with-modern-header',
  ],

  ...BY_HEADER.flatMap(([headers, revision]): Row[] => {
    const route = `without-session ${revision}`
    return [
      ['request', ['none'], headers, WITHOUT_SESSION, route],
      ['notification', ['none'], headers, WITHOUT_SESSION, route],
      ['initialize', ['none'], headers, ANY_SESSION, route],
      ['response', ANY_CLAIM, headers, WITHOUT_SESSION, `${route} unexpected-response`],
    ]
  }),

  // A batch has the revision of its session or of the version header. Its items are not read.
  ['batch', ANY_CLAIM, ANY_HEADER, ['id'], 'batch-in-session sealed'],
  ['batch', ANY_CLAIM, ['none'], WITHOUT_SESSION, 'batch-without-session 2025-03-26'],
  ['batch', ANY_CLAIM, ['modern'], WITHOUT_SESSION, 'batch-without-session 2026-07-28'],
  ['batch', ANY_CLAIM, ['2025-11-25'], WITHOUT_SESSION, 'batch-without-session 2025-11-25'],
  ['batch', ANY_CLAIM, ['2025-06-18'], WITHOUT_SESSION, 'batch-without-session 2025-06-18'],
  ['batch', ANY_CLAIM, ['2025-03-26'], WITHOUT_SESSION, 'batch-without-session 2025-03-26'],
  ['batch', ANY_CLAIM, ['2024-11-05'], WITHOUT_SESSION, 'batch-without-session 2024-11-05'],
  [
    'batch',
    ANY_CLAIM,
    ['unknown', 'empty', 'repeated', 'repeated with modern', 'repeated modern', 'repeated unknown'],
    WITHOUT_SESSION,
    'batch-without-session undefined',
  ],
]

describe('classify', () => {
  it.each(TABLE)('routes %s with claim %j, version header %j and session %j to %s', (...row) => {
    const [kind, claims, headers, sessions, route] = row
    for (const claim of claims) {
      for (const header of headers) {
        for (const session of sessions) {
          const decided = routeOf(kind, claim, header, session)
          expect([claim, header, session, decided]).toEqual([claim, header, session, route])
        }
      }
    }
  })

  it('has exactly one row in this table for every combination of its inputs', () => {
    const rowsOf = new Map<string, number>()
    for (const [kind, claims, headers, sessions] of TABLE) {
      for (const claim of claims) {
        for (const header of headers) {
          for (const session of sessions) {
            const key = [kind, claim, header, session].join(' | ')
            rowsOf.set(key, (rowsOf.get(key) ?? 0) + 1)
          }
        }
      }
    }
    expect([...rowsOf].filter(([, rows]) => rows > 1)).toEqual([])
    expect(rowsOf.size).toBe(5 * ANY_CLAIM.length * ANY_HEADER.length * ANY_SESSION.length)
  })
})

describe('sessionLeniency', () => {
  it.each([
    [null, undefined],
    ['2025-06-18', undefined],
    ['2025-11-25', 'protocol-version-header-mismatch'],
    ['2024-11-05', 'protocol-version-header-mismatch'],
    ['2026-07-28', 'protocol-version-header-mismatch'],
    ['2031-01-01', 'protocol-version-header-unknown'],
    ['', 'protocol-version-header-unknown'],
    ['2025-06-18, 2025-06-18', 'protocol-version-header-repeated'],
  ])('compares the version header %j with a 2025-06-18 session: %s', (header, leniency) => {
    const revision = findRevision('2025-06-18')
    expect(revision && sessionLeniency(header, revision)).toBe(leniency)
  })
})

describe('declaredRevision', () => {
  it.each([
    [null, undefined],
    ['2026-07-28', undefined],
    ['2025-11-25', '2025-11-25'],
    ['2024-11-05', '2024-11-05'],
    ['2031-01-01', undefined],
    ['2025-06-18, 2025-06-18', undefined],
  ])('reads the version header %j as %s', (header, revision) => {
    expect(declaredRevision(header)?.id).toBe(revision)
  })
})

describe('isBatchable', () => {
  const message = (kind: Exclude<Kind, 'batch'>, claim: Claim = 'none') => {
    const body = bodyOf(kind, claim)
    if (Array.isArray(body)) throw new TypeError('This is a batch')
    return body as Message
  }

  it.each([
    ['a request', message('request')],
    ['a notification', message('notification')],
    ['a response', message('response')],
  ])('accepts %s', (_, item) => {
    expect(isBatchable(item)).toBe(true)
  })

  it.each([
    ['initialize', message('initialize')],
    ['a modern request', message('request', 'modern')],
    ['a modern notification', message('notification', 'modern')],
    ['a request with a malformed version in _meta', message('request', 'number')],
  ])('refuses %s', (_, item) => {
    expect(isBatchable(item)).toBe(false)
  })
})
