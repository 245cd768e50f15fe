/**
 * Issues a token to a client on its own behalf. Only configured clients can have this grant type, and
 * they authenticate with a secret or a key.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-4.4
 */
import type { JsonObject } from '../../../protocol/json.ts'
import { OAuthError } from '../../oauth-error.ts'
import { CLIENT_SUBJECT_PREFIX } from '../../subject.ts'
import type { TokenRequest } from '../authorization-server.ts'
import { serviceTokenResponse } from '../issue-tokens.ts'
import { grantableScopes } from '../requested-scopes.ts'
import { resolveResource } from '../resource-parameter.ts'

export async function clientCredentials({
  server,
  params,
  client,
  dpopJkt,
  redeemProof,
}: TokenRequest): Promise<JsonObject> {
  const resource = resolveResource(server, params.get('resource'))
  // No person consents, so the operator must have named the scope for this client.
  if (server.administers(resource) && client.scopes === undefined) {
    throw new OAuthError('invalid_scope', 'The configuration of this client must name the scope')
  }
  const scopes = grantableScopes(server.scopesOf(resource), params.get('scope'), client.scopes)
  await redeemProof()
  return serviceTokenResponse(server, {
    subject: `${CLIENT_SUBJECT_PREFIX}${client.id}`,
    clientId: client.id,
    resource,
    scopes,
    dpopJkt,
  })
}
