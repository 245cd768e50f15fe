/** The table of planted faults: each way to plant each fault that a running server can have, and what must name it. */
import type { FaultCode } from '../../src/faults.ts'
import { DEFINITIONS } from './definitions.ts'
import { DISCOVERY } from './discovery.ts'
import { EVENTS } from './events.ts'
import { MESSAGES } from './messages.ts'
import { REACHING } from './reaching.ts'
import type { Rows, Way, Ways } from './row.ts'
import { OTHERWISE, SEEN, type Seen } from './seen.ts'
import { SIGN_IN } from './sign-in.ts'

export interface Planted extends Way, Seen {
  readonly fault: FaultCode
  /** Completes "is named when". */
  readonly when: string
  readonly directories: readonly string[]
}

/** Each way of each row. */
const planted = (rows: Rows): readonly Planted[] =>
  Object.entries(rows).flatMap(([code, ways]) =>
    Object.entries(ways as Ways).map(([when, way]) => {
      const fault = code as FaultCode
      const directories = OTHERWISE[when] ?? SEEN[fault]?.directories ?? []
      const given = typeof way === 'function' ? { plant: way } : way
      return { fault, when, ...SEEN[fault], ...given, directories }
    }),
  )

export const OPEN = [REACHING, MESSAGES, DEFINITIONS].flatMap(planted)

export const PROTECTED = [DISCOVERY, SIGN_IN].flatMap(planted)

export const WITH_EVENTS = planted(EVENTS)

/** Faults that no answer of the clean server can have, and where they are tested. */
export const ELSEWHERE: Readonly<Partial<Record<FaultCode, string>>> = {
  'host-not-found': 'steps.test.ts: no server is at the name',
  'connection-failed': 'failing-servers.test.ts: the process ends',
  'tls-invalid': 'steps.test.ts: the port serves no TLS',
  'response-malformed': 'hostile-servers.test.ts: the answer is no HTTP',
  'not-https': 'steps.test.ts: the URL is of a public host',
  'port-not-443': 'steps.test.ts: the URL is of a public host',
  'url-trailing-slash': 'steps.test.ts: the pasted URL has the slash',
  'metadata-names-internal-host': 'steps.test.ts, and the timeline: the URL is of a public host',
  'endpoint-not-https': 'steps.test.ts: the URL is of a public host',
  'answers-slow': 'failing-servers.test.ts: every answer takes long',
  'legacy-sse-fails': 'failing-servers.test.ts: with legacy-sse-only, which it follows from',
  'stream-no-keep-alive': 'steps.test.ts: it takes 25 seconds',
  'session-lost-at-restart': 'clean-servers.test.ts: the server is started again',
  'authorization-lost-at-restart': 'steps.test.ts: the server is started again',
  'events-callback-unverified': 'events.test.ts: the callback is given',
  'events-stream-silent': 'events.test.ts: it takes 31 seconds',
}
