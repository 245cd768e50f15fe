/** Step: the client and the server agree on a revision. */
import { DiscoverResultSchema } from '@modelcontextprotocol/core'
import { InitializeResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import { type Client, HANDSHAKE_REVISIONS } from '../clients.ts'
import {
  answered,
  type Detected,
  detected,
  envelopeFaults,
  memberFaults,
  type Step,
  transportFault,
} from '../detected.ts'
import type { RpcReply } from '../mcp/rpc.ts'
import type { Observations } from '../observations.ts'
import { modernCapabilities } from '../probes/modern.ts'
import { REACH_REVISION, statusOf } from '../probes/reach.ts'
import { firstIssue } from '../schema.ts'
import { authorizationFault } from './credentials.ts'
import { isModern } from './era.ts'
import { legacyFaults, refusal } from './reach.ts'

export const handshake: Step = {
  title: 'agrees on a revision',
  check: (observed, client) => {
    const { modern, session } = observed
    if (modern === undefined || session === undefined) return []
    const legacy = legacyFaults(observed.legacySse, session.future)
    if (legacy.length > 0) return legacy
    const down = downFault(observed)
    if (down !== undefined) return [down]
    const faults = client.startsModern ? discoverFaults(modern.discover, observed) : []
    if (faults.length > 0) return faults
    if (isModern(observed, client)) return envelopeFaults(modern.discover, 'server/discover')
    const reply = session.initialize.get(client.revision)
    if (reply === undefined) return []
    return [...envelopeFaults(reply, 'initialize'), ...initializeFaults(reply, client, observed)]
  },
}

/** A server that was reached, and that fails at every request with a token. */
function downFault({ modern, session, token }: Observations): Detected | undefined {
  if (token === undefined || modern === undefined || session === undefined) return undefined
  // What the refusal of a token means is said by other faults.
  if ([401, 403, 431].includes(statusOf(session.future) ?? 0)) return undefined
  const fault = refusal(session.future)
  if (fault === undefined || fault.code === 'unauthenticated-not-401') return undefined
  const others = [modern.discover, ...session.initialize.values()]
  return others.every((reply) => refusal(reply)?.code === fault.code) ? fault : undefined
}

function discoverFaults(discover: RpcReply, observed: Observations): Detected[] {
  const refused = authorizationFault(discover, 'server/discover', observed)
  if (refused !== undefined) return [refused]
  const say = (code: Detected['code']) => [answered(code, 'server/discover', discover)]
  if (discover.kind === 'malformed' && discover.why === 'response-id-changed') {
    return say('response-id-changed')
  }
  if (discover.kind === 'failed' || discover.kind === 'malformed') return say('discover-fails')
  if ((statusOf(discover) ?? 0) >= 500) return say('discover-fails')
  if (discover.kind === 'error' && discover.http.status < 300) {
    // With this status, clients read it as a response, and not as a refusal.
    return discover.isWellFormed ? memberFaults(discover, 'server/discover') : say('discover-fails')
  }
  if (discover.kind !== 'result') return []
  if (!isJsonObject(discover.result) || !Array.isArray(discover.result.supportedVersions)) {
    return say('discover-result-invalid')
  }
  if (modernCapabilities(discover) === undefined) return []
  const invalid = firstIssue(DiscoverResultSchema, discover.result)
  return invalid === undefined
    ? []
    : [detected('discover-result-invalid', `The result of server/discover: ${invalid}`)]
}

function initializeFaults(reply: RpcReply, client: Client, observed: Observations): Detected[] {
  const sent = `initialize with ${client.revision}`
  const refused = authorizationFault(reply, sent, observed) ?? transportFault(reply, sent)
  if (refused !== undefined) return [refused]
  if (reply.kind !== 'result') {
    const { reach, session } = observed
    const isSameRefused = session?.initialize.get(REACH_REVISION)?.kind !== 'result'
    const wasServed = reach.bothAccept.kind === 'result' && isSameRefused
    return [answered(wasServed ? 'second-client-refused' : 'initialize-refused', sent, reply)]
  }
  const invalid = firstIssue(InitializeResultSchema, reply.result)
  if (invalid !== undefined) {
    return [detected('initialize-result-invalid', `The result of ${sent}: ${invalid}`)]
  }
  const { protocolVersion } = reply.result as { protocolVersion: string }
  if (!HANDSHAKE_REVISIONS.some((id) => id === protocolVersion)) {
    const message = `${sent} is answered with protocolVersion ${quoted(protocolVersion)}`
    return [detected('initialize-version-unknown', message)]
  }
  const faults: Detected[] = []
  const sessionId = reply.http.headers['mcp-session-id']
  // Clients take an empty header for none.
  if (sessionId && !/^[\x21-\x7e]+$/.test(sessionId)) {
    faults.push(detected('session-id-invalid', `Mcp-Session-Id is ${quoted(sessionId)}`))
  }
  const future = observed.session?.future
  if (future !== undefined && future.kind !== 'result') {
    const request = 'initialize with a version of the future'
    faults.push(answered('newer-version-refused', request, future))
  }
  return faults
}
