/** The token endpoint: the grant type, and the authentication of the client. */
import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { bodyOf, refusalOf, refusalWith } from './support/answers.ts'
import { AuthClient, postForm, VERIFIER } from './support/client.ts'
import { openDeployment } from './support/deployment.ts'
import { basic, JWT_BEARER, MACHINE, SECRET, SECRET_HASH } from './support/static-clients.ts'

const open = () => openDeployment({ clients: [MACHINE] })

const ENDPOINTS = [
  ['/token', { grant_type: 'client_credentials' }],
  ['/revoke', { token: 'made-up' }],
  ['/introspect', { token: 'made-up' }],
] as const

describe('the token endpoint', () => {
  it.each([
    ['no grant_type', {}, 'invalid_request'],
    ['an empty grant_type', { grant_type: '' }, 'invalid_request'],
    ['the password grant', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['a grant type in another case', { grant_type: 'Refresh_Token' }, 'unsupported_grant_type'],
    ['a name that every object has', { grant_type: 'constructor' }, 'unsupported_grant_type'],
    ['the name of a prototype', { grant_type: '__proto__' }, 'unsupported_grant_type'],
  ])('rejects a request with %s', async (_, fields, error) => {
    verifies('identity-assertions/grant-parameters', 'oauth-2-1-endpoints/grant-type')
    verifies('oauth-2-1-endpoints/error-codes', 'oauth-2-1-endpoints/error-characters')
    verifies('oauth-2-1-endpoints/error-uri')
    verifies('oauth-2-0/password-grant', { row: 'the password grant' })
    verifies('oauth-security-practice/password-grant', { row: 'the password grant' })
    const refused = await postForm(open(), '/token', fields, basic('machine'))
    expect(await refusalOf(refused)).toEqual(refusalWith(error))
  })

  it.each([
    ['client_credentials from a registered client', { grant_type: 'client_credentials' }],
    ['jwt-bearer from a registered client', { grant_type: JWT_BEARER, assertion: 'x' }],
  ])('rejects %s with unauthorized_client, with and without a secret', async (_, fields) => {
    verifies('client-credentials/security', 'oauth-2-1-clients/privileges-of-clients')
    verifies('oauth-2-1-grants/confidential-client-credentials')
    for (const token_endpoint_auth_method of ['none', 'client_secret_post']) {
      const client = await AuthClient.register(open(), { token_endpoint_auth_method })
      expect(await refusalOf(await client.token(fields))).toEqual(
        refusalWith('unauthorized_client'),
      )
    }
  })

  it.each([
    ['a code', { grant_type: 'authorization_code', code: 'x', code_verifier: VERIFIER }],
    ['a refresh token', { grant_type: 'refresh_token', refresh_token: 'x' }],
  ])(
    'rejects %s with unauthorized_client from a client for credentials alone',
    async (_, fields) => {
      const server = openDeployment({
        clients: [{ id: 'job', secretHash: SECRET_HASH, grantTypes: ['client_credentials'] }],
      })
      const job = new AuthClient(server, 'job', SECRET)
      expect(await refusalOf(await job.token(fields))).toEqual(refusalWith('unauthorized_client'))
    },
  )
})

/** Introspection answers every client that does not authenticate with 401 and a challenge. */
const WITHOUT_CREDENTIALS = {
  '/token': { status: 400, error: 'invalid_request' },
  '/revoke': { status: 400, error: 'invalid_request' },
  '/introspect': { status: 401, error: 'invalid_client', challenge: expect.any(String) },
}

describe.each(ENDPOINTS)('the endpoint %s', (path, fields) => {
  it.each([
    ['in the header', basic('machine'), {}],
    ['in the form', {}, { client_id: 'machine', client_secret: SECRET }],
  ])('accepts a client secret %s', async (_, headers, credentials) => {
    verifies('client-credentials/client-authentication', 'oauth-2-1-clients/secret-in-the-body')
    verifies('oauth-2-0/basic-authentication')
    await bodyOf(await postForm(open(), path, { ...fields, ...credentials }, headers))
  })

  it.each([
    ['an unknown client', basic('unregistered')],
    ['a wrong secret', basic('machine', 'wrong')],
    ['an access token', { authorization: 'Bearer abc' }],
  ])('rejects %s in the header with invalid_client and a challenge', async (_, headers) => {
    verifies('oauth-2-1-endpoints/clients-are-authenticated')
    verifies('oauth-2-1-endpoints/challenge-for-basic')
    expect(await refusalOf(await postForm(open(), path, fields, headers))).toEqual({
      status: 401,
      error: 'invalid_client',
      challenge: 'Basic realm="https://mcp.example.com", charset="UTF-8"',
    })
  })

  it.each([
    ['an unknown client', { client_id: 'unregistered' }],
    ['a wrong secret', { client_id: 'machine', client_secret: 'wrong' }],
    ['no secret from a client that has one', { client_id: 'machine' }],
  ])(
    'rejects %s in the form with invalid_client, at most with a challenge for introspection',
    async (_, credentials) => {
      verifies('oauth-2-1-clients/client-id-is-no-credential')
      verifies('oauth-2-1-endpoints/confidential-clients-authenticate')
      verifies('oauth-2-1-endpoints/clients-are-authenticated')
      verifies('oauth-2-0/client-is-authenticated-when-possible')
      expect(await refusalOf(await postForm(open(), path, { ...fields, ...credentials }))).toEqual({
        status: 401,
        error: 'invalid_client',
        ...(path === '/introspect' && { challenge: expect.any(String) }),
      })
    },
  )

  it('rejects a request that names no client', async () => {
    verifies('enterprise-managed-authorization/no-assertions-in-urls')
    verifies('oauth-2-1-grants/code-is-required', 'oauth-2-0/unauthenticated-client-id')
    const refused = await refusalOf(await postForm(open(), path, fields))
    expect(refused).toEqual(WITHOUT_CREDENTIALS[path])
  })

  it('does not read a client secret from the query', async () => {
    verifies('oauth-2-1-clients/secret-not-in-the-uri')
    const query = new URLSearchParams({ client_id: 'machine', client_secret: SECRET })
    const refused = await refusalOf(await postForm(open(), `${path}?${query}`, fields))
    expect(refused).toEqual(WITHOUT_CREDENTIALS[path])
  })

  it('rejects a secret in the header and in the form with invalid_request', async () => {
    verifies('oauth-2-1-clients/one-authentication-method')
    const twice = { ...fields, client_secret: SECRET }
    expect(await refusalOf(await postForm(open(), path, twice, basic('machine')))).toEqual(
      refusalWith('invalid_request'),
    )
  })
})
