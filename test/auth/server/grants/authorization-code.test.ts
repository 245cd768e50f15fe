/** Codes: what a flow grants, and who may exchange them with which parameters. */
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../support/verifies.ts'
import { bodyOf, reasonsOf } from '../support/answers.ts'
import { Browser, encodeForm, type Fields } from '../support/browser.ts'
import { AuthClient, CHALLENGE, statusWith, tokensOf, VERIFIER } from '../support/client.ts'
import { advance, ORIGIN, openDeployment, PASSPHRASE } from '../support/deployment.ts'
import { authorize, expectRefusal, issue, open, type Setting } from '../support/flow.ts'
import { MACHINE, SECRET } from '../support/static-clients.ts'

const DAY_MS = 86_400_000
const MCP = 'https://mcp.example.com/mcp'
const OTHER = 'https://mcp.example.com/other'
const OLD = 'https://old.example.com/mcp'
const EVIL = 'https://evil.example/mcp'
const SCOPES = {
  read: 'Read notes',
  write: 'Change notes',
  admin: { description: 'Everything', includes: ['read', 'write'] },
}
const TWO: Setting = { app: { otherPaths: ['/other'] }, aliases: [OLD] }
const INITIAL = { scopes: { write: { description: 'Change', initial: false } } }
const READER = { clients: [{ ...MACHINE, scopes: ['read'] }], kind: 'static' } as const

describe('a flow', () => {
  it.each<[string, string, string | undefined, Setting?]>([
    ['without scope', 'read write', undefined],
    ['with an empty scope', 'read write', ''],
    ['for offline_access', 'read write', 'offline_access'],
    ['for a scope', 'read', 'read'],
    ['for a scope that is not initial', 'admin', 'admin'],
    ['for a scope twice', 'read write', 'read write read'],
    ['with several spaces between scopes', 'read write', 'read   write'],
    ['for a scope beside others that do not exist', 'read', 'read notes openid'],
    ['for a scope beside offline_access', 'read', 'read offline_access'],
    ['with a scope of 1,024 characters', 'read', `read ${'x'.repeat(1019)}`],
    ['on a server without scopes', '', 'openid', { scopes: {} }],
    ['without scope, where none is initial', '', undefined, INITIAL],
    ['for offline_access, where no scope is initial', '', 'offline_access', INITIAL],
    ['for a scope, where none is initial', 'write', 'write', INITIAL],
    ['of a configured client with scopes of its own', 'read', 'read write', READER],
    [
      'of a client whose registration has scopes',
      'read write',
      'read write',
      { metadata: { scope: 'read' } },
    ],
  ])('%s is granted "%s", and its refresh too', async (_, granted, scope, setting) => {
    verifies('oauth-2-1-clients/default-scope')
    const steps = { scopes: SCOPES, ...setting, authorize: { scope } }
    const { server, text, response } = await issue(steps)
    expect(text).toBe(`200 Bearer ${granted}`.trimEnd())
    expect(await statusWith(server, (await tokensOf(response)).access)).toBe(200)
    expect((await issue({ ...steps, refresh: {} })).text).toBe(text)
  })

  it('of a configured client for a scope that it may not have is refused', async () => {
    const { text } = await authorize({ ...READER, authorize: { scope: 'write' } })
    expect(text).toBe('redirect invalid_scope')
  })

  it('lists the granted scopes on the consent page, and no others', async () => {
    const { page } = await authorize({ authorize: { scope: 'write unknown' } })
    expect(page.html).toContain('Change notes')
    expect(page.html).not.toMatch(/Read notes|unknown/)
  })

  it.each([
    ['no resource', MCP, undefined],
    ['an empty resource', MCP, ''],
    ['the first resource', MCP, MCP],
    ['the first resource with a trailing slash', MCP, `${MCP}/`],
    ['the first resource with the host in upper case', MCP, 'HTTPS://MCP.EXAMPLE.COM/mcp'],
    ['another resource', OTHER, OTHER],
    ['an alias', MCP, OLD],
    ['an alias with a trailing slash', MCP, `${OLD}/`],
    ['the address of the older transport', MCP, `${ORIGIN}/sse`],
    ['the origin', MCP, ORIGIN],
    ['the origin with a trailing slash', MCP, `${ORIGIN}/`],
  ])('that names %s is granted a token for %s alone', async (_, granted, resource) => {
    verifies('jwt-access-tokens/default-audience')
    const { server, response } = await issue({ ...TWO, authorize: { resource } })
    const { access } = await tokensOf(response)
    expect(await statusWith(server, access, granted)).toBe(200)
    expect(await statusWith(server, access, granted === MCP ? OTHER : MCP)).toBe(401)
  })
})

