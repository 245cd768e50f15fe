/**
 * A client on its own behalf: only one that the author has named, with a secret or a key.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-4.4
 */
import type { JsonObject } from '../../../protocol/json.ts'
import { OAuthError } from '../../oauth-error.ts'
import { signAccessToken, tokenBody } from '../issue-tokens.ts'
import { grantableScopes } from '../requested-scopes.ts'
import { resolveResource } from '../resource-parameter.ts'
import type { TokenRequest } from './token-request.ts'

export async function clientCredentials({
  server,
  params,
  client,
  dpopJkt,
}: TokenRequest): Promise<JsonObject> {
  const allowed =
    client.kind === 'static' &&
    client.authMethod !== 'none' &&
    client.grantTypes.includes('client_credentials')
  if (!allowed) {
    throw new OAuthError('unauthorized_client', 'This client may not act on its own behalf')
  }
  const asked = grantableScopes(server.scopes, params.get('scope'))
  const scopes = asked.filter(
    (scope) => client.scopes === undefined || client.scopes.includes(scope),
  )
  if (scopes.length === 0) {
    throw new OAuthError('invalid_scope', 'This client may have none of these scopes')
  }
  const { serviceAccessTtlMs } = server.limits
  const token = await signAccessToken(server, {
    subject: `client:${client.id}`,
    clientId: client.id,
    resource: resolveResource(server, params.get('resource')),
    scopes,
    dpopJkt,
    lifetimeMs: serviceAccessTtlMs,
    claims: {},
    grant: undefined,
  })
  return tokenBody(token, serviceAccessTtlMs, scopes, dpopJkt)
}
