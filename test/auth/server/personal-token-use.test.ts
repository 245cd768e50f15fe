/** Personal access tokens at the endpoint: what a holder can do, and what ends it. */
import { describe, expect, it } from 'vitest'
import { bodyOf } from './support/answers.ts'
import { callerOf, callTool, propsServer } from './support/api-keys.ts'
import { Browser } from './support/browser.ts'
import { AuthClient, postForm, statusWith } from './support/client.ts'
import { advance, createBindings, type Deployment, GUEST_PASSPHRASE } from './support/deployment.ts'
import { expectRefusal } from './support/flow.ts'
import {
  createToken,
  DAY_MS,
  openOwner,
  openWithTokens,
  revokeToken,
  sendTokenForm,
  tokenIds,
} from './support/personal-tokens.ts'
import { basic, MACHINE } from './support/static-clients.ts'

const MCP = 'https://mcp.example.com/mcp'
const OTHER = 'https://mcp.example.com/other'
const WITH_OTHER = { app: { otherPaths: ['/other'] } }

/** The status of the endpoint and its challenge without the metadata URL. */
async function answerTo(
  server: Deployment,
  token: string,
  options: Parameters<typeof callTool>[3] = {},
) {
  const response = await callTool(server, token, 'caller', options)
  const challenge = response.headers.get('www-authenticate') ?? ''
  return [response.status, /error="([^"]*)"/.exec(challenge)?.[1]]
}

const INVALID = [401, 'invalid_token']

/** The same deployment in another isolate. */
const elsewhere = (server: Deployment, options = {}) =>
  openWithTokens(options, { bindings: server.bindings })

async function openToken(...options: Parameters<typeof openOwner>) {
  const opened = await openOwner(...options)
  return { ...opened, token: await createToken(opened.browser) }
}

/** Replaces one character by another one of the same alphabet. */
function alter(token: string, at: number): string {
  const index = at < 0 ? token.length + at : at
  const other = token[index] === 'A' ? 'B' : 'A'
  return token.slice(0, index) + other + token.slice(index + 1)
}

