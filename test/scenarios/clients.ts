/** Every client in every revision that it speaks, and what it cannot do, with the reason. */
import type { Era, RevisionId } from '../../src/protocol/revisions.ts'
import { REVISIONS } from '../../src/protocol/revisions.ts'
import type { Connect } from './client.ts'
import { connectTesting, connectWithoutSession } from './testing-client.ts'
import { connectV1, connectV1OverSse } from './v1-client.ts'
import { connectModern, connectV2 } from './v2-client.ts'
import type { Wire } from './wire.ts'

/** What a scenario may need of a client. */
export type Ability =
  /** Answers requests of the server. */
  | 'answer'
  /** Answers a request of the server with an error. */
  | 'refuse'
  /** Cancels a call. */
  | 'cancel'
  /** Receives changes. */
  | 'changes'
  /** Sets the level of log messages while it is connected. */
  | 'log level'
  | 'ping'
  /** Has a session of its own. */
  | 'session'
  /** Knows its session id, continues the session on another connection, and ends it. */
  | 'session id'
  /** Reconnects, and receives the rest of a stream that was cut. */
  | 'resume'

export interface Row {
  readonly client: string
  readonly revision: RevisionId
  readonly era: Era
  readonly connect: Connect
  /** Whether no other row is alike: the SDKs speak the older session revisions as the newest one. */
  readonly isRepresentative: boolean
  readonly cannot: Readonly<Partial<Record<Ability, string>>>
}

interface Kind {
  readonly client: string
  readonly connect: Connect
  readonly revisions: readonly RevisionId[]
  readonly cannot: Row['cannot']
}

const SESSIONS: readonly RevisionId[] = ['2025-11-25', '2025-06-18', '2025-03-26']

const MODERN_HAS_NO = {
  ping: '2026-07-28 has no ping',
  session: '2026-07-28 has no sessions',
  'session id': '2026-07-28 has no sessions',
  resume: '2026-07-28 has no event ids',
}
const TESTING_DOES_NOT = {
  refuse: 'a call of edgeway/testing fails where the test has no answer',
  'session id': 'edgeway/testing shows no session id',
  resume: 'edgeway/testing does not reconnect',
}

/** Leaves out the session id of every request, as several hosted clients do. */
function withoutSessionId(wire: Wire): Wire {
  const send: typeof fetch = (input, init) => {
    const request = new Request(input, init)
    request.headers.delete('mcp-session-id')
    return wire.fetch(request)
  }
  return { ...wire, fetch: send }
}

const WITHOUT_SESSION = {
  answer: 'the server asks in a session',
  cancel: 'a cancellation names a request of its session',
  changes: 'the server publishes changes in a session',
  'log level': 'a level belongs to a session',
  session: 'no request names its session',
  'session id': 'no request names its session',
  resume: 'streams without a session have no event ids',
}

const KINDS: readonly Kind[] = [
  { client: 'SDK v1', connect: connectV1, revisions: SESSIONS, cannot: {} },
  {
    client: 'SDK v1 over HTTP+SSE',
    connect: connectV1OverSse,
    revisions: ['2024-11-05', '2025-11-25'],
    cannot: {
      'session id': 'the HTTP+SSE transport shows no session id',
      resume: 'the HTTP+SSE transport replaces the header Last-Event-ID of EventSource',
    },
  },
  { client: 'SDK v2', connect: connectV2, revisions: SESSIONS, cannot: {} },
  {
    client: 'SDK v2 without its session id',
    connect: (options, wire) => connectV2(options, withoutSessionId(wire)),
    revisions: ['2025-11-25'],
    cannot: WITHOUT_SESSION,
  },
  {
    client: 'SDK v2',
    connect: connectModern,
    revisions: ['2026-07-28'],
    cannot: { ...MODERN_HAS_NO, refuse: 'a round of 2026-07-28 has no errors' },
  },
  {
    client: 'edgeway/testing',
    connect: connectTesting,
    revisions: [...SESSIONS, '2024-11-05'],
    cannot: TESTING_DOES_NOT,
  },
  {
    client: 'edgeway/testing',
    connect: connectTesting,
    revisions: ['2026-07-28'],
    cannot: {
      ...TESTING_DOES_NOT,
      ...MODERN_HAS_NO,
      'log level': 'edgeway/testing names the level when it connects',
    },
  },
  {
    client: 'edgeway/testing without its session id',
    connect: connectWithoutSession,
    revisions: ['2025-11-25'],
    cannot: { ...TESTING_DOES_NOT, ...WITHOUT_SESSION },
  },
]

export const ROWS: readonly Row[] = KINDS.flatMap(({ revisions, ...kind }) =>
  revisions.map((revision) => {
    const isSse = kind.client.endsWith('HTTP+SSE')
    const { era } = REVISIONS.find(({ id }) => id === revision) as { readonly era: Era }
    const isOlder = kind.client.startsWith('SDK') && /^2025-0/.test(revision)
    return { ...kind, revision, era: isSse ? 'http-sse' : era, isRepresentative: !isOlder }
  }),
)
