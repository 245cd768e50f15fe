/**
 * An assertion of a trusted identity provider for a token: enterprise-managed authorization, where
 * an administrator and not the person has consented (ID-JAG).
 *
 * @see https://datatracker.ietf.org/doc/draft-ietf-oauth-identity-assertion-authz-grant/
 */
import type { JsonObject } from '../../../protocol/json.ts'
import { OAuthError } from '../../oauth-error.ts'
import { signAccessToken, tokenBody } from '../issue-tokens.ts'
import { grantableScopes } from '../requested-scopes.ts'
import { resolveResource } from '../resource-parameter.ts'
import { required, type TokenRequest } from './token-request.ts'

export async function exchangeAssertion(request: TokenRequest): Promise<JsonObject> {
  const { server, params, client, dpopJkt } = request
  if (client.authMethod === 'none') {
    throw new OAuthError(
      'unauthorized_client',
      'Assertions are taken from clients that authenticate',
    )
  }
  const assertion = await server.verifyAssertion(required(request, 'assertion'), client.id)
  const { serviceAccessTtlMs } = server.limits
  const scopes = grantableScopes(
    server.scopes,
    params.get('scope') ?? assertion.scope,
    client.scopes,
  )
  const resource = resolveResource(server, params.get('resource') ?? assertion.resource)
  const token = await signAccessToken(server, {
    subject: assertion.subject,
    clientId: client.id,
    resource,
    scopes,
    dpopJkt,
    lifetimeMs: serviceAccessTtlMs,
    claims: {},
    grant: undefined,
  })
  return tokenBody(token, serviceAccessTtlMs, scopes, dpopJkt)
}