describe('a code', () => {
  it('is exchanged for an access token and a refresh token', async () => {
    verifies('authorization/oauth-2-1', 'oauth-2-1-clients/granted-scope-is-returned')
    verifies('oauth-2-1-endpoints/access-token-and-type', 'oauth-2-1-endpoints/no-store')
    verifies('oauth-2-0/pragma', 'oauth-security-practice/refresh-tokens-by-risk')
    const { server, response } = await issue({ authorize: { scope: 'read' } })
    const body = await bodyOf(response)
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
    const { code } = await issue()
    const sealed = code.slice(code.indexOf('.') + 1)
    const content = atob(sealed.replaceAll('-', '+').replaceAll('_', '/'))
    for (const text of [code, content]) expect(text).not.toMatch(new RegExp(`${CHALLENGE}|owner`))
  })

  it.each<[string, string, Fields, Fields?]>([
    ['no redirect_uri, as OAuth 2.1 has it', '200', { redirect_uri: undefined }],
    ['its resource', '200', { resource: OTHER }],
    ['its resource with a slash', '200', { resource: `${OTHER}/` }],
    ['another resource', '400 invalid_target', { resource: MCP }],
    ['a resource that is not served', '400 invalid_target', { resource: EVIL }],
    ['no code', '400 invalid_request', { code: undefined }],
    ['an empty code', '400 invalid_request', { code: '' }],
    ['a code that was made up', '400 invalid_grant', { code: 'made-up' }],
    ['no code_verifier', '400 invalid_request', { code_verifier: undefined }],
    ['an empty verifier', '400 invalid_request', { code_verifier: '' }],
    ['a verifier of 42 characters', '400 invalid_request', { code_verifier: 'a'.repeat(42) }],
    ['a verifier of 129 characters', '400 invalid_request', { code_verifier: 'a'.repeat(129) }],
    [
      'a verifier with a reserved character',
      '400 invalid_request',
      { code_verifier: `${VERIFIER}+` },
    ],
    ['a verifier that is not ASCII', '400 invalid_request', { code_verifier: `${VERIFIER}ä` }],
    ['the challenge as the verifier', '400 invalid_grant', { code_verifier: CHALLENGE }],
    ['another code verifier', '400 invalid_grant', { code_verifier: 'a'.repeat(43) }],
    [
      ...(['a verifier of 43 characters', '200'] as const),
      { code_verifier: 'a'.repeat(43) },
      { code_challenge: 'ZtNPunH49FD35FWYhT5Tv8I7vRKQJ8uxMaL0_9eHjNA' },
    ],
    [
      ...(['a verifier of 128 characters', '200'] as const),
      { code_verifier: `${'-._~'.repeat(32)}` },
      { code_challenge: 'wEN2Mh1i33jhevH7WF-NulA1aGJPY9l0zG2M4t8rhw4' },
    ],
  ])('with %s is answered with %s, and a refusal does not spend it', async (...row) => {
    verifies('oauth-2-1-grants/code-verifier-is-enforced', 'oauth-2-1-grants/challenge-is-kept')
    verifies('pkce/challenge-is-kept', 'pkce/code-verifier', 'pkce/method-of-the-code')
    verifies('oauth-security-practice/verifier-is-enforced')
    verifies('oauth-2-1-grants/code-is-required')
    verifies('pkce/wrong-verifier', { row: 'another code verifier' })
    const [, answer, token, asked] = row
    const { text, client, code } = await issue({
      ...TWO,
      authorize: { resource: OTHER, ...asked },
      token,
    })
    expect(text).toBe(answer === '200' ? '200 Bearer read write' : answer)
    if (answer !== '200') expect((await client.redeem(code)).status).toBe(200)
  })

  it.each([OTHER, MCP])(
    'is not spent by a request with the resources /mcp and %s',
    async (other) => {
      const { client, server } = await open(TWO)
      const code = await client.code({ resource: MCP })
      const grant = { grant_type: 'authorization_code', code, code_verifier: VERIFIER }
      const body = encodeForm({ client_id: client.id, ...grant, resource: MCP })
      const refused = await server.fetch(`${ORIGIN}/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `${body}&${encodeForm({ resource: other })}`,
      })
      await expectRefusal(refused, 'invalid_target')
      expect((await client.redeem(code)).status).toBe(200)
    },
  )

  it.each([
    ['http://127.0.0.1:33418/', 'http://127.0.0.1:5000', 'http://127.0.0.1:5000/'],
    ['http://localhost', 'http://localhost:5000/', 'http://localhost:5000'],
    ['http://[::1]?a=b', 'http://[::1]:5000/?a=b', 'http://[::1]:5000?a=b'],
  ])('for the registered %s is sent to %s and exchanged with this text alone', async (...uris) => {
    verifies('oauth-2-1-grants/redirect-uri-of-oauth-2-0')
    verifies('oauth-2-0/redirect-uri-of-the-exchange')
    const [registered, redirect_uri, other] = uris
    const { client } = await open({ metadata: { redirect_uris: [registered] } })
    const browser = new Browser(client.server)
    const page = await client.authorize(browser, { redirect_uri })
    const { location } = await browser.decide(page, 'approve', { passphrase: PASSPHRASE })
    const mark = redirect_uri.includes('?') ? '&' : '?'
    expect(location?.startsWith(`${redirect_uri}${mark}code=`)).toBe(true)
    const code = new URL(location ?? '').searchParams.get('code') ?? ''
    await expectRefusal(client.redeem(code, { redirect_uri: other }), 'invalid_grant')
    expect((await client.redeem(code, { redirect_uri })).status).toBe(200)
  })

  it('is exchanged by a registered client with its secret alone', async () => {
    const { client } = await open({ kind: 'secret' })
    const code = await client.code()
    await expectRefusal(client.redeem(code, { client_secret: 'wrong' }), 'invalid_client', 401)
    expect((await client.redeem(code)).status).toBe(200)
  })

  it('is rejected with invalid_grant when another client presents it, and not spent', async () => {
    verifies('oauth-2-1-grants/code-belongs-to-its-client', 'oauth-2-0/unauthenticated-client-id')
    verifies('oauth-2-0/client-is-authenticated-when-possible')
    const { server, client } = await open()
    const code = await client.code()
    await expectRefusal((await AuthClient.register(server)).redeem(code), 'invalid_grant')
    expect(reasonsOf(server)).toEqual(['code-client-mismatch'])
    expect((await client.redeem(code)).status).toBe(200)
  })

  it('is rejected with invalid_grant by another server, and under another issuer', async () => {
    const { server, client } = await open({ kind: 'static' })
    const code = await client.code()
    const elsewhere = await AuthClient.register(openDeployment())
    await expectRefusal(elsewhere.redeem(code), 'invalid_grant')
    const options = { origin: 'https://moved.example.com', clients: [MACHINE] }
    const moved = openDeployment(options, { bindings: server.bindings })
    await expectRefusal(new AuthClient(moved, 'machine', SECRET).redeem(code), 'invalid_grant')
  })

  it('is rejected with invalid_grant in place of a refresh token, and the reverse', async () => {
    const { client } = await open()
    const { refresh } = await client.tokens()
    await expectRefusal(client.redeem(refresh), 'invalid_grant')
    await expectRefusal(client.refresh(await client.code()), 'invalid_grant')
  })
})

describe('the replay of a code', () => {
  it('is rejected with invalid_grant and ends the tokens of the first exchange', async () => {
    verifies('oauth-2-1-grants/single-use-codes', 'oauth-2-0/code-is-used-once')
    verifies('oauth-security-practice/codes-are-invalidated')
    const { server, client, code, response } = await issue()
    const { access, refresh } = await tokensOf(response)
    await expectRefusal(client.redeem(code), 'invalid_grant')
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
