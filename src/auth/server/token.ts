/** `POST /token`: authenticates the client and runs the exchange of the grant type, each in a file of `grants/`. */
import type { Client, ClientGrantType } from '../clients/client.ts'
import { jsonResponse } from '../json-response.ts'
import { OAuthError } from '../oauth-error.ts'
import type { VerifiedProof } from '../resource/dpop.ts'
import {
  type AuthorizationServer,
  ENDPOINT,
  type Exchange,
  type Handle,
} from './authorization-server.ts'
import { exchangeCode } from './grants/authorization-code.ts'
import { clientCredentials } from './grants/client-credentials.ts'
import { refreshGrant } from './grants/refresh-token.ts'
import { authenticateClient } from './presented-token.ts'
import { readForm, required } from './read-form.ts'

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
export const handleToken: Handle = async (server, request) => {
  const params = await readForm(request, server.observe)
  const grantType = required(params, 'grant_type')
  const exchange = exchangeOf(server, grantType)
  const refreshToken = params.get('refresh_token')
  const client = await authenticateClient(server, request.headers, params, refreshToken)
  server.observe?.({ type: 'identified', clientId: client.id })
  checkGrantType(client, grantType)
  const proof = await checkProof(server, request, client)
  try {
    const redeemProof = async () => proof?.redeem()
    const tokenRequest = { server, params, client, dpopJkt: proof?.jkt, redeemProof }
    return jsonResponse(await exchange(tokenRequest))
  } catch (error) {
    proof?.release()
    throw error
  }
}

/** @throws {OAuthError} `unsupported_grant_type` */
function exchangeOf({ parts }: AuthorizationServer, grantType: string): Exchange {
  const exchange = EXCHANGES.get(grantType) ?? parts.exchanges.get(grantType)
  if (exchange !== undefined) return exchange
  throw new OAuthError('unsupported_grant_type', 'This grant_type is not supported')
}

/** @throws {OAuthError} `unauthorized_client` */
function checkGrantType({ grantTypes }: Client, grantType: string): void {
  if (grantTypes.includes(grantType as ClientGrantType)) return
  throw new OAuthError('unauthorized_client', 'This client may not use this grant_type')
}

/**
 * The DPoP proof of the request. The registration of a bound client promises that none of its tokens is a bearer
 * token.
 *
 * @throws {OAuthError} `invalid_dpop_proof`; `invalid_client` for a bound client on a server without DPoP
 */
async function checkProof(
  { checkDpop, issuer }: AuthorizationServer,
  request: Request,
  { dpopBound }: Client,
): Promise<VerifiedProof | undefined> {
  if (dpopBound && checkDpop === undefined) {
    throw new OAuthError('invalid_client', 'This server does not support DPoP', {
      telemetryMessage:
        'A client with dpop_bound_access_tokens needs embedded({ features: [dpop()] })',
    })
  }
  const proof = await checkDpop?.(request, `${issuer}${ENDPOINT.token}`)
  if (!dpopBound || proof !== undefined) return proof
  throw new OAuthError('invalid_dpop_proof', 'This client has registered to present DPoP proofs')
}
