import { describe, expect, it } from 'vitest'
import { verifies } from '../../../support/verifies.ts'
import { bodyOf, reasonsOf, refusalOf, refusalWith } from '../support/answers.ts'
import { Browser } from '../support/browser.ts'
import { AuthClient, CHALLENGE, register, statusWith, tokensOf } from '../support/client.ts'
import { advance, openDeployment, PASSPHRASE } from '../support/deployment.ts'
import { MACHINE, SECRET } from '../support/static-clients.ts'

const DAY_MS = 86_400_000

async function open() {
  const server = openDeployment({ clients: [MACHINE] })
  return { server, client: await AuthClient.register(server) }
}

describe('a code', () => {
  it('is exchanged for an access token and a refresh token', async () => {
    verifies('authorization/oauth-2-1', 'oauth-2-1-clients/granted-scope-is-returned')
    verifies('oauth-2-1-endpoints/access-token-and-type', 'oauth-2-1-endpoints/no-store')
    verifies('oauth-2-1-grants/redirect-uri-of-oauth-2-0', 'oauth-2-0/pragma')
    verifies('oauth-security-practice/refresh-tokens-by-risk')
    const { server, client } = await open()
    const body = await bodyOf(await client.redeem(await client.code({ scope: 'read' })))
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 86_400,
      scope: 'read',
      refresh_token: expect.stringMatching(/^[\w.-]+$/),
    })
    expect(await statusWith(server, String(body.access_token))).toBe(200)
  })

  it('discloses neither its person nor the code challenge', async () => {
    verifies('oauth-2-1-grants/challenge-is-not-disclosed', 'pkce/challenge-is-not-disclosed')
    const { client } = await open()
    const code = await client.code()
    const sealed = code.slice(code.indexOf('.') + 1)
    const content = atob(sealed.replaceAll('-', '+').replaceAll('_', '/'))
    for (const text of [code, content]) expect(text).not.toMatch(new RegExp(`${CHALLENGE}|owner`))
  })

  it('is exchanged without redirect_uri, as OAuth 2.1 has it', async () => {
    verifies('oauth-2-1-grants/redirect-uri-of-oauth-2-0', 'oauth-2-0/redirect-uri-of-the-exchange')
    const { client } = await open()
    const redeemed = await client.redeem(await client.code(), { redirect_uri: undefined })
    expect(redeemed.status).toBe(200)
  })

  it.each([
    ['http://127.0.0.1:33418/', 'http://127.0.0.1:5000', 'http://127.0.0.1:5000/'],
    ['http://localhost', 'http://localhost:5000/', 'http://localhost:5000'],
    ['http://[::1]?a=b', 'http://[::1]:5000/?a=b', 'http://[::1]:5000?a=b'],
  ])(
    'for a client that has registered %s is sent to %s and exchanged with this text alone',
    async (...uris) => {
      verifies(
        'oauth-2-1-grants/redirect-uri-of-oauth-2-0',
        'oauth-2-0/redirect-uri-of-the-exchange',
      )
      const [registered, redirect_uri, other] = uris
      const client = await AuthClient.register(openDeployment(), { redirect_uris: [registered] })
      const browser = new Browser(client.server)
      const page = await client.authorize(browser, { redirect_uri })
      const { location } = await browser.decide(page, 'approve', { passphrase: PASSPHRASE })
      const mark = redirect_uri.includes('?') ? '&' : '?'
      expect(location?.startsWith(`${redirect_uri}${mark}code=`)).toBe(true)
      const code = new URL(location ?? '').searchParams.get('code') ?? ''
      const wrong = await client.redeem(code, { redirect_uri: other })
      expect(await refusalOf(wrong)).toEqual(refusalWith('invalid_grant'))
      expect((await client.redeem(code, { redirect_uri })).status).toBe(200)
    },
  )

  it('is exchanged by a client that authenticates', async () => {
    verifies('authorization/oauth-2-1')
    const { server } = await open()
    const machine = new AuthClient(server, 'machine', SECRET)
    expect((await machine.redeem(await machine.code())).status).toBe(200)
  })

  it('is exchanged by a registered client that has a secret', async () => {
    const { server } = await open()
    const response = await register(server, { token_endpoint_auth_method: 'client_secret_post' })
    const { client_id, client_secret } = await response.json<Record<string, string>>()
    const client = new AuthClient(server, client_id ?? '', client_secret)
    const code = await client.code()
    const wrong = await client.redeem(code, { client_secret: 'wrong' })
    expect(await refusalOf(wrong)).toEqual(refusalWith('invalid_client', 401))
    expect((await client.redeem(code)).status).toBe(200)
  })

  it.each([
    ['without a code', undefined, 'invalid_request'],
    ['with an empty code', '', 'invalid_request'],
    ['with a code that was made up', 'made-up', 'invalid_grant'],
  ])('is required: a request %s is rejected', async (_, code, error) => {
    verifies('oauth-2-1-endpoints/empty-parameters', 'oauth-2-1-endpoints/error-codes')
    verifies('oauth-2-1-grants/code-is-required')
    const { client } = await open()
    const refused = await client.redeem('', { code })
    expect(await refusalOf(refused)).toEqual(refusalWith(error))
  })

  it('is rejected with invalid_grant when another client presents it, and not spent', async () => {
    verifies('oauth-2-1-grants/code-belongs-to-its-client', 'oauth-2-0/unauthenticated-client-id')
    verifies('oauth-2-1-grants/redirect-uri-of-oauth-2-0')
    verifies('oauth-2-0/client-is-authenticated-when-possible')
    const { server, client } = await open()
    const code = await client.code()
    const other = await AuthClient.register(server)
    expect(await refusalOf(await other.redeem(code))).toEqual(refusalWith('invalid_grant'))
    expect(reasonsOf(server)).toEqual(['code-client-mismatch'])
    expect((await client.redeem(code)).status).toBe(200)
  })

  it('is rejected with invalid_grant by another server', async () => {
    const { client } = await open()
    const code = await client.code()
    const elsewhere = await AuthClient.register(openDeployment())
    expect(await refusalOf(await elsewhere.redeem(code))).toEqual(refusalWith('invalid_grant'))
  })

  it('is rejected with invalid_grant under another issuer with the same keys', async () => {
    const { server, client } = await open()
    const code = await client.code()
    const moved = openDeployment(
      { origin: 'https://moved.example.com', clients: [MACHINE] },
      { bindings: server.bindings },
    )
    const machine = new AuthClient(moved, 'machine', SECRET)
    expect(await refusalOf(await machine.redeem(code))).toEqual(refusalWith('invalid_grant'))
  })

  it('is rejected with invalid_grant in place of a refresh token, and the reverse', async () => {
    const { client } = await open()
    const { refresh } = await client.tokens()
    for (const refused of [
      await client.redeem(refresh),
      await client.refresh(await client.code()),
    ]) {
      expect(await refusalOf(refused)).toEqual(refusalWith('invalid_grant'))
    }
  })
})

