/** The modern era: `server/discover`, then lists and a call without a handshake. */

import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { listIn, type Members } from '../../../../text/src/json/members.ts'
import { MODERN_REVISION } from '../clients.ts'
import { type Endpoint, sendModern } from '../mcp/endpoint.ts'
import type { RpcReply, Send } from '../mcp/rpc.ts'
import { type DefinitionsObservation, probeDefinitions } from './lists.ts'

export interface ModernObservation {
  readonly discover: RpcReply
  /** Undefined when the server does not serve the modern revision. */
  readonly definitions?: DefinitionsObservation
}

export async function probeModern(endpoint: Endpoint): Promise<ModernObservation> {
  const discover = await sendModern(endpoint, 'server/discover', {}, 'server-discover-probe-1')
  const capabilities = modernCapabilities(discover)
  if (capabilities === undefined) return { discover }
  const send: Send = (method, params) => sendModern(endpoint, method, params)
  return { discover, definitions: await probeDefinitions(send, capabilities) }
}

/** The capabilities of a server that serves the modern revision. */
export function modernCapabilities(discover: RpcReply): Members | undefined {
  if (discover.kind !== 'result' || !isJsonObject(discover.result)) return undefined
  const { capabilities } = discover.result
  if (!listIn(discover.result, 'supportedVersions').includes(MODERN_REVISION)) return undefined
  return isJsonObject(capabilities) ? capabilities : {}
}
