/**
 * Authorization server metadata, under its OAuth and its OpenID address.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-2
 */
import type { ClientAuthMethod } from '../clients/client.ts'
import { jsonResponse } from '../json-response.ts'
import { ASSERTION_ALGORITHMS } from '../resource/algorithms.ts'
import { DPOP_ALGORITHMS } from '../resource/dpop.ts'
import { type AuthorizationServer, ENDPOINT } from './authorization-server.ts'
import { GRANT_TYPES } from './token.ts'

export const METADATA_PATHS = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
] as const

/**
 * By which clients recognise enterprise-managed authorization. It does not say which providers are trusted.
 *
 * @see https://www.ietf.org/archive/id/draft-ietf-oauth-identity-assertion-authz-grant-03.html#section-7.2
 */
const IDENTITY_ASSERTIONS = 'urn:ietf:params:oauth:grant-profile:id-jag'

const CLIENT_AUTHENTICATION: readonly ClientAuthMethod[] = [
  'none',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
]

export function metadataResponse({ issuer, scopes }: AuthorizationServer): Response {
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
      grant_types_supported: GRANT_TYPES,
      authorization_grant_profiles_supported: [IDENTITY_ASSERTIONS],
      token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
      token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
      revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
      revocation_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
      introspection_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION.slice(1),
      introspection_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
      dpop_signing_alg_values_supported: DPOP_ALGORITHMS,
      // Required in an OpenID document. This server issues no id tokens.
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    },
    { headers: { 'cache-control': 'public, max-age=300' } },
  )
}

export async function jwksResponse({ signingKeys }: AuthorizationServer): Promise<Response> {
  return jsonResponse(await signingKeys.jwks(), {
    headers: { 'cache-control': 'public, max-age=300' },
  })
}
