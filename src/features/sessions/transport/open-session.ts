/**
 * Creates the session id for `initialize`. The id holds all claims of the session, so the Worker
 * answers alone and no session object is created for a client that sends nothing else.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 */
import { readRequestedVersion } from '../../../dispatch/methods/initialize.ts'
import type { SessionClaims } from '../../../ports/sessions.ts'
import { abridgeClient } from '../../../protocol/abridge-client.ts'
import { NO_CAPABILITIES } from '../../../protocol/capabilities.ts'
import { NO_PARAMS } from '../../../protocol/factory-params.ts'
import { isJsonObject } from '../../../protocol/json.ts'
import type { RequestMessage } from '../../../protocol/json-rpc.ts'
import { readImplementation } from '../../../protocol/meta.ts'
import { principalContext } from '../../../protocol/principal.ts'
import { negotiateSession } from '../../../protocol/revisions.ts'
import type { Exchange } from '../../../transport/exchange.ts'
import { createSessionName, sealSessionId } from './session-id.ts'

/**
 * Returns undefined when no session objects are bound or no keys to seal with.
 *
 * @throws {ProtocolError} invalidParams, if the request names no version
 */
export async function openSession(
  { endpoint, auth, services, factoryParams, recording }: Exchange,
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
    ...(factoryParams !== NO_PARAMS && { params: factoryParams }),
  }
  recording?.inSession(claims)
  return sealSessionId(sealer, claims, principalContext(endpoint.audience, auth))
}