describe('a personal access token', () => {
  it('authenticates its person, with a client id that names the token', async () => {
    const { server, browser, token } = await openToken()
    const [id] = await tokenIds(browser)
    expect(await callerOf(server, token)).toEqual({
      subject: 'owner',
      clientId: `personal-access-token:${id}`,
      scopes: ['read'],
      issuer: 'https://mcp.example.com',
      resource: MCP,
    })
    const guest = new Browser(server)
    await guest.signIn(GUEST_PASSPHRASE)
    const foreign = await createToken(guest, { passphrase: GUEST_PASSPHRASE })
    expect((await callerOf(server, foreign)).subject).toBe('guest')
  })

  it('works in every isolate, also after its creator has signed out and disconnected all apps', async () => {
    const { server, browser, token } = await openToken()
    const client = await AuthClient.register(server)
    const { access } = await client.tokens()
    const csrf = /name="csrf" value="([^"]*)"/.exec((await browser.get('/account')).html)?.[1]
    await browser.post('/account/disconnect', { csrf, client: client.id })
    await browser.post('/logout', { csrf })
    expect(await statusWith(server, access)).toBe(401)
    expect(await statusWith(elsewhere(server), token)).toBe(200)
  })

  it('may do only what its scopes allow, and its challenge names the missing one', async () => {
    const { server, browser, token } = await openToken()
    const write = await createToken(browser, { name: 'Editor', 'scope write': 'yes' })
    const refused = await callTool(server, token, 'change')
    expect(refused.status).toBe(403)
    expect(refused.headers.get('www-authenticate')).toContain('scope="read write"')
    expect((await callTool(server, write, 'change')).status).toBe(200)
  })

  it('is refused at another resource, and when its resource is not served any more', async () => {
    const { server, browser, token } = await openToken({}, WITH_OTHER)
    const other = await createToken(browser, { name: 'Other', resource: OTHER })
    expect(await statusWith(server, token, OTHER)).toBe(401)
    expect(await statusWith(server, other, OTHER)).toBe(200)
    expect(await statusWith(server, other)).toBe(401)
    expect(await answerTo(elsewhere(server), other)).toEqual(INVALID)
  })

  it('is for one tenant where the address has a form', async () => {
    const app = { path: '/mcp/{org}' }
    const { server, browser } = await openOwner({}, { app, factory: propsServer })
    expect((await browser.get('/account')).html).toMatch(/name="resource" type="url" required/)
    const token = await createToken(browser, { resource: `${MCP}/acme` })
    expect(await statusWith(server, token, `${MCP}/acme`)).toBe(200)
    expect(await statusWith(server, token, `${MCP}/other`)).toBe(401)
  })

  it('is valid up to the moment of its expiry', async () => {
    const { server, browser } = await openOwner()
    const token = await createToken(browser, { lifetime: String(7 * DAY_MS) })
    advance(7 * DAY_MS - 1)
    expect(await statusWith(server, token)).toBe(200)
    advance(1)
    expect(await answerTo(server, token)).toEqual(INVALID)
    expect(await answerTo(elsewhere(server), token)).toEqual(INVALID)
    await browser.signIn()
    expect(await tokenIds(browser)).toEqual([])
  })

  it('is valid for all of 90 days, over the rotations of the keys', async () => {
    const { server, browser } = await openOwner()
    const token = await createToken(browser, { lifetime: String(90 * DAY_MS) })
    for (let days = 10; days < 90; days += 10) {
      advance(10 * DAY_MS)
      expect(await statusWith(elsewhere(server), token)).toBe(200)
    }
    advance(10 * DAY_MS)
    expect(await answerTo(elsewhere(server), token)).toEqual(INVALID)
  })

  it('is refused in another isolate within 30 seconds after its revocation', async () => {
    const { server, browser, token } = await openToken()
    const other = elsewhere(server)
    expect(await statusWith(other, token)).toBe(200)
    await revokeToken(browser, (await tokenIds(browser))[0])
    expect(await answerTo(server, token)).toEqual(INVALID)
    advance(30_000)
    expect(await answerTo(other, token)).toEqual(INVALID)
    const message = 'The access token has been revoked'
    expect(other.events.at(-1)).toMatchObject({ type: 'refusal', name: 'invalid_token', message })
  })

  it('is refused when it is altered at any character, also with a matching checksum', async () => {
    const { server, token } = await openToken()
    const altered = Array.from(token, (_, at) => alter(token, at))
    const short = [token.slice(0, -1), token.slice(0, -9), 'ewp_', `ewp_${token}`, `${token}A`]
    const checksumOf = (text: string) => {
      let hash = 0x811c9dc5
      for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193)
      return `${text}_${(hash >>> 0).toString(16).padStart(8, '0')}`
    }
    const content = token.slice(0, -9)
    expect(checksumOf(content)).toBe(token)
    const matching = [4, 8, 20, -2].map((at) => checksumOf(alter(content, at)))
    for (const text of [...altered, ...short, ...matching]) {
      expect([text, ...(await answerTo(server, text))]).toEqual([text, ...INVALID])
    }
    expect(await statusWith(server, token)).toBe(200)
  })

  it.each<[string, (server: Deployment) => Deployment, string?]>([
    ['by another deployment', () => openWithTokens({}, { bindings: createBindings() })],
    [
      ...(['under another origin'] as const),
      (server) => elsewhere(server, { origin: 'https://other.example.com' }),
      'https://other.example.com/mcp',
    ],
    ['without personalAccessTokens()', (server) => elsewhere(server, { features: [] })],
    [
      ...(['when its person may not come in any more'] as const),
      (server) => elsewhere(server, { scopesOf: () => undefined }),
    ],
  ])('is refused %s, and works again where it was issued', async (_, openOther, url = MCP) => {
    const { server, token } = await openToken()
    expect(await answerTo(openOther(server), token, { url })).toEqual(INVALID)
    expect(await statusWith(elsewhere(server), token)).toBe(200)
  })

  it('is a bearer token of the header: with the scheme DPoP and in the query it is refused', async () => {
    const { server, token } = await openToken()
    const headers = { authorization: `DPoP ${token}` }
    expect(await answerTo(server, token, { headers })).toEqual(INVALID)
    const url = `${MCP}?access_token=${encodeURIComponent(token)}`
    expect((await callTool(server, '', 'caller', { url })).status).toBe(400)
    expect(JSON.stringify(server.events)).not.toContain(token)
  })

  it('is written to the account at most once an hour, however often it is used', async () => {
    const { server, browser, token } = await openToken({ limits: { grantCheckMaxAgeMs: 0 } })
    const lastUse = async () =>
      /Last used <time datetime="([^"]*)"/.exec((await browser.get('/account')).html)?.[1]
    expect(await lastUse()).toBeUndefined()
    await statusWith(server, token)
    expect(await lastUse()).toBe('2100-01-01T00:00:00.000Z')
    advance(3_599_999)
    await statusWith(server, token)
    expect(await lastUse()).toBe('2100-01-01T00:00:00.000Z')
    advance(1)
    await statusWith(server, token)
    expect(await lastUse()).toBe('2100-01-01T01:00:00.000Z')
  })
})

