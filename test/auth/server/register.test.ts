/** The registration endpoint: which bodies it reads, and what it answers. */
import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { EC_KEY } from '../clients/keys.ts'
import { bodyOf, refusalOf } from './support/answers.ts'
import { postJson, register } from './support/client.ts'
import { NOW_SECONDS, ORIGIN, openDeployment } from './support/deployment.ts'
import { expectRefusal } from './support/flow.ts'

const JSON_TYPE = 'application/json'
const REDIRECTS = { redirect_uris: ['https://client.example/callback'] }
const CODES = { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] }

describe('the registration endpoint', () => {
  it('registers a public client, each time with another id', async () => {
    verifies('oauth-2-1-clients/native-apps-are-public', 'native-apps/client-type-is-recorded')
    verifies('dynamic-client-registration/client-id', 'dynamic-client-registration/created')
    verifies('dynamic-client-registration/registered-metadata')
    verifies('dynamic-client-registration/unique-client-ids')
    verifies('dynamic-client-registration/secrets-of-public-clients')
    const server = openDeployment()
    const bodies = await Promise.all(
      [1, 2].map(async () =>
        bodyOf(await register(server, { client_uri: 'https://client.example' }), 201),
      ),
    )
    expect(bodies[0]).toEqual({
      client_id: expect.stringMatching(/^[\w.-]+$/),
      client_id_issued_at: NOW_SECONDS,
      ...{ ...REDIRECTS, ...CODES, token_endpoint_auth_method: 'none' },
      client_name: 'A client',
      client_uri: 'https://client.example',
    })
    expect(new Set(bodies.map(({ client_id }) => client_id)).size).toBe(2)
  })

  it('registers a client with a secret by default, and returns the secret', async () => {
    verifies('oauth-2-1-clients/confidential-credentials', 'oauth-2-1-security/entropy')
    verifies('oauth-2-0/credentials-of-native-apps', 'dynamic-client-registration/secret-expiry')
    const response = await postJson(openDeployment(), '/register', REDIRECTS)
    expect(await bodyOf(response, 201)).toEqual({
      client_id: expect.stringMatching(/^[\w.-]+$/),
      client_id_issued_at: NOW_SECONDS,
      client_secret: expect.stringMatching(/^[\w-]{43}$/),
      // 90 days later.
      client_secret_expires_at: 4_110_220_800,
      ...{ ...REDIRECTS, ...CODES, token_endpoint_auth_method: 'client_secret_basic' },
    })
  })

  it('registers a client with keys for assertions alone', async () => {
    const wanted = {
      token_endpoint_auth_method: 'private_key_jwt',
      grant_types: ['urn:ietf:params:oauth:grant-type:jwt-bearer'],
      response_types: [],
      jwks: { keys: [EC_KEY] },
    }
    expect(await bodyOf(await register(openDeployment(), wanted), 201)).toMatchObject(wanted)
  })

  it.each([
    ['no redirect URI', 'invalid_redirect_uri', { redirect_uris: undefined }],
    ['client credentials', 'invalid_client_metadata', { grant_types: ['client_credentials'] }],
  ])('rejects metadata with %s: %s', async (_, error, metadata) => {
    verifies('dynamic-client-registration/redirect-uris-are-registered')
    verifies('dynamic-client-registration/registration-errors')
    await expectRefusal(register(openDeployment(), metadata), error)
  })

  const send = (type: string | null, body: BodyInit) =>
    openDeployment().fetch(`${ORIGIN}/register`, {
      method: 'POST',
      headers: type === null ? {} : { 'content-type': type },
      body,
    })
  const padded = (length: number) => JSON.stringify(REDIRECTS).padEnd(length, ' ')

  it.each([
    ['that is a form', 'application/x-www-form-urlencoded', 'redirect_uris=x', 400],
    ['of another media type', 'text/plain', JSON.stringify(REDIRECTS), 400],
    ['without a media type', null, new TextEncoder().encode(JSON.stringify(REDIRECTS)), 400],
    ['that is cut off', JSON_TYPE, '{"a":', 400],
    ['that is empty', JSON_TYPE, '', 400],
    ['that is no object', JSON_TYPE, '[]', 400],
    ['that is not UTF-8', JSON_TYPE, new Uint8Array([0x22, 0xff, 0x22]), 400],
    ['of more than 64 KiB', JSON_TYPE, padded(65_537), 413],
    ['that nests 33 levels', JSON_TYPE, '['.repeat(33) + ']'.repeat(33), 400],
    ['of 10,001 values', JSON_TYPE, `[${'1,'.repeat(9_999)}1]`, 400],
    ['that repeats a key', JSON_TYPE, '{"scope":"a","scope":"b"}', 400],
  ])('rejects a body %s with invalid_client_metadata', async (_, type, body, status) => {
    await expectRefusal(send(type, body), 'invalid_client_metadata', status)
  })

  it('rejects a body without end at the limit', async () => {
    let chunks = 0
    const endless = new ReadableStream({
      pull(controller) {
        chunks += 1
        controller.enqueue(new Uint8Array(16_384))
      },
    })
    expect((await refusalOf(await send(JSON_TYPE, endless))).status).toBe(413)
    expect(chunks).toBeLessThan(10)
  })

  it.each([
    ['of 64 KiB', JSON_TYPE, padded(65_536)],
    ['whose media type has parameters', 'Application/JSON; charset=utf-8', padded(0)],
    [
      ...(['with a member of the name __proto__', JSON_TYPE] as const),
      `{"__proto__":{"redirect_uris":["https://evil.example/"]},${padded(0).slice(1)}`,
    ],
  ])('accepts a body %s', async (_, type, body) => {
    expect(await bodyOf(await send(type, body), 201)).toMatchObject(REDIRECTS)
  })
})
