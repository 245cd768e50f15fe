/** The first contact: what the reachability check of Claude sends, and what a redirect does to it. */
import { DOCTOR } from '../../../../client/src/names.ts'
import { isBotChallenge } from '../http/bot-challenge.ts'
import { type Endpoint, sendInitialize } from '../mcp/endpoint.ts'
import { type RpcReply, STANDARD_ACCEPT } from '../mcp/rpc.ts'
import { type LegacySse, probeLegacySse } from './legacy-sse.ts'
import { endSession, handshakeOf } from './session.ts'

export interface Redirect {
  readonly status: number
  readonly location: string
  /** Undefined for a location that is not a URL. */
  readonly target: URL | undefined
  /** Whether a client repeats the request there with its method, body and Authorization header. */
  readonly keepsRequest: boolean
}

export interface ReachObservation {
  /** The endpoint after redirects that keep the request. */
  readonly endpoint: Endpoint
  readonly redirects: readonly Redirect[]
  /** `Accept: *\/*` and a User-Agent with "Ruby". */
  readonly asClaude: RpcReply
  /** `Accept: *\/*` with the User-Agent of the doctor, where the first one was refused. */
  readonly anyAccept: RpcReply
  /** Both media types, where the others were refused. */
  readonly bothAccept: RpcReply
  /** Only where GET opens a stream of the HTTP+SSE transport. */
  readonly legacySse?: LegacySse | undefined
}

const MAX_REDIRECTS = 3
/** The version in its `initialize`. */
export const REACH_REVISION = '2025-11-25'

export async function probeReach(pasted: Endpoint): Promise<ReachObservation> {
  const redirects: Redirect[] = []
  let endpoint = pasted
  const asClaude = () =>
    sendInitialize(
      endpoint,
      REACH_REVISION,
      { accept: '*/*', 'user-agent': 'Ruby', [DOCTOR]: '1' },
      'Anthropic',
    )
  let first = await asClaude()
  for (;;) {
    const redirect = redirectOf(first, endpoint.url)
    if (redirect === undefined) break
    redirects.push(redirect)
    if (!redirect.keepsRequest || redirect.target === undefined) break
    if (redirects.length > MAX_REDIRECTS) break
    endpoint = { ...endpoint, url: redirect.target }
    first = await asClaude()
  }
  // A server that was asleep, or a connection that broke, has another chance.
  if (first.kind === 'failed') first = await asClaude()
  const anyAccept = mayDependOnHeaders(first)
    ? await sendInitialize(endpoint, REACH_REVISION, { accept: '*/*' })
    : first
  const bothAccept = mayDependOnHeaders(anyAccept)
    ? await sendInitialize(endpoint, REACH_REVISION, { accept: STANDARD_ACCEPT })
    : anyAccept
  for (const reply of new Set([first, anyAccept, bothAccept])) {
    const opened = handshakeOf(reply)
    if (opened !== undefined) await endSession(endpoint, opened)
  }
  return {
    endpoint,
    redirects,
    asClaude: first,
    anyAccept,
    bothAccept,
    legacySse: mayBeLegacySse(bothAccept) ? await probeLegacySse(endpoint) : undefined,
  }
}

/** A result, or the 401 that begins authorization. */
export function isServed(reply: RpcReply): boolean {
  if (reply.kind === 'failed') return false
  return reply.kind === 'result' || (isUnauthorized(reply) && !isBotChallenge(reply.http))
}

/** A refusal, or a connection that a firewall closes. */
function mayDependOnHeaders(reply: RpcReply): boolean {
  if (reply.kind === 'failed') return reply.reply.failure.kind === 'connection-failed'
  return (reply.kind === 'http' || reply.kind === 'error') && !isServed(reply)
}

export function statusOf(reply: RpcReply): number | undefined {
  return reply.kind === 'failed' ? undefined : reply.http.status
}

export const isUnauthorized = (reply: RpcReply): boolean => statusOf(reply) === 401

function redirectOf(reply: RpcReply, from: URL): Redirect | undefined {
  if (reply.kind !== 'http') return undefined
  const { status, headers } = reply.http
  const { location } = headers
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined
  const target = URL.canParse(location, from.href) ? new URL(location, from) : undefined
  const isSameOrigin = target?.origin === from.origin
  return { status, location, target, keepsRequest: status >= 307 && isSameOrigin }
}

/** How a server of the HTTP+SSE transport answers POST at the URL of the stream. */
export function mayBeLegacySse(reply: RpcReply): boolean {
  return [400, 404, 405].includes(statusOf(reply) ?? 0)
}
