/**
 * Decides the era and the route of a POST: a pure function of its messages, its version header and
 * its session id. Checks that need I/O (the session id's seal) or a fixed order (the ladder) belong
 * to the routes.
 */
import type { EndpointLeniency } from '../ports/telemetry.ts'
import type { Message } from '../protocol/json-rpc.ts'
import { claimedVersion } from '../protocol/meta.ts'
import {
  findRevision,
  NEWEST_SESSION,
  type Revision,
  UNDECLARED_SESSION,
} from '../protocol/revisions.ts'

type Items = readonly unknown[]
type Leniencies = readonly EndpointLeniency[]

export type Route =
  /** The ladder in `modern/serve.ts` checks the version. */
  | { readonly kind: 'modern'; readonly message: Message; readonly leniencies: Leniencies }
  /** The session id seals the revision. {@link sessionLeniency} compares the version header with it. */
  | { readonly kind: 'in-session'; readonly message: Message; readonly sessionId: string }
  | {
      readonly kind: 'without-session'
      readonly message: Message
      readonly revision: Revision
      readonly leniencies: Leniencies
    }
  | { readonly kind: 'batch-in-session'; readonly items: Items; readonly sessionId: string }
  /** `revision` is undefined when the version header names no known revision. */
  | {
      readonly kind: 'batch-without-session'
      readonly items: Items
      readonly revision: Revision | undefined
    }

/** The parts of an exchange that the decision reads. */
export interface RoutedExchange {
  readonly versionHeader: string | null
  readonly request: { readonly headers: Pick<Headers, 'get'> }
  /** `sessions` returns undefined when no session objects are bound. */
  readonly services: { readonly sessions: () => object | undefined }
}

const NONE: Leniencies = []
const NOTIFICATION: Leniencies = ['notification-in-modern-era']
const RESPONSE: Leniencies = ['unexpected-response']

/**
 * Returns the route of a parsed body: one message, or the items of a batch.
 *
 * 1. A version in `_meta` is modern, regardless of the headers: the ladder compares them with it.
 * 2. A session id is proof of a handshake, regardless of the version header. `initialize` opens a new
 *    session and ignores the id of an old one.
 * 3. A version header that names a modern revision is modern, except for `initialize`, which no
 *    modern revision has: some clients send it with the header of an earlier attempt.
 */
export function classify(body: Message | Items, exchange: RoutedExchange): Route {
  if (isBatch(body)) return classifyBatch(body, exchange)
  const message = body
  if (claimsVersion(message)) return modern(message)
  const initializes = isInitialize(message)
  const sessionId = initializes ? null : sessionIdOf(exchange)
  if (sessionId !== null) return { kind: 'in-session', message, sessionId }
  const { versionHeader } = exchange
  if (versionHeader === null) return withoutSession(message, UNDECLARED_SESSION)
  const named = findRevision(versionHeader)
  if (named?.era === 'modern') {
    return initializes
      ? withoutSession(message, NEWEST_SESSION, 'initialize-with-modern-header')
      : modern(message)
  }
  if (named !== undefined) return withoutSession(message, named)
  const repeated = versionHeader.split(',').flatMap((part) => declaredRevision(part.trim()) ?? [])
  return withoutSession(message, repeated[0] ?? NEWEST_SESSION, unknownVersion(versionHeader))
}

function classifyBatch(items: Items, exchange: RoutedExchange): Route {
  const sessionId = sessionIdOf(exchange)
  if (sessionId !== null) return { kind: 'batch-in-session', items, sessionId }
  const { versionHeader } = exchange
  const revision = versionHeader === null ? UNDECLARED_SESSION : findRevision(versionHeader)
  return { kind: 'batch-without-session', items, revision }
}

/**
 * Whether a message may be an item of a batch. A batch belongs to one revision of the session eras
 * that is already negotiated.
 */
export function isBatchable(message: Message): boolean {
  return !claimsVersion(message) && !isInitialize(message)
}

/** Returns the leniency for a version header that differs from the revision of the session. */
export function sessionLeniency(
  versionHeader: string | null,
  { id }: Revision,
): EndpointLeniency | undefined {
  // The oldest clients never send the header.
  if (versionHeader === null || versionHeader === id) return undefined
  return findRevision(versionHeader) === undefined
    ? unknownVersion(versionHeader)
    : 'protocol-version-header-mismatch'
}

/** Returns the session-era revision that a version header names, if it names one. */
export function declaredRevision(versionHeader: string | null): Revision | undefined {
  const named = versionHeader === null ? undefined : findRevision(versionHeader)
  return named?.era === 'modern' ? undefined : named
}

export function namesModern(versionHeader: string | null): boolean {
  return versionHeader !== null && findRevision(versionHeader)?.era === 'modern'
}

function isBatch(body: Message | Items): body is Items {
  return Array.isArray(body)
}

function claimsVersion(message: Message): boolean {
  return message.kind !== 'response' && claimedVersion(message.params) !== undefined
}

function isInitialize(message: Message): boolean {
  return message.kind === 'request' && message.method === 'initialize'
}

function sessionIdOf({ request, services }: RoutedExchange): string | null {
  const id = request.headers.get('mcp-session-id')
  return id === null || services.sessions() === undefined ? null : id
}

function modern(message: Message): Route {
  const leniencies = message.kind === 'notification' ? NOTIFICATION : NONE
  return { kind: 'modern', message, leniencies }
}

function withoutSession(message: Message, revision: Revision, leniency?: EndpointLeniency): Route {
  const expected = message.kind === 'response' ? RESPONSE : NONE
  const leniencies = leniency === undefined ? expected : [leniency, ...expected]
  return { kind: 'without-session', message, revision, leniencies }
}

/** The platform joins repeated headers with commas. */
function unknownVersion(versionHeader: string): EndpointLeniency {
  return versionHeader.includes(',')
    ? 'protocol-version-header-repeated'
    : 'protocol-version-header-unknown'
}
