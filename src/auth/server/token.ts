/** `POST /token`: authenticates the client and runs the exchange of the grant type, each in a file of `grants/`. */
import type { ClientGrantType } from '../clients/client.ts'
import { jsonResponse } from '../json-response.ts'
import { OAuthError } from '../oauth-error.ts'
import { type AuthorizationServer, ENDPOINT, type Exchange } from './authorization-server.ts'
import { findExpiredRegistration } from './expired-registration.ts'
import { exchangeCode } from './grants/authorization-code.ts'
import { clientCredentials } from './grants/client-credentials.ts'
import { refreshGrant } from './grants/refresh-token.ts'
import { readForm } from './read-form.ts'

/** The grant types of every server. */
const EXCHANGES = new Map<string, Exchange>([
  ['authorization_code', exchangeCode],
  ['refresh_token', refreshGrant],
  ['client_credentials', clientCredentials],
])

export function grantTypesOf({ parts }: AuthorizationServer): readonly string[] {
  return [...EXCHANGES.keys(), ...parts.exchanges.keys()]
}

/** @throws {OAuthError} with a code of RFC 6749 §5.2 */
export async function handleToken(
  server: AuthorizationServer,
  request: Request,
): Promise<Response> {
  const params = await readForm(request, server.observe)
  const grantType = params.get('grant_type')
  if (grantType === undefined) throw new OAuthError('invalid_request', 'grant_type is required')
  const exchange = EXCHANGES.get(grantType) ?? server.parts.exchanges.get(grantType)
  if (exchange === undefined) {
    throw new OAuthError('unsupported_grant_type', 'This grant_type is not supported')
  }
  const client = await server.authenticateClient(request.headers, params, (id) =>
    findExpiredRegistration(server, id, params.get('refresh_token')),
  )
  server.observe?.({ type: 'identified', clientId: client.id })
  if (!client.grantTypes.includes(grantType as ClientGrantType)) {
    throw new OAuthError('unauthorized_client', 'This client may not use this grant_type')
  }
  const { checkDpop } = server
  // The registration promises that no token of the client is a bearer token.
  if (client.dpopBound && checkDpop === undefined) {
    throw new OAuthError('invalid_client', 'This server does not support DPoP', {
      telemetryMessage:
        'A client with dpop_bound_access_tokens needs embedded({ features: [dpop()] })',
    })
  }
  const proof = await checkDpop?.(request, `${server.issuer}${ENDPOINT.token}`)
  if (client.dpopBound && proof === undefined) {
    throw new OAuthError('invalid_dpop_proof', 'This client has registered to present DPoP proofs')
  }
  try {
    const redeemProof = async () => proof?.redeem()
    const tokenRequest = { server, params, client, dpopJkt: proof?.jkt, redeemProof }
    return jsonResponse(await exchange(tokenRequest))
  } catch (error) {
    proof?.release()
    throw error
  }
}
