/** Personal access tokens at the endpoint: what a holder can do, and what ends it. */
import { describe, expect, it } from 'vitest'
import { bodyOf } from './support/answers.ts'
import { callerOf, callTool, propsServer } from './support/api-keys.ts'
import { Browser } from './support/browser.ts'
import { AuthClient, postForm, statusWith } from './support/client.ts'
import { advance, createBindings, type Deployment, PASSPHRASE } from './support/deployment.ts'
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

const HALF_MINUTE_MS = 30_000
const OTHER = 'https://mcp.example.com/other'

/** The status of the endpoint and its challenge without the metadata URL. */
async function answerTo(server: Deployment, token: string, headers: Record<string, string> = {}) {
  const response = await callTool(server, token, 'caller', { headers })
  const challenge = response.headers.get('www-authenticate') ?? ''
  return [response.status, /error="([^"]*)"/.exec(challenge)?.[1]]
}

const INVALID = [401, 'invalid_token']

/** The same deployment in another isolate. */
const elsewhere = (server: Deployment, options = {}) =>
  openWithTokens(options, { bindings: server.bindings })

/** Replaces one character by another one of the same alphabet. */
function alter(token: string, at: number): string {
  const index = at < 0 ? token.length + at : at
  const other = token[index] === 'A' ? 'B' : 'A'
  return token.slice(0, index) + other + token.slice(index + 1)
}

