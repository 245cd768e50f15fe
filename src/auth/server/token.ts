/** `POST /token`: authenticates the client and runs the exchange of the grant type, each in a file of `grants/`. */
import type { JsonObject } from '../../protocol/json.ts'
import { type ClientGrantType, JWT_BEARER_GRANT } from '../clients/client.ts'
import { jsonResponse } from '../json-response.ts'
import { OAuthError } from '../oauth-error.ts'
import { type AuthorizationServer, ENDPOINT } from './authorization-server.ts'
import { findExpiredRegistration } from './expired-registration.ts'
import { exchangeCode } from './grants/authorization-code.ts'
import { clientCredentials } from './grants/client-credentials.ts'
import { exchangeAssertion } from './grants/jwt-bearer.ts'
import { refreshGrant } from './grants/refresh-token.ts'
import type { TokenRequest } from './grants/token-request.ts'
import { readForm } from './read-form.ts'

const GRANTS: Readonly<Record<ClientGrantType, (request: TokenRequest) => Promise<JsonObject>>> = {
  authorization_code: exchangeCode,
  refresh_token: refreshGrant,
  client_credentials: clientCredentials,
  [JWT_BEARER_GRANT]: exchangeAssertion,
}

export const GRANT_TYPES = Object.keys(GRANTS)

/** @throws {OAuthError} with a code of RFC 6749 §5.2 */
export async function handleToken(
  server: AuthorizationServer,
  request: Request,
): Promise<Response> {
  const params = await readForm(request)
  const grantType = params.get('grant_type')
  if (grantType === undefined) throw new OAuthError('invalid_request', 'grant_type is required')
  if (!isGrantType(grantType)) {
    throw new OAuthError('unsupported_grant_type', 'This grant_type is not supported')
  }
  const client = await server.authenticateClient(request.headers, params, (id) =>
    findExpiredRegistration(server, id, params.get('refresh_token')),
  )
  server.identified?.(client.id)
  if (!client.grantTypes.includes(grantType)) {
    throw new OAuthError('unauthorized_client', 'This client may not use this grant_type')
  }
  const proof = await server.checkDpop(request, `${server.issuer}${ENDPOINT.token}`)
  if (client.dpopBound && proof === undefined) {
    throw new OAuthError('invalid_dpop_proof', 'This client has registered to present DPoP proofs')
  }
  try {
    const redeemProof = async () => proof?.redeem()
    const tokenRequest = { server, params, client, dpopJkt: proof?.jkt, redeemProof }
    return jsonResponse(await GRANTS[grantType](tokenRequest))
  } catch (error) {
    proof?.release()
    throw error
  }
}

function isGrantType(name: string): name is ClientGrantType {
  return Object.hasOwn(GRANTS, name)
}
