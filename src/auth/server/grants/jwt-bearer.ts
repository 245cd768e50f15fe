/**
 * Exchanges an identity assertion (ID-JAG) for an access token: enterprise-managed authorization, where
 * an administrator has consented instead of the person.
 *
 * @see https://datatracker.ietf.org/doc/draft-ietf-oauth-identity-assertion-authz-grant/
 */
import type { JsonObject } from '../../../protocol/json.ts'
import { OAuthError } from '../../oauth-error.ts'
import type { Assertion, VerifyAssertion } from '../assertion.ts'
import type { AuthorizationServer, TokenRequest } from '../authorization-server.ts'
import { serviceTokenResponse } from '../issue-tokens.ts'
import { presentScopes } from '../offer.ts'
import { required } from '../read-form.ts'
import { grantableScopes, splitScopes } from '../requested-scopes.ts'
import { resolveResource } from '../resource-parameter.ts'

export async function exchangeAssertion(
  verify: VerifyAssertion,
  request: TokenRequest,
): Promise<JsonObject> {
  const { server, params, client, dpopJkt, redeemProof } = request
  if (client.authMethod === 'none') {
    throw new OAuthError(
      'unauthorized_client',
      'Assertions are accepted from clients that authenticate',
    )
  }
  const presenter = { clientId: client.id, dpopJkt }
  const assertion = await verify(required(params, 'assertion'), presenter)
  const allowed = limitsOf(server, assertion)
  const requested = params.get('scope') ?? assertion.scope
  const resource = resolveResource(server, params.get('resource') ?? allowed.resources?.[0])
  if (server.administers(resource)) {
    throw new OAuthError('invalid_target', 'This resource requires the consent of a person')
  }
  if (allowed.resources !== undefined && !allowed.resources.includes(resource)) {
    throw new OAuthError('invalid_target', 'The assertion is for another resource')
  }
  const grantable = allowedScopes(
    grantableScopes(server.scopesOf(resource), requested, client.scopes),
    allowed.scopes,
  )
  const { subject, attributes } = assertion
  const scopes = await presentScopes(server, { subject, scopes: grantable, attributes })
  await redeemProof()
  await assertion.redeem()
  return serviceTokenResponse(server, { subject, clientId: client.id, resource, scopes, dpopJkt })
}

interface Limits {
  /** Undefined where the provider sets no limit. A resource that administers the server is in none. */
  readonly scopes: readonly string[] | undefined
  readonly resources: readonly string[] | undefined
}

/**
 * The scopes and resources of this server that the provider allows.
 *
 * @throws {OAuthError} `invalid_grant` when a claim names none: the assertion is for another server
 */
function limitsOf(server: AuthorizationServer, { scope, resources: named }: Assertion): Limits {
  const scopes = scope === undefined ? undefined : known(() => splitScopes(scope))
  const own = scopes?.filter((name) => server.scopes.names.includes(name))
  const resources = named
    ?.flatMap((name) => known(() => [resolveResource(server, name)]))
    .filter((resource) => !server.administers(resource))
  if (own?.length === 0 || resources?.length === 0) {
    throw new OAuthError('invalid_grant', 'The assertion is not valid here')
  }
  return { scopes: own, resources }
}

/** What a claim names, or nothing when it is malformed or unknown here. */
function known(read: () => readonly string[]): readonly string[] {
  try {
    return read()
  } catch (error) {
    if (error instanceof OAuthError) return []
    throw error
  }
}

/** @throws {OAuthError} `invalid_scope` when the provider allows none of the requested scopes */
function allowedScopes(
  requested: readonly string[],
  allowed: readonly string[] | undefined,
): readonly string[] {
  const scopes = allowed ? requested.filter((name) => allowed.includes(name)) : requested
  if (scopes.length > 0 || allowed === undefined) return scopes
  throw new OAuthError('invalid_scope', 'The assertion is for other scopes')
}
