/**
 * `POST /introspect`: the state of a token, for the client that it was issued to. The client must
 * authenticate.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7662#section-2
 */
import type { JsonObject } from '../../protocol/json.ts'
import { jsonResponse } from '../json-response.ts'
import { OAuthError } from '../oauth-error.ts'
import { limitScopes } from '../people/admission.ts'
import type { AuthorizationServer, Handle } from './authorization-server.ts'
import { readPresentation, readToken } from './presented-token.ts'
import { readForm } from './read-form.ts'

const INACTIVE = { active: false }
const UNAUTHENTICATED = 'Introspection needs a client that authenticates'

/** @throws {OAuthError} `invalid_client`, or `invalid_request` without a token */
export const handleIntrospect: Handle = async (server, request) => {
  const params = await readForm(request)
  const { client, token } = await readPresentation(server, request.headers, params, {
    anonymous: UNAUTHENTICATED,
  })
  if (client.authMethod === 'none') throw new OAuthError('invalid_client', UNAUTHENTICATED)
  return jsonResponse(await describe(server, token, client.id))
}

async function describe(
  server: AuthorizationServer,
  text: string,
  clientId: string,
): Promise<JsonObject> {
  const { issuer, checkGrant } = server
  const presented = await readToken(server, text)
  if (presented?.kind === 'refresh') {
    const { active, client, scopes, expiresAt } = presented.state
    if (!active || client.id !== clientId) return INACTIVE
    const exp = Math.floor(expiresAt / 1000)
    return { active, client_id: clientId, scope: scopes.join(' '), exp, iss: issuer }
  }
  if (presented === undefined || presented.token.clientId !== clientId) return INACTIVE
  const { subject, scopes, resource, expiresAt, jkt } = presented.token
  // Without DPoP, this server does not accept the token either.
  if (jkt !== undefined && server.checkDpop === undefined) return INACTIVE
  const { active, scopes: present } = await checkGrant(presented.token)
  if (!active) return INACTIVE
  return {
    active,
    client_id: clientId,
    sub: subject,
    aud: resource,
    iss: issuer,
    scope: limitScopes(scopes, { scopes: present }, server.scopes).join(' '),
    exp: Math.floor(expiresAt / 1000),
    token_type: jkt === undefined ? 'Bearer' : 'DPoP',
    ...(jkt === undefined ? undefined : { cnf: { jkt } }),
  }
}
