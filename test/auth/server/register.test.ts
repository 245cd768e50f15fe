import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { EC_KEY } from '../clients/keys.ts'
import { bodyOf, refusalOf, refusalWith } from './support/answers.ts'
import { postJson, register } from './support/client.ts'
import { type Deployment, NOW_SECONDS, ORIGIN, openDeployment } from './support/deployment.ts'

const REDIRECTS = { redirect_uris: ['https://client.example/callback'] }

describe('the registration endpoint', () => {
  it('registers a public client', async () => {
    verifies('oauth-2-1-clients/native-apps-are-public', 'native-apps/client-type-is-recorded')
    verifies('dynamic-client-registration/client-id')
    verifies('dynamic-client-registration/registered-metadata')
    verifies('dynamic-client-registration/created')
    const response = await register(openDeployment(), { client_uri: 'https://client.example' })
    expect(await bodyOf(response, 201)).toEqual({
      client_id: expect.stringMatching(/^[\w.-]+$/),
      client_id_issued_at: NOW_SECONDS,
      ...REDIRECTS,
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      client_name: 'A client',
      client_uri: 'https://client.example',
    })
  })

  it('registers a client with a secret by default, and returns the secret', async () => {
    verifies('oauth-2-1-clients/confidential-credentials', 'oauth-2-1-security/entropy')
    verifies('oauth-2-0/credentials-of-native-apps', 'dynamic-client-registration/secret-expiry')
    const response = await postJson(openDeployment(), '/register', REDIRECTS)
    expect(await bodyOf(response, 201)).toEqual({
      client_id: expect.stringMatching(/^[\w.-]+$/),
      client_id_issued_at: 4_102_444_800,
      client_secret: expect.stringMatching(/^[\w-]{43}$/),
      // 90 days later.
      client_secret_expires_at: 4_110_220_800,
      ...REDIRECTS,
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    })
  })

  it('registers a client with keys for assertions alone', async () => {
    const response = await register(openDeployment(), {
      token_endpoint_auth_method: 'private_key_jwt',
      grant_types: ['urn:ietf:params:oauth:grant-type:jwt-bearer'],
      response_types: [],
      jwks: { keys: [EC_KEY] },
    })
    expect(await bodyOf(response, 201)).toMatchObject({
      token_endpoint_auth_method: 'private_key_jwt',
      grant_types: ['urn:ietf:params:oauth:grant-type:jwt-bearer'],
      response_types: [],
      jwks: { keys: [EC_KEY] },
    })
  })

  it('gives each registration an id of its own', async () => {
    verifies('dynamic-client-registration/unique-client-ids')
    verifies('dynamic-client-registration/secrets-of-public-clients')
    const server = openDeployment()
    const ids = await Promise.all(
      [1, 2].map(async () => (await bodyOf(await register(server), 201)).client_id),
    )
    expect(new Set(ids).size).toBe(2)
  })

  it.each([
    ['no redirect URI', { redirect_uris: undefined }, 'invalid_redirect_uri'],
    [
      'a redirect URI with a parameter of the response',
      { redirect_uris: ['https://client.example/callback?state=1'] },
      'invalid_redirect_uri',
    ],
    ['client credentials', { grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
  ])('rejects metadata with %s', async (_, metadata, error) => {
    verifies('dynamic-client-registration/redirect-uris-are-registered')
    verifies('dynamic-client-registration/registration-errors')
    expect(await refusalOf(await register(openDeployment(), metadata))).toEqual(refusalWith(error))
  })

  const send = (server: Deployment, type: string | null, body: BodyInit) =>
    server.fetch(`${ORIGIN}/register`, {
      method: 'POST',
      headers: type === null ? {} : { 'content-type': type },
      body,
    })

  it.each([
    ['of another media type', 'text/plain', JSON.stringify(REDIRECTS), 400],
    ['without a media type', null, new TextEncoder().encode(JSON.stringify(REDIRECTS)), 400],
    ['that is not JSON', 'application/json', '{', 400],
    ['that is no object', 'application/json', '[]', 400],
    ['that is not UTF-8', 'application/json', new Uint8Array([0x22, 0xff, 0x22]), 400],
    ['of more than 64 KiB', 'application/json', ' '.repeat(65_537), 413],
    ['that nests 33 levels', 'application/json', '['.repeat(33) + ']'.repeat(33), 400],
    ['of 10,001 values', 'application/json', `[${'1,'.repeat(9_999)}1]`, 400],
    ['that repeats a key', 'application/json', '{"scope":"a","scope":"b"}', 400],
  ])('rejects a body %s with invalid_client_metadata', async (_, type, body, status) => {
    expect(await refusalOf(await send(openDeployment(), type, body))).toEqual({
      status,
      error: 'invalid_client_metadata',
    })
  })

  it('ignores a member with the name __proto__', async () => {
    const text = JSON.stringify(REDIRECTS)
    const hostile = `{"__proto__":{"redirect_uris":["https://evil.example/"]},${text.slice(1)}`
    const response = await send(openDeployment(), 'application/json', hostile)
    expect(await bodyOf(response, 201)).toMatchObject(REDIRECTS)
  })

  it('accepts a media type with parameters', async () => {
    const type = 'Application/JSON; charset=utf-8'
    const response = await send(openDeployment(), type, JSON.stringify(REDIRECTS))
    expect(response.status).toBe(201)
  })
})