describe('a personal access token', () => {
  it('authenticates its person, with a client id that names the token', async () => {
    const { server, browser } = await openOwner()
    const token = await createToken(browser)
    const [id] = await tokenIds(browser)
    expect(await callerOf(server, token)).toEqual({
      subject: 'owner',
      clientId: `personal-access-token:${id}`,
      scopes: ['read'],
      issuer: 'https://mcp.example.com',
      resource: 'https://mcp.example.com/mcp',
    })
  })

  it('works in every isolate, also after its creator has signed out and disconnected all apps', async () => {
    const { server, browser } = await openOwner()
    const token = await createToken(browser)
    const client = await AuthClient.register(server)
    const { access } = await client.tokens()
    const page = await browser.get('/account')
    const csrf = /name="csrf" value="([^"]*)"/.exec(page.html)?.[1]
    await browser.post('/account/disconnect', { csrf, client: client.id })
    await browser.post('/logout', { csrf })
    expect(await statusWith(server, access)).toBe(401)
    expect(await statusWith(elsewhere(server), token)).toBe(200)
  })

  it('may do only what its scopes allow, and its challenge names the missing one', async () => {
    const { server, browser } = await openOwner()
    const read = await createToken(browser)
    const write = await createToken(browser, { name: 'Editor', 'scope write': 'yes' })
    const refused = await callTool(server, read, 'change')
    expect(refused.status).toBe(403)
    expect(refused.headers.get('www-authenticate')).toContain('scope="read write"')
    expect((await callTool(server, write, 'change')).status).toBe(200)
  })

  it('is refused at another resource of the same server', async () => {
    const { server, browser } = await openOwner({}, { app: { otherPaths: ['/other'] } })
    const token = await createToken(browser)
    const other = await createToken(browser, { name: 'Other', resource: OTHER })
    expect(await statusWith(server, token, OTHER)).toBe(401)
    expect(await statusWith(server, other, OTHER)).toBe(200)
    expect(await statusWith(server, other)).toBe(401)
  })

  it('is for one tenant where the address has a form', async () => {
    const app = { path: '/mcp/{org}' }
    const { server, browser } = await openOwner({}, { app, factory: propsServer })
    expect((await browser.get('/account')).html).toMatch(/name="resource" type="url" required/)
    const token = await createToken(browser, { resource: 'https://mcp.example.com/mcp/acme' })
    expect(await statusWith(server, token, 'https://mcp.example.com/mcp/acme')).toBe(200)
    expect(await statusWith(server, token, 'https://mcp.example.com/mcp/other')).toBe(401)
  })

  it('is refused when its resource is not served any more', async () => {
    const { server, browser } = await openOwner({}, { app: { otherPaths: ['/other'] } })
    const token = await createToken(browser, { resource: OTHER })
    expect(await answerTo(elsewhere(server), token)).toEqual(INVALID)
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
    const { server, browser } = await openOwner()
    const token = await createToken(browser)
    const other = elsewhere(server)
    expect(await statusWith(other, token)).toBe(200)
    await revokeToken(browser, (await tokenIds(browser))[0])
    expect(await answerTo(server, token)).toEqual(INVALID)
    advance(HALF_MINUTE_MS)
    expect(await answerTo(other, token)).toEqual(INVALID)
    expect(other.events.at(-1)).toMatchObject({
      type: 'refusal',
      name: 'invalid_token',
      message: 'The access token has been revoked',
    })
  })

  it('is refused in one that is altered at any character', async () => {
    const { server, browser } = await openOwner()
    const token = await createToken(browser)
    const altered = Array.from(token, (_, at) => alter(token, at))
    const short = [token.slice(0, -1), token.slice(0, -9), 'ewp_', `ewp_${token}`, `${token}A`]
    for (const text of [...altered, ...short]) {
      expect([text, ...(await answerTo(server, text))]).toEqual([text, ...INVALID])
    }
    expect(await statusWith(server, token)).toBe(200)
  })

  it('is refused with an altered content and a matching checksum', async () => {
    const { server, browser } = await openOwner()
    const token = await createToken(browser)
    const checksumOf = (text: string) => {
      let hash = 0x811c9dc5
      for (const character of text) {
        hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193)
      }
      return (hash >>> 0).toString(16).padStart(8, '0')
    }
    const text = token.slice(0, -9)
    expect(`${text}_${checksumOf(text)}`).toBe(token)
    for (const at of [4, 8, 20, -2]) {
      const altered = alter(text, at)
      expect(await answerTo(server, `${altered}_${checksumOf(altered)}`)).toEqual(INVALID)
    }
  })

  it('is refused by another deployment, also at the same origin', async () => {
    const { browser } = await openOwner()
    const token = await createToken(browser)
    const other = openWithTokens({}, { bindings: createBindings() })
    expect(await answerTo(other, token)).toEqual(INVALID)
  })

  it('is refused by the same objects under another origin', async () => {
    const { server, browser } = await openOwner()
    const token = await createToken(browser)
    const other = elsewhere(server, { origin: 'https://other.example.com' })
    const response = await callTool(other, token, 'caller', {
      url: 'https://other.example.com/mcp',
    })
    expect(response.status).toBe(401)
  })

  it('is refused without personalAccessTokens(), and works again with it', async () => {
    const { server, browser } = await openOwner()
    const token = await createToken(browser)
    const off = elsewhere(server, { features: [] })
    expect(await answerTo(off, token)).toEqual(INVALID)
    expect(await statusWith(elsewhere(server), token)).toBe(200)
  })

  it('is a bearer token: with the scheme DPoP it is refused', async () => {
    const { server, browser } = await openOwner()
    const token = await createToken(browser)
    expect(await answerTo(server, token, { authorization: `DPoP ${token}` })).toEqual(INVALID)
  })

  it('is refused in the query', async () => {
    const { server, browser } = await openOwner()
    const token = await createToken(browser)
    const url = `https://mcp.example.com/mcp?access_token=${encodeURIComponent(token)}`
    expect((await callTool(server, '', 'caller', { url })).status).toBe(400)
    expect(JSON.stringify(server.events)).not.toContain(token)
  })

  it('has the subject of its person, and a client id of its own', async () => {
    const { server, browser } = await openOwner()
    const first = await createToken(browser)
    const second = await createToken(browser, { name: 'Editor' })
    const guest = new Browser(server)
    await guest.signIn('battery staple correct horse')
    const foreign = await createToken(guest, { passphrase: 'battery staple correct horse' })
    const client = await AuthClient.register(server)
    const { access } = await client.tokens({}, PASSPHRASE)
    const caller = await callerOf(server, second)
    expect(caller.clientId).not.toBe((await callerOf(server, first)).clientId)
    expect((await callerOf(server, access)).subject).toBe(caller.subject)
    expect((await callerOf(server, foreign)).subject).toBe('guest')
  })

  it('is written to the account at most once an hour, however often it is used', async () => {
    const { server, browser } = await openOwner({ limits: { grantCheckMaxAgeMs: 0 } })
    const token = await createToken(browser)
    const lastUse = async () =>
      /Last used <time datetime="([^"]*)"/.exec((await browser.get('/account')).html)?.[1]
    expect(await lastUse()).toBeUndefined()
    await statusWith(server, token)
    const first = await lastUse()
    expect(first).toBe('2100-01-01T00:00:00.000Z')
    advance(3_599_999)
    await statusWith(server, token)
    expect(await lastUse()).toBe(first)
    advance(1)
    await statusWith(server, token)
    expect(await lastUse()).toBe('2100-01-01T01:00:00.000Z')
  })
})

