/** The session era: `initialize` in every revision, then what a client does after it. */
import { randomUUID } from 'node:crypto'
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import type { Members } from '../../../../text/src/json/members.ts'
import { FUTURE_REVISION, HANDSHAKE_REVISIONS } from '../clients.ts'
import type { HttpReply } from '../http/http-client.ts'
import {
  type Endpoint,
  type Handshake,
  sendInitialize,
  sendInSession,
  sendNotification,
  sessionHeaders,
} from '../mcp/endpoint.ts'
import { type RpcReply, type Send, sendRpc } from '../mcp/rpc.ts'
import { type DefinitionsObservation, probeDefinitions } from './lists.ts'
import { probeStream, type StreamObservation } from './stream.ts'

export interface SessionObservation {
  /** The answers to `initialize`, by the version that was sent. */
  readonly initialize: ReadonlyMap<string, RpcReply>
  readonly future: RpcReply
  /** Undefined when no `initialize` had a result. */
  readonly open?: OpenSessionObservation
}

export interface OpenSessionObservation {
  readonly handshake: Handshake
  readonly initialized: HttpReply
  readonly definitions: DefinitionsObservation
  readonly withoutVersionHeader: RpcReply
  readonly unknownMethod: RpcReply
  readonly stream: StreamObservation
  /** Only where a response after `initialize` has another session id: a request with this id. */
  readonly changedId?: { readonly id: string; readonly reply: RpcReply } | undefined
  /** Only for a server that issues session ids. */
  readonly sessionId?: {
    readonly withoutSessionId: RpcReply
    /** A request of a session that has been deleted, or of one that never existed. */
    readonly afterEnd: RpcReply
    /** The response to DELETE. */
    readonly ended: HttpReply
  }
}

export async function probeSession(
  endpoint: Endpoint,
  streamWaitMs: number,
): Promise<SessionObservation> {
  const initialize = new Map<string, RpcReply>()
  let handshake: Handshake | undefined
  for (const revision of HANDSHAKE_REVISIONS) {
    const reply = await sendInitialize(endpoint, revision)
    initialize.set(revision, reply)
    const negotiated = handshakeOf(reply)
    if (handshake === undefined) handshake = negotiated
    else if (negotiated !== undefined) await endSession(endpoint, negotiated)
  }
  const future = await sendInitialize(endpoint, FUTURE_REVISION)
  const spare = handshakeOf(future)
  if (spare !== undefined) await endSession(endpoint, spare)
  if (handshake === undefined) return { initialize, future }
  const open = await probeOpenSession(endpoint, handshake, initialize, streamWaitMs)
  return { initialize, future, open }
}

async function probeOpenSession(
  endpoint: Endpoint,
  handshake: Handshake,
  initialize: SessionObservation['initialize'],
  streamWaitMs: number,
): Promise<OpenSessionObservation> {
  const send: Send = (method, params) => sendInSession(endpoint, handshake, method, params)
  const initialized = await sendNotification(endpoint, handshake, 'notifications/initialized')
  const stream = probeStream(endpoint, handshake, streamWaitMs)
  // It is awaited below, unless a request before ends the examination.
  stream.catch(() => undefined)
  const definitions = await probeDefinitions(send, negotiatedCapabilities(initialize) ?? {})
  const changedId = await probeChangedId(endpoint, handshake, initialized, definitions)
  const withoutVersionHeader = await pingWith(endpoint, { ...handshake }, ['mcp-protocol-version'])
  const unknownMethod = await send('edgeway/doctor-unknown-method')
  const observed = {
    handshake,
    initialized,
    definitions,
    withoutVersionHeader,
    unknownMethod,
    stream: await stream,
    changedId,
  }
  if (handshake.sessionId === undefined) return observed
  const withoutSessionId = await pingWith(endpoint, handshake, ['mcp-session-id'])
  const ended = await deleteSession(endpoint, handshake)
  const isEnded = ended.ok && ended.status < 300
  const lost = isEnded ? handshake : { ...handshake, sessionId: randomUUID() }
  const afterEnd = await sendInSession(endpoint, lost, 'tools/list')
  return { ...observed, sessionId: { withoutSessionId, afterEnd, ended } }
}

/** Sends `tools/list` with the session id of a later response, where it is another one. */
async function probeChangedId(
  endpoint: Endpoint,
  handshake: Handshake,
  initialized: HttpReply,
  { lists }: DefinitionsObservation,
) {
  const pages = lists.flatMap((list) => list.pages)
  const later = pages.flatMap((page) => (page.kind === 'result' ? page.http : []))
  const responses = [...(initialized.ok && initialized.status < 300 ? [initialized] : []), ...later]
  const id = responses
    .map(({ headers }) => headers['mcp-session-id'])
    .find((value) => value && value !== handshake.sessionId)
  if (id === undefined) return undefined
  const reply = await sendInSession(endpoint, { ...handshake, sessionId: id }, 'tools/list')
  return { id, reply }
}

/** `tools/list` without some of the headers of the session. */
function pingWith(endpoint: Endpoint, handshake: Handshake, without: readonly string[]) {
  const headers = Object.entries({ ...endpoint.headers, ...sessionHeaders(handshake) }).filter(
    ([name]) => !without.includes(name),
  )
  return sendRpc(
    endpoint.http,
    endpoint.url,
    { id: 2, method: 'tools/list', params: {} },
    Object.fromEntries(headers),
  )
}

/** What a result of `initialize` negotiated; undefined for any other answer. */
export function handshakeOf(reply: RpcReply | undefined): Handshake | undefined {
  if (reply?.kind !== 'result' || !isJsonObject(reply.result)) return undefined
  const { protocolVersion } = reply.result
  if (typeof protocolVersion !== 'string' || !/^[\w.-]{1,40}$/.test(protocolVersion)) {
    return undefined
  }
  // Clients take an empty header for none.
  const sessionId = reply.http.headers['mcp-session-id'] || undefined
  return { revision: protocolVersion, sessionId }
}

/** Those of the first handshake that was answered; undefined where they are no object. */
export function negotiatedCapabilities(
  initialize: SessionObservation['initialize'],
): Members | undefined {
  const first = [...initialize.values()].find((reply) => handshakeOf(reply) !== undefined)
  const { capabilities } =
    first?.kind === 'result' && isJsonObject(first.result) ? first.result : {}
  return isJsonObject(capabilities) ? capabilities : undefined
}

export async function endSession(endpoint: Endpoint, handshake: Handshake): Promise<void> {
  if (handshake.sessionId !== undefined) await deleteSession(endpoint, handshake)
}

function deleteSession({ http, url, headers }: Endpoint, handshake: Handshake) {
  const all = { ...headers, ...sessionHeaders(handshake) }
  return http.send({ method: 'DELETE', url, headers: all })
}
