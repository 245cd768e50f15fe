/**
 * `initialize`, where sessions are served: answered from the Worker alone, with an id that says all
 * there is to know. No object is touched, so a client that only looks in costs nothing.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 */
import { readRequestedVersion } from '../../dispatch/methods/initialize.ts'
import type { SessionClaims } from '../../ports/sessions.ts'
import { NO_CAPABILITIES } from '../../protocol/capabilities.ts'
import { isJsonObject } from '../../protocol/json.ts'
import type { RequestMessage } from '../../protocol/json-rpc.ts'
import { readImplementation } from '../../protocol/meta.ts'
import { negotiateSession } from '../../protocol/revisions.ts'
import type { Exchange } from '../exchange.ts'
import { abridgeClient, createSessionName, principalContext, sealSessionId } from './session-id.ts'

/**
 * The id for a session that begins with this message; undefined where none can be kept.
 *
 * @throws {ProtocolError} invalidParams, when there is no version to negotiate from
 */
export async function openSession(
  { endpoint, auth, services }: Exchange,
  { params }: RequestMessage,
): Promise<string | undefined> {
  const sealer = services.sealer()
  if (sealer === undefined || services.sessions() === undefined) return undefined
  const capabilities = params?.capabilities
  const claims: SessionClaims = {
    name: createSessionName(),
    transport: 'streamable-http',
    revision: negotiateSession(readRequestedVersion(params)).id,
    ...abridgeClient(
      readImplementation(params?.clientInfo),
      isJsonObject(capabilities) ? capabilities : NO_CAPABILITIES,
    ),
    expiresAt: Date.now() + endpoint.limits.sessionLifetimeMs,
  }
  return sealSessionId(sealer, claims, principalContext(endpoint.audience, auth))
}