describe('a personal access token at the endpoints for programs', () => {
  it('is revoked when it is presented at /revoke, without a client', async () => {
    const { server, browser } = await openOwner()
    const token = await createToken(browser)
    expect(await statusWith(server, token)).toBe(200)
    expect(await bodyOf(await postForm(server, '/revoke', { token }))).toEqual({})
    expect(await answerTo(server, token)).toEqual(INVALID)
    expect(await tokenIds(browser)).toEqual([])
    expect(await bodyOf(await postForm(server, '/revoke', { token }))).toEqual({})
  })

  it('is not revoked by a text that is only like it', async () => {
    const { server, browser } = await openOwner()
    const token = await createToken(browser)
    expect(await bodyOf(await postForm(server, '/revoke', { token: alter(token, 30) }))).toEqual({})
    expect(await statusWith(server, token)).toBe(200)
  })

  it('is inactive for every client that introspects it, and grants nothing at /token', async () => {
    const { server, browser } = await openOwner({ clients: [MACHINE] })
    const token = await createToken(browser)
    const introspected = await postForm(server, '/introspect', { token }, basic(MACHINE.id))
    expect(await bodyOf(introspected)).toEqual({ active: false })
    const registered = await AuthClient.register(server)
    for (const grant_type of ['refresh_token', 'authorization_code']) {
      const fields = {
        grant_type,
        refresh_token: token,
        code: token,
        code_verifier: 'v'.repeat(43),
      }
      const response = await registered.token({ ...fields, redirect_uri: 'https://a.example/cb' })
      expect([response.status, (await response.json<{ error: string }>()).error]).toEqual([
        400,
        'invalid_grant',
      ])
    }
    expect(await statusWith(server, token)).toBe(200)
  })
})

describe('a personal access token of a person whose access changes', () => {
  const scopesOf = (scopes: readonly string[] | undefined) => ({ scopesOf: () => scopes })

  it('is created with no scope that the person may not have', async () => {
    const { server, browser } = await openOwner(scopesOf(['read']))
    const token = await createToken(browser, { 'scope write': 'yes' })
    expect((await callerOf(server, token)).scopes).toEqual(['read'])
    const page = await sendTokenForm(browser, {
      name: 'Editor',
      'scope read': undefined,
      'scope write': 'yes',
    })
    expect(page.status).toBe(403)
  })

  it('loses a scope that the person may not have any more', async () => {
    const { server, browser } = await openOwner()
    const token = await createToken(browser, { 'scope write': 'yes' })
    const narrowed = elsewhere(server, scopesOf(['read']))
    expect((await callTool(narrowed, token, 'change')).status).toBe(403)
    expect((await callerOf(narrowed, token)).scopes).toEqual(['read'])
  })

  it('is refused when the person may not come in any more', async () => {
    const { server, browser } = await openOwner()
    const token = await createToken(browser)
    expect(await answerTo(elsewhere(server, scopesOf(undefined)), token)).toEqual(INVALID)
  })
})
