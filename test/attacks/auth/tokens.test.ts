/** Authorization codes and refresh tokens presented by the wrong client, repeatedly, or concurrently. */
import { beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import {
  createVerifier,
  obtainCode,
  obtainTokens,
  type Registered,
  redemption,
  refreshing,
  register,
  tokensIn,
} from './client.ts'
import { claimsOf } from './forge.ts'
import { serveProtected } from './protected-server.ts'
import { statusWith, untilStatus } from './resource.ts'
import { errorOf, postForm, type Sending } from './send.ts'

const server = serveProtected()
let client: Registered
let other: Registered
let confidential: Registered
beforeAll(async () => {
  client = await register(server.issuer)
  other = await register(server.issuer)
  confidential = await register(server.issuer, { token_endpoint_auth_method: 'client_secret_post' })
})

const ask = (fields: Readonly<Record<string, string>>, headers: Sending['headers'] = []) =>
  postForm(server.issuer, '/token', fields, headers)
const basic = (id: string, secret: string) =>
  ['authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`] as const
const without = (fields: Readonly<Record<string, string>>, name: string) =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name))

type Change = (fields: Record<string, string>) => Readonly<Record<string, string>>

describe('/token rejects a code, which stays valid, with', () => {
  const wrong: readonly (readonly [string, Change, number, string])[] = [
    ['no verifier', (fields) => without(fields, 'code_verifier'), 400, 'invalid_request'],
    [
      'a verifier that is too short',
      (fields) => ({ ...fields, code_verifier: 'a' }),
      400,
      'invalid_request',
    ],
    [
      'another verifier',
      (fields) => ({ ...fields, code_verifier: createVerifier() }),
      400,
      'invalid_grant',
    ],
    [
      'another redirect URI',
      (fields) => ({ ...fields, redirect_uri: 'https://evil.example/' }),
      400,
      'invalid_grant',
    ],
    ['another client', (fields) => ({ ...fields, client_id: other.id }), 400, 'invalid_grant'],
    ['no client', (fields) => without(fields, 'client_id'), 400, 'invalid_request'],
    [
      'an invented client',
      (fields) => ({ ...fields, client_id: 'made-up' }),
      401,
      'invalid_client',
    ],
    [
      'another resource',
      (fields) => ({ ...fields, resource: `${server.issuer}/other` }),
      400,
      'invalid_target',
    ],
    [
      'a resource of another server',
      (fields) => ({ ...fields, resource: 'https://evil.example' }),
      400,
      'invalid_target',
    ],
    [
      'another grant type',
      (fields) => ({ ...fields, grant_type: 'password' }),
      400,
      'unsupported_grant_type',
    ],
    [
      'a grant type named like a member of every object',
      (fields) => ({ ...fields, grant_type: 'constructor' }),
      400,
      'unsupported_grant_type',
    ],
    [
      'the code as a refresh token',
      ({ code = '', ...fields }) => ({
        ...fields,
        grant_type: 'refresh_token',
        refresh_token: code,
      }),
      400,
      'invalid_grant',
    ],
    [
      'a changed code',
      (fields) => ({ ...fields, code: `${fields.code?.slice(0, -4)}AAAA` }),
      400,
      'invalid_grant',
    ],
    [
      'a secret although the client has none',
      (fields) => ({ ...fields, client_secret: 'made-up' }),
      401,
      'invalid_client',
    ],
  ]
  it.each(wrong)('%s', async (_, change, status, code) => {
    verifies('pkce/wrong-verifier', 'oauth-security-practice/verifier-is-enforced')
    const fields = redemption(await obtainCode(server.issuer, client))
    const answer = await ask(change(fields))
    expect([answer.status, errorOf(answer)]).toEqual([status, code])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect((await ask(fields)).status).toBe(200)
  })
})

