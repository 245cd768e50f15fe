/** Steps of the session era: the notification after the handshake, headers, ended sessions, restarts. */
import { WITH_LAST_SESSION_ID } from '../../../../faults/src/clients.ts'
import { parseJson } from '../../../../text/src/json/json-text.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import type { Client } from '../clients.ts'
import { answered, type Detected, describe, detected, type Step } from '../detected.ts'
import { isCutOff, type RpcReply, serverRequestsIn } from '../mcp/rpc.ts'
import type { Observations } from '../observations.ts'
import { statusOf } from '../probes/reach.ts'
import type { OpenSessionObservation } from '../probes/session.ts'
import { isModern, refusesVersion, sessionOf } from './era.ts'

const NOTIFICATION = 'notifications/initialized'

export const initialized: Step = {
  title: 'completes the handshake',
  check: (observed, client) => {
    const open = sessionOf(observed, client)
    if (open === undefined) return []
    const changed = changedIdFaults(open, client)
    if (changed.some(({ code }) => code === 'session-id-replaced')) return changed
    const { initialized: reply } = open
    const refused = (code: Detected['code']) => [answered(code, NOTIFICATION, reply)]
    if (!reply.ok && !isCutOff(reply)) {
      return [detected('no-answer', `${NOTIFICATION} has no response: ${describe(reply)}`)]
    }
    if (!reply.ok || reply.status >= 300) {
      if (refusesVersion(open)) return refused('version-header-refused')
      return refused(isLost(open) ? 'session-not-found-at-once' : 'notification-refused')
    }
    const isEmpty = reply.status === 202 && reply.text === ''
    return [
      ...changed,
      ...(isEmpty ? [] : refused('notification-not-202')),
      ...unsolicitedRequests(observed, open),
    ]
  },
}

/** A client sends the id of `initialize` or the last one. Either may be refused. */
function changedIdFaults(open: OpenSessionObservation, client: Client): Detected[] {
  const { changedId, handshake, initialized: reply, definitions } = open
  if (changedId === undefined) return []
  const message = `initialize has the Mcp-Session-Id ${beginning(handshake.sessionId)}, and a later response has ${beginning(changedId.id)}`
  const first = definitions.lists[0]?.pages[0]
  const list = first === undefined ? undefined : statusOf(first)
  const isFirstRefused = isUnknown(list) || (reply.ok && isUnknown(reply.status))
  if (isFirstRefused) {
    return [detected('session-id-replaced', `${message}. The id of initialize is refused`)]
  }
  if (!WITH_LAST_SESSION_ID.includes(client.name)) return []
  return isUnknown(statusOf(changedId.reply))
    ? [detected('session-id-replaced', `${message}, which is refused`)]
    : [detected('session-id-changed', message)]
}

/** A whole session id does not belong into a report. */
const beginning = (id: string | undefined) =>
  id === undefined ? 'nothing' : quoted(id.slice(0, 8))

/** How a server refuses a session id. */
const isUnknown = (status: number | undefined) => status === 400 || status === 404

/** Whether the server finds the session neither for the notification nor for the first list. */
function isLost({ handshake, initialized: reply, definitions }: OpenSessionObservation): boolean {
  if (handshake.sessionId === undefined || !reply.ok || !isUnknown(reply.status)) return false
  const list = definitions.lists[0]?.pages[0]
  return list !== undefined && statusOf(list) === reply.status
}

/** The client declares no capability, so no request but `ping` is for it. */
function unsolicitedRequests({ session }: Observations, open: OpenSessionObservation): Detected[] {
  const [first] = session?.initialize.values() ?? []
  const streams = [first?.kind === 'result' ? first.http.text : '', open.stream.stream?.text ?? '']
  const methods = streams.flatMap(serverRequestsIn)
  if (methods.length === 0) return []
  return [detected('unsolicited-request', `After initialize, the server sends ${quoted(methods)}`)]
}

export const requests: Step = {
  title: 'sends requests with its headers',
  check: (observed, client) => {
    const open = sessionOf(observed, client)
    if (open === undefined) return []
    const { withoutVersionHeader, unknownMethod, sessionId } = open
    if (unknownMethod.kind === 'failed' && isCutOff(unknownMethod.reply)) {
      return [answered('connection-failed', 'A request of an unknown method', unknownMethod)]
    }
    // A server without tools may refuse their list with all headers too.
    if (open.definitions.lists[0]?.pages[0]?.kind !== 'result') return []
    const texts = [unknownMethod, sessionId?.afterEnd].filter(isTextError).slice(0, 1)
    return [
      ...refused(
        'version-header-required',
        'A request without MCP-Protocol-Version',
        withoutVersionHeader,
      ),
      ...texts.map((reply) => answered('error-not-json', 'A request that is refused', reply)),
      ...(sessionId === undefined ? [] : sessionIdFaults(sessionId)),
    ]
  },
}

function sessionIdFaults({
  ended,
  withoutSessionId,
  afterEnd,
}: NonNullable<OpenSessionObservation['sessionId']>): Detected[] {
  const isBroken = !ended.ok || ended.status >= 500
  return [
    ...(isBroken ? [answered('session-end-fails', 'DELETE', ended)] : []),
    ...refused('session-required', 'A request without Mcp-Session-Id', withoutSessionId),
    ...(statusOf(afterEnd) === 404
      ? []
      : refused('session-lost-not-404', 'A request of an unknown session', afterEnd)),
  ]
}

/** A JSON-RPC error, an HTTP error or no answer is a refusal. */
const refused = (code: Detected['code'], request: string, reply: RpcReply) =>
  reply.kind === 'result' ? [] : [answered(code, request, reply)]

export const restart: Step = {
  title: 'continues after a restart',
  check: (observed, client) => {
    const seen = observed.restart
    if (seen === undefined) return []
    if (statusOf(seen.initialize) === 401 && observed.token !== undefined) {
      const sent = 'After the restart, initialize'
      return [answered('authorization-lost-at-restart', sent, seen.initialize)]
    }
    const { session } = seen
    if (session === undefined || isModern(observed, client)) return []
    const code = statusOf(session) === 404 ? 'session-lost-at-restart' : 'session-lost-not-404'
    return refused(code, 'After the restart, a request of the session', session)
  },
}

/** An error with a body that is not JSON. */
function isTextError(reply: RpcReply | undefined): reply is RpcReply & { kind: 'http' } {
  if (reply?.kind !== 'http' || reply.http.text.trim() === '') return false
  return parseJson(reply.http.text) === undefined
}
