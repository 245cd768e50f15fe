/**
 * Exchanges an identity assertion (ID-JAG) for an access token: enterprise-managed authorization, where
 * an administrator has consented instead of the person.
 *
 * @see https://datatracker.ietf.org/doc/draft-ietf-oauth-identity-assertion-authz-grant/
 */
import type { JsonObject } from '../../../protocol/json.ts'
import { OAuthError } from '../../oauth-error.ts'
import type { Assertion } from '../assertion.ts'
import { serviceTokenResponse } from '../issue-tokens.ts'
import { grantableScopes, splitScopes } from '../requested-scopes.ts'
import { resolveResource } from '../resource-parameter.ts'
import { required, type TokenRequest } from './token-request.ts'

export async function exchangeAssertion(request: TokenRequest): Promise<JsonObject> {
  const { server, params, client, dpopJkt, redeemProof } = request
  if (client.authMethod === 'none') {
    throw new OAuthError(
      'unauthorized_client',
      'Assertions are accepted from clients that authenticate',
    )
  }
  const assertion = await server.verifyAssertion(required(request, 'assertion'), client.id)
  const requested = grantableScopes(
    server.scopes,
    params.get('scope') ?? assertion.scope,
    client.scopes,
  )
  const scopes = allowedScopes(requested, assertion)
  const resource = resolveResource(server, params.get('resource') ?? assertion.resource)
  if (
    assertion.resource !== undefined &&
    resource !== resolveResource(server, assertion.resource)
  ) {
    throw new OAuthError('invalid_target', 'The assertion is for another resource')
  }
  await redeemProof()
  await assertion.redeem()
  const { subject } = assertion
  return serviceTokenResponse(server, { subject, clientId: client.id, resource, scopes, dpopJkt })
}

/** @throws {OAuthError} `invalid_scope` when the provider allows none of the requested scopes */
function allowedScopes(requested: readonly string[], { scope }: Assertion): readonly string[] {
  if (scope === undefined) return requested
  const allowed = splitScopes(scope)
  const scopes = requested.filter((name) => allowed.includes(name))
  if (scopes.length > 0) return scopes
  throw new OAuthError('invalid_scope', 'The assertion is for other scopes')
}
