/**
 * Authorization server metadata, under its OAuth and its OpenID address.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-2
 */
import { jsonResponse } from '../json-response.ts'
import { type AuthorizationServer, ENDPOINT } from './authorization-server.ts'
import { grantTypesOf } from './token.ts'

export const METADATA_PATHS = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
] as const

export function metadataResponse(server: AuthorizationServer): Response {
  const { issuer, scopes, clients, parts } = server
  const { authMethods } = clients
  const at = (path: string) => `${issuer}${path}`
  return jsonResponse(
    {
      issuer,
      authorization_endpoint: at(ENDPOINT.authorize),
      token_endpoint: at(ENDPOINT.token),
      registration_endpoint: at(ENDPOINT.register),
      revocation_endpoint: at(ENDPOINT.revoke),
      introspection_endpoint: at(ENDPOINT.introspect),
      jwks_uri: at(ENDPOINT.jwks),
      scopes_supported: [...scopes.names, 'offline_access'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: grantTypesOf(server),
      token_endpoint_auth_methods_supported: authMethods,
      revocation_endpoint_auth_methods_supported: authMethods,
      introspection_endpoint_auth_methods_supported: authMethods.slice(1),
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
      // Required in an OpenID document. This server issues no id tokens.
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      ...parts.metadata,
    },
    { headers: { 'cache-control': 'public, max-age=300' } },
  )
}

export async function jwksResponse({ signingKeys }: AuthorizationServer): Promise<Response> {
  return jsonResponse(await signingKeys.jwks(), {
    headers: { 'cache-control': 'public, max-age=300' },
  })
}