describe('a redeemed code', () => {
  it('revokes its grant when it is redeemed again', async () => {
    verifies('oauth-2-1-grants/single-use-codes')
    const fields = redemption(await obtainCode(server.issuer, client))
    const { access, refresh } = tokensIn(await ask(fields))
    expect(await statusWith(server.issuer, access)).toBe(200)
    expect(errorOf(await ask(fields))).toBe('invalid_grant')
    expect(await untilStatus(server.issuer, access, 401)).toBe(401)
    expect(errorOf(await ask(refreshing(client, refresh)))).toBe('invalid_grant')
  })

  const half: readonly (readonly [string, Change])[] = [
    ['another verifier', (fields) => ({ ...fields, code_verifier: createVerifier() })],
    ['another client', (fields) => ({ ...fields, client_id: other.id })],
    ['another redirect URI', (fields) => ({ ...fields, redirect_uri: 'https://evil.example/' })],
  ]
  it.each(half)('revokes nothing when it is presented with %s', async (_, change) => {
    const fields = redemption(await obtainCode(server.issuer, client))
    const { refresh } = tokensIn(await ask(fields))
    expect(errorOf(await ask(change(fields)))).toBe('invalid_grant')
    expect((await ask(refreshing(client, refresh))).status).toBe(200)
  })

  it('is accepted once of twenty concurrent requests, and the others revoke its grant', async () => {
    verifies('oauth-2-1-grants/single-use-codes', 'oauth-2-0/code-is-used-once')
    verifies('oauth-security-practice/codes-are-invalidated')
    const fields = redemption(await obtainCode(server.issuer, client))
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(fields)))
    const winners = answers.filter(({ status }) => status === 200)
    expect(winners).toHaveLength(1)
    for (const winner of winners) {
      expect(await untilStatus(server.issuer, tokensIn(winner).access, 401)).toBe(401)
    }
  })
})

describe('a refresh token', () => {
  it('returns one valid successor to twenty concurrent requests', async () => {
    const { refresh } = await obtainTokens(server.issuer, client)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ask(refreshing(client, refresh))),
    )
    const successors = new Set(answers.map((answer) => tokensIn(answer).refresh))
    expect(successors.size).toBe(1)
    const [successor = ''] = successors
    expect((await ask(refreshing(client, successor))).status).toBe(200)
  })

  it('revokes its grant when it is reused after its successor', async () => {
    verifies('oauth-2-1-grants/replay-of-refresh-tokens')
    const first = await obtainTokens(server.issuer, client)
    const second = tokensIn(await ask(refreshing(client, first.refresh)))
    const third = tokensIn(await ask(refreshing(client, second.refresh)))
    expect(errorOf(await ask(refreshing(client, first.refresh)))).toBe('invalid_grant')
    expect(errorOf(await ask(refreshing(client, third.refresh)))).toBe('invalid_grant')
    expect(await untilStatus(server.issuer, third.access, 401)).toBe(401)
  })

  const wrong: readonly (readonly [string, Change, number, string])[] = [
    ['another client', (fields) => ({ ...fields, client_id: other.id }), 400, 'invalid_grant'],
    [
      'a scope that was not granted',
      (fields) => ({ ...fields, scope: 'read write' }),
      400,
      'invalid_scope',
    ],
    [
      'a scope that does not exist',
      (fields) => ({ ...fields, scope: 'admin' }),
      400,
      'invalid_scope',
    ],
    [
      'another resource',
      (fields) => ({ ...fields, resource: `${server.issuer}/other` }),
      400,
      'invalid_target',
    ],
    ['no token', (fields) => without(fields, 'refresh_token'), 400, 'invalid_request'],
    [
      'a changed token',
      (fields) => ({ ...fields, refresh_token: `${fields.refresh_token?.slice(0, -4)}AAAA` }),
      400,
      'invalid_grant',
    ],
    [
      'an invented token',
      (fields) => ({ ...fields, refresh_token: 'owner:grant:secret' }),
      400,
      'invalid_grant',
    ],
    [
      'a token with a NUL',
      (fields) => ({ ...fields, refresh_token: `${fields.refresh_token}\u0000` }),
      400,
      'invalid_grant',
    ],
  ]
  it.each(wrong)('is rejected and stays valid with %s', async (_, change, status, code) => {
    const { refresh } = await obtainTokens(server.issuer, client, { scope: 'read' })
    const fields = refreshing(client, refresh)
    const answer = await ask(change(fields))
    expect([answer.status, errorOf(answer)]).toEqual([status, code])
    const good = await ask(fields)
    expect([good.status, tokensIn(good).scope]).toEqual([200, 'read'])
  })

  it('issues a narrower scope on request', async () => {
    verifies('oauth-2-1-endpoints/scope-of-the-response')
    const { refresh } = await obtainTokens(server.issuer, client, { scope: 'read write' })
    const less = tokensIn(await ask({ ...refreshing(client, refresh), scope: 'read' }))
    expect([less.scope, claimsOf(less.access).scope]).toEqual(['read', 'read'])
  })
})

