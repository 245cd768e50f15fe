import { decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { AuthClient } from './support/client.ts'
import { type Deployment, ORIGIN, openDeployment } from './support/deployment.ts'

const OAUTH = '/.well-known/oauth-authorization-server'
const OPENID = '/.well-known/openid-configuration'
const JWKS = '/.well-known/jwks.json'

const HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'public, max-age=300',
  'x-content-type-options': 'nosniff',
  'access-control-allow-origin': '*',
}

const SECRETS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt']
const METHODS = ['none', ...SECRETS]
const ALGORITHMS = ['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519']
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

const DOCUMENT = {
  issuer: 'https://mcp.example.com',
  authorization_endpoint: 'https://mcp.example.com/authorize',
  token_endpoint: 'https://mcp.example.com/token',
  registration_endpoint: 'https://mcp.example.com/register',
  revocation_endpoint: 'https://mcp.example.com/revoke',
  introspection_endpoint: 'https://mcp.example.com/introspect',
  jwks_uri: 'https://mcp.example.com/.well-known/jwks.json',
  scopes_supported: ['read', 'write', 'offline_access'],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials', JWT_BEARER],
  authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
  token_endpoint_auth_methods_supported: METHODS,
  token_endpoint_auth_signing_alg_values_supported: ALGORITHMS,
  revocation_endpoint_auth_methods_supported: METHODS,
  revocation_endpoint_auth_signing_alg_values_supported: ALGORITHMS,
  introspection_endpoint_auth_methods_supported: SECRETS,
  introspection_endpoint_auth_signing_alg_values_supported: ALGORITHMS,
  code_challenge_methods_supported: ['S256'],
  client_id_metadata_document_supported: true,
  authorization_response_iss_parameter_supported: true,
  dpop_signing_alg_values_supported: ['ES256', 'EdDSA'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
}

const headersOf = ({ headers }: Response) => Object.fromEntries(headers)

describe.each([OAUTH, OPENID])('the metadata at %s', (path) => {
  it('names every endpoint and what the server supports', async () => {
    verifies('authorization/iss-is-advertised')
    verifies('authorization-discovery/authorization-server-metadata')
    verifies('authorization-discovery/authorization-server-discovery')
    verifies('authorization-discovery/authorization-base-url')
    verifies('authorization-security/openid-metadata-names-pkce', 'client-credentials/metadata')
    verifies('identity-assertions/grant-profiles', 'identity-assertions/no-trust-disclosure')
    verifies('oauth-2-1-endpoints/authorization-endpoint-uri')
    verifies('oauth-2-1-security/supported-methods-are-published')
    verifies('oauth-security-practice/pkce-is-advertised', 'authorization-server-metadata/issuer')
    verifies('authorization-server-metadata/issuer-scheme')
    verifies('authorization-server-metadata/endpoints')
    verifies('authorization-server-metadata/response-types')
    verifies('authorization-server-metadata/jwks-uri')
    verifies('authorization-server-metadata/signing-algorithms')
    verifies('authorization-server-metadata/algorithm-none')
    verifies('authorization-server-metadata/methods-by-other-means')
    verifies('authorization-server-metadata/well-known-path')
    verifies('authorization-server-metadata/response')
    verifies('authorization-server-metadata/empty-members')
    verifies('issuer-identification/issuer-is-provided')
    verifies('issuer-identification/support-is-advertised')
    verifies('client-id-metadata-documents/support-is-advertised')
    verifies('openid-connect/metadata-response', 'openid-connect/required-metadata')
    verifies('openid-connect/rs256-of-providers')
    const response = await openDeployment().fetch(`${ORIGIN}${path}`)
    expect(response.status).toBe(200)
    expect(headersOf(response)).toEqual(HEADERS)
    expect(await response.json()).toEqual(DOCUMENT)
  })

  it('names the configured issuer under another host name', async () => {
    const response = await openDeployment().fetch(`https://other.example.com${path}`)
    expect(await response.json()).toEqual(DOCUMENT)
  })

  it('lists offline_access alone on a server without scopes', async () => {
    const response = await openDeployment({ scopes: {} }).fetch(`${ORIGIN}${path}`)
    expect(await response.json()).toMatchObject({ scopes_supported: ['offline_access'] })
  })

  it('answers HEAD with the headers of GET', async () => {
    const response = await openDeployment().fetch(`${ORIGIN}${path}`, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
    expect(headersOf(response)).toEqual(HEADERS)
  })
})

describe('the key set', () => {
  const keysOf = async (server: Deployment) => {
    const response = await server.fetch(`${ORIGIN}${JWKS}`)
    expect(response.status).toBe(200)
    expect(headersOf(response)).toEqual(HEADERS)
    return (await response.json<{ keys: Record<string, string>[] }>()).keys
  }

  it('publishes public keys for ES256 signatures', async () => {
    const keys = await keysOf(openDeployment())
    expect(keys.length).toBeGreaterThan(0)
    for (const key of keys) {
      expect(key).toEqual({
        kty: 'EC',
        crv: 'P-256',
        alg: 'ES256',
        use: 'sig',
        kid: expect.stringMatching(/./),
        x: expect.stringMatching(/^[\w-]{43}$/),
        y: expect.stringMatching(/^[\w-]{43}$/),
      })
    }
  })

  it('holds the key that an access token is signed with', async () => {
    verifies('jwt-access-tokens/no-algorithm-none')
    const server = openDeployment()
    const { access } = await (await AuthClient.register(server)).tokens()
    const { alg, typ, kid } = decodeProtectedHeader(access)
    expect([alg, typ]).toEqual(['ES256', 'at+jwt'])
    expect((await keysOf(server)).map((key) => key.kid)).toContain(kid)
  })
})
