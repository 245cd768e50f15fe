/**
 * Creates the session id for `initialize`. The id holds all claims of the session, so the Worker
 * answers alone and no session object is created for a client that sends nothing else.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 */
import { readHandshake } from '../../../dispatch/methods/initialize.ts'
import type { RequestMessage } from '../../../protocol/json-rpc.ts'
import { principalContext } from '../../../protocol/principal.ts'
import type { DefinedExchange } from '../../../transport/exchange.ts'
import { listsDigest } from './lists-digest.ts'
import { newClaims, sealSessionId } from './session-id.ts'

/**
 * Returns undefined when no session objects are bound or no keys to seal with.
 *
 * @throws {ProtocolError} invalidParams, if the request names no version
 */
export async function openSession(
  exchange: DefinedExchange,
  { params }: RequestMessage,
): Promise<string | undefined> {
  const { endpoint, auth, services, factoryParams, recording } = exchange
  const sealer = services.sealer()
  const sessions = services.sessions()
  if (sealer === undefined || sessions === undefined) return undefined
  const expiresAt = Date.now() + sessions.limits.lifetimeMs
  const claims = {
    ...newClaims('streamable-http', factoryParams, expiresAt),
    ...readHandshake(params),
    lists: listsDigest(exchange),
  }
  recording?.inSession(claims)
  return sealSessionId(sealer, claims, principalContext(endpoint.audience, auth))
}