describe('/token rejects a confidential client', () => {
  const credentials: readonly (readonly [
    string,
    () => Record<string, string>,
    () => Sending['headers'],
    string,
  ])[] = [
    ['without its secret', () => ({ client_id: confidential.id }), () => [], 'invalid_client'],
    [
      'with a wrong secret',
      () => ({ client_id: confidential.id, client_secret: 'wrong' }),
      () => [],
      'invalid_client',
    ],
    [
      'with a wrong secret of the same length',
      () => ({ client_id: confidential.id, client_secret: 'a'.repeat(43) }),
      () => [],
      'invalid_client',
    ],
    [
      'with two authentication methods',
      () => ({ client_secret: confidential.secret ?? '' }),
      () => [basic(confidential.id, confidential.secret ?? '')],
      'invalid_request',
    ],
    [
      'with another client id in the form',
      () => ({ client_id: other.id }),
      () => [basic(confidential.id, confidential.secret ?? '')],
      'invalid_request',
    ],
    [
      'with two Authorization headers',
      () => ({}),
      () => [basic(confidential.id, confidential.secret ?? ''), basic(other.id, '')],
      'invalid_client',
    ],
    [
      'with a bearer token',
      () => ({ client_id: confidential.id }),
      () => [['authorization', 'Bearer a']],
      'invalid_client',
    ],
    [
      'with a malformed client assertion',
      () => ({
        client_id: confidential.id,
        client_assertion: 'a.b.c',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      }),
      () => [],
      'invalid_client',
    ],
  ]
  it.each(credentials)('%s', async (_, fields, headers, code) => {
    verifies('oauth-2-1-clients/client-id-is-no-credential')
    verifies('oauth-2-1-endpoints/clients-are-authenticated')
    const answer = await ask(
      { grant_type: 'refresh_token', refresh_token: 'a', ...fields() },
      headers(),
    )
    expect([answer.status, errorOf(answer)]).toEqual([code === 'invalid_client' ? 401 : 400, code])
  })
})

it.each(['client_credentials', 'urn:ietf:params:oauth:grant-type:jwt-bearer'])(
  '/token rejects the grant type %s for a self-registered client',
  async (grant_type) => {
    verifies('client-credentials/security', 'oauth-2-1-clients/privileges-of-clients')
    verifies('oauth-2-1-grants/confidential-client-credentials')
    for (const { id, secret } of [client, confidential]) {
      const answer = await ask({
        ...{ grant_type, client_id: id, assertion: 'a.b.c' },
        ...(secret === undefined ? {} : { client_secret: secret }),
      })
      expect([answer.status, errorOf(answer)]).toEqual([400, 'unauthorized_client'])
    }
  },
)

describe('/revoke', () => {
  const revoke = (fields: Readonly<Record<string, string>>) =>
    postForm(server.issuer, '/revoke', fields)

  it("answers 200 to another client's token and leaves it valid", async () => {
    const { access, refresh } = await obtainTokens(server.issuer, client)
    for (const token of [access, refresh]) {
      const answer = await revoke({ token, client_id: other.id })
      expect([answer.status, answer.body]).toEqual([200, '{}'])
    }
    expect((await ask(refreshing(client, refresh))).status).toBe(200)
  })

  it.each(['made-up', '\u0000', 'a'.repeat(50_000), 'a.b.c'])(
    'answers 200 to an invalid token',
    async (token) => {
      expect((await revoke({ token, client_id: client.id })).status).toBe(200)
    },
  )

  it('revokes the grant of an access token, a refresh token and a used refresh token', async () => {
    for (const which of ['access', 'refresh', 'spent'] as const) {
      const first = await obtainTokens(server.issuer, client)
      const second = tokensIn(await ask(refreshing(client, first.refresh)))
      const token = { access: second.access, refresh: second.refresh, spent: first.refresh }[which]
      await revoke({ token, client_id: client.id })
      expect(await untilStatus(server.issuer, second.access, 401)).toBe(401)
      expect(errorOf(await ask(refreshing(client, second.refresh)))).toBe('invalid_grant')
    }
  })
})

describe('/introspect', () => {
  const introspect = (fields: Readonly<Record<string, string>>) =>
    postForm(server.issuer, '/introspect', fields)
  const own = () => ({ client_id: confidential.id, client_secret: confidential.secret ?? '' })

  it('rejects a client without authentication', async () => {
    verifies('token-introspection/authorization')
    const { access } = await obtainTokens(server.issuer, client)
    const answer = await introspect({ token: access, client_id: client.id })
    expect([answer.status, errorOf(answer)]).toEqual([401, 'invalid_client'])
  })

  it("reports another client's token and an invalid token as inactive", async () => {
    verifies('token-introspection/inactive')
    const { access, refresh } = await obtainTokens(server.issuer, client)
    for (const token of [access, refresh, 'made-up', 'a.b.c']) {
      const answer = await introspect({ token, ...own() })
      expect([answer.status, answer.body]).toEqual([200, '{"active":false}'])
    }
  })
})