describe('a personal access token at the endpoints for programs', () => {
  it('is revoked when it is presented at /revoke, without a client, and not by a text like it', async () => {
    const { server, browser, token } = await openToken()
    const revoke = async (text: string) =>
      bodyOf(await postForm(server, '/revoke', { token: text }))
    expect(await revoke(alter(token, 30))).toEqual({})
    expect(await statusWith(server, token)).toBe(200)
    expect(await revoke(token)).toEqual({})
    expect(await answerTo(server, token)).toEqual(INVALID)
    expect(await tokenIds(browser)).toEqual([])
    expect(await revoke(token)).toEqual({})
  })

  it('is inactive for every client that introspects it, and grants nothing at /token', async () => {
    const { server, token } = await openToken({ clients: [MACHINE] })
    const introspected = await postForm(server, '/introspect', { token }, basic(MACHINE.id))
    expect(await bodyOf(introspected)).toEqual({ active: false })
    const registered = await AuthClient.register(server)
    await expectRefusal(registered.refresh(token), 'invalid_grant')
    await expectRefusal(registered.redeem(token), 'invalid_grant')
    expect(await statusWith(server, token)).toBe(200)
  })
})

describe('a personal access token of a person whose scopes change', () => {
  it('is created with no scope that the person may not have, and not without any', async () => {
    const { server, browser } = await openOwner({ scopesOf: () => ['read'] })
    const token = await createToken(browser, { 'scope write': 'yes' })
    expect((await callerOf(server, token)).scopes).toEqual(['read'])
    const fields = { name: 'Editor', 'scope read': undefined, 'scope write': 'yes' }
    expect((await sendTokenForm(browser, fields)).status).toBe(403)
  })

  it('loses them within 30 seconds, and is refused when its person may not come in any more', async () => {
    let scopes: readonly string[] | undefined = ['read', 'write']
    const { server, browser } = await openOwner({ scopesOf: () => scopes })
    const token = await createToken(browser, { 'scope write': 'yes' })
    expect((await callTool(server, token, 'change')).status).toBe(200)
    scopes = ['read']
    advance(30_000)
    expect((await callTool(server, token, 'change')).status).toBe(403)
    expect((await callerOf(server, token)).scopes).toEqual(['read'])
    scopes = undefined
    const page = await sendTokenForm(browser, { name: 'B' })
    expect(page.status).toBe(403)
    expect(page.html).toContain('may not use this server')
    advance(30_000)
    expect(await statusWith(server, token)).toBe(401)
    expect(await tokenIds(browser)).toHaveLength(1)
  })
})