describe('the replay of a code', () => {
  it('is rejected with invalid_grant and ends the tokens of the first exchange', async () => {
    verifies('oauth-2-1-grants/single-use-codes', 'oauth-2-0/code-is-used-once')
    verifies('oauth-security-practice/codes-are-invalidated')
    const { server, client } = await open()
    const code = await client.code()
    const { access, refresh } = await tokensOf(await client.redeem(code))
    expect(await refusalOf(await client.redeem(code))).toEqual(refusalWith('invalid_grant'))
    expect(reasonsOf(server)).toEqual(['code-replayed'])
    expect(await statusWith(server, access)).toBe(401)
    expect((await client.refresh(refresh)).status).toBe(400)
  })

  it('is recognised for 30 days after the end of the code', async () => {
    const { server, client } = await open()
    const codes = [await client.code(), await client.code()]
    const tokens = []
    for (const code of codes) tokens.push(await tokensOf(await client.redeem(code)))
    advance(60_000 + 30 * DAY_MS - 1)
    await client.redeem(codes[0] ?? '')
    advance(1)
    await client.redeem(codes[1] ?? '')
    const refreshed = tokens.map(async ({ refresh }) => (await client.refresh(refresh)).status)
    expect(await Promise.all(refreshed)).toEqual([400, 200])
    expect(reasonsOf(server)).toEqual(['code-replayed', 'grant-unknown'])
  })
})
