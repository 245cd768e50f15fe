/** Personal access tokens: their creation and revocation on the account page. */
import { describe, expect, it } from 'vitest'
import type { IssueEvent } from '../../../src/auth/index.ts'
import { expectPageHeaders, messageOf } from './support/answers.ts'
import {
  ADA_KEY,
  ADA_NEW_KEY,
  callerOf,
  callTool,
  KeyService,
  replaceKey,
  signInWithKey,
} from './support/api-keys.ts'
import { Browser, formOf } from './support/browser.ts'
import { statusWith } from './support/client.ts'
import { advance, type Deployment, GUEST_PASSPHRASE, PASSPHRASE } from './support/deployment.ts'
import {
  createToken,
  DAY_MS,
  FORM,
  openOwner,
  openWithTokens,
  revokeToken,
  scopeFields,
  sendTokenForm,
  shownToken,
  tokenIds,
} from './support/personal-tokens.ts'
import { OpenIdProvider } from './support/provider.ts'

const LOGIN = '__Host-edgeway-login'

const refusalsOf = ({ events }: Deployment) =>
  events.flatMap((event) => (event.type === 'sign-in-refused' ? [event.reason] : []))

describe('the form for a personal access token', () => {
  it('is on no account page without personalAccessTokens(), and creates nothing', async () => {
    const { browser } = await openOwner({ features: [] })
    const page = await browser.get('/account')
    expect(page.actions).toEqual(['/logout'])
    expect(page.html).not.toContain('Create a token')
    expect((await sendTokenForm(browser)).status).toBe(404)
  })

  it('offers the scopes of the server and lifetimes up to the limit', async () => {
    const { browser } = await openOwner()
    const page = await browser.get('/account')
    expectPageHeaders(page)
    expect(page.actions).toEqual(['/account/tokens', '/logout'])
    expect(scopeFields(page)).toEqual(['read', 'write'])
    expect([...page.html.matchAll(/<option[^>]*>([^<]*)/g)].map(([, label]) => label)).toEqual([
      '7 days',
      '30 days',
      '60 days',
      '90 days',
    ])
    expect(page.html).toMatch(/<option value="7776000000" selected>/)
  })

  it('offers no lifetime above personalTokenTtlMs', async () => {
    const { browser } = await openOwner({ limits: { personalTokenTtlMs: 36 * 3_600_000 } })
    const page = await browser.get('/account')
    expect([...page.html.matchAll(/<option[^>]*>([^<]*)/g)].map(([, label]) => label)).toEqual([
      '36 hours',
    ])
  })

  it('offers the addresses of the server, and text where they have a form', async () => {
    const several = await openOwner({}, { app: { otherPaths: ['/other'] } })
    expect((await several.browser.get('/account')).html).toContain(
      '<option value="https://mcp.example.com/other">',
    )
  })

  it('creates a token that is shown once', async () => {
    const { server, browser } = await openOwner()
    const page = await sendTokenForm(browser)
    expectPageHeaders(page)
    const token = shownToken(page) ?? ''
    expect([page.status, token]).toEqual([200, expect.stringMatching(/^ewp_[\w.-]+_[\da-f]{8}$/)])
    expect(page.html).toContain('valid until <time datetime="2100-01-31T00:00:00.000Z">')
    expect(await statusWith(server, token)).toBe(200)
    const account = await browser.get('/account')
    expect(account.html).toContain('<bdi>CI</bdi>')
    expect(account.html).not.toContain(token)
    expect(account.html).not.toContain('ewp_')
  })

  it.each([
    ['no name', { name: undefined }, 400],
    ['white space as the name', { name: '  ' }, 400],
    ['a name of 61 characters', { name: 'x'.repeat(61) }, 400],
    ['no scope', { 'scope read': undefined }, 400],
    ['only an unknown scope', { 'scope read': undefined, 'scope admin': 'yes' }, 400],
    ['no lifetime', { lifetime: undefined }, 400],
    ['a lifetime that was not offered', { lifetime: String(91 * DAY_MS) }, 400],
    ['a negative lifetime', { lifetime: '-1' }, 400],
    ['a lifetime that is no number', { lifetime: 'forever' }, 400],
    ['no passphrase', { passphrase: undefined }, 400],
    ['a wrong passphrase', { passphrase: 'wrong' }, 401],
    ['the passphrase of another person', { passphrase: GUEST_PASSPHRASE }, 403],
  ])('is shown again with its content for %s, and creates nothing', async (_, fields, status) => {
    const { browser } = await openOwner()
    const page = await sendTokenForm(browser, fields)
    expectPageHeaders(page)
    expect([page.status, shownToken(page)]).toEqual([status, undefined])
    expect(page.html).toContain('role="alert"')
    expect(page.html).toMatch(/<details[^>]* open>/)
    expect(page.html).not.toContain(PASSPHRASE)
    expect(await tokenIds(browser)).toEqual([])
  })

  it('is shown again with status 429 and Retry-After during the wait after ten wrong passphrases', async () => {
    const { browser } = await openOwner()
    for (let time = 0; time < 10; time += 1) await sendTokenForm(browser, { passphrase: 'wrong' })
    const page = await sendTokenForm(browser)
    expect([page.status, page.headers.get('retry-after')]).toEqual([429, '15'])
    expect(page.html).toContain('Too many attempts. Please wait 1 minute.')
    expect(await tokenIds(browser)).toEqual([])
  })

  it('is refused with status 400 for a resource that is not served here', async () => {
    const { browser } = await openOwner()
    const page = await sendTokenForm(browser, { resource: 'https://mcp.example.com/elsewhere' })
    expect([page.status, shownToken(page)]).toEqual([400, undefined])
  })

  it('is refused without the token of the form, from another site, and without a sign-in', async () => {
    const { browser } = await openOwner()
    const { csrf } = formOf(await browser.get('/account'))
    expect((await browser.post('/account/tokens', FORM)).status).toBe(403)
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const fields = { csrf, ...FORM }
    expect((await browser.post('/account/tokens', fields, foreign)).status).toBe(403)
    const sameSite = { 'sec-fetch-site': 'same-site' }
    expect((await browser.post('/account/tokens', fields, sameSite)).status).toBe(403)
    expect((await browser.get('/account/tokens')).status).toBe(405)
    const login = browser.cookies.get(LOGIN) ?? ''
    browser.cookies.delete(LOGIN)
    expect((await browser.post('/account/tokens', fields)).location).toBe('/account')
    browser.cookies.set(LOGIN, login)
    expect(await tokenIds(browser)).toEqual([])
  })

  it('escapes a name with markup wherever it is shown', async () => {
    const { browser } = await openOwner()
    const name = '"><img src=x onerror=alert(1)>\u202E'
    const created = await sendTokenForm(browser, { name })
    const again = await sendTokenForm(browser, { name })
    for (const { html } of [created, again, await browser.get('/account')]) {
      expect(html).not.toContain('<img')
    }
    expect(created.html).toContain('&lt;img')
    expect(again.status).toBe(409)
  })

  it('accepts each name once, so that a double click creates one token', async () => {
    const { browser } = await openOwner()
    const { csrf } = formOf(await browser.get('/account'))
    const send = () => browser.post('/account/tokens', { csrf, ...FORM })
    const pages = await Promise.all([send(), send()])
    expect(pages.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await tokenIds(browser)).toHaveLength(1)
  })

  it('creates at most 30 tokens, and ends none of them for a further one', async () => {
    const { server, browser } = await openOwner()
    const first = await createToken(browser)
    for (let count = 2; count <= 30; count += 1) await createToken(browser, { name: `CI ${count}` })
    const page = await sendTokenForm(browser, { name: 'one more' })
    expect([page.status, shownToken(page)]).toEqual([409, undefined])
    expect(await tokenIds(browser)).toHaveLength(30)
    expect(await statusWith(server, first)).toBe(200)
    const { html } = await browser.get('/account')
    expect(new TextEncoder().encode(html).length).toBeLessThan(30_000)
    await revokeToken(browser, (await tokenIds(browser))[0])
    expect(await createToken(browser, { name: 'one more' })).toMatch(/^ewp_/)
  })
})

/** A browser in which a person has signed in at an OpenID provider. */
async function openUpstream() {
  const provider = await OpenIdProvider.start()
  const server = openWithTokens({ login: provider.login() })
  const browser = new Browser(server)
  const { csrf } = formOf(await browser.get('/account'))
  const { location } = await browser.post('/login', { csrf })
  await browser.get(provider.visit(location).callback)
  return { provider, server, browser }
}

describe('a personal access token with an upstream login', () => {
  it('is created after a sign-in upstream, with the props of that sign-in', async () => {
    const provider = await OpenIdProvider.start()
    const server = openWithTokens({ login: provider.login() })
    const browser = new Browser(server)
    const signIn = async () => {
      const { csrf } = formOf(await browser.get('/account'))
      const { location } = await browser.post('/login', { csrf })
      await browser.get(provider.visit(location).callback)
    }
    await signIn()
    expect((await browser.get('/account')).html).toContain('Next, you sign in with Example.')
    const sent = await sendTokenForm(browser, { passphrase: undefined })
    const { callback } = provider.visit(sent.location)
    const page = await browser.get(callback)
    expectPageHeaders(page)
    const token = shownToken(page) ?? ''
    expect(await callerOf(server, token)).toMatchObject({
      subject: 'ada',
      scopes: ['read'],
      props: { upstream: { accessToken: 'upstream-access-2' } },
    })
    expect(shownToken(await browser.get(callback))).toBeUndefined()
    expect(await tokenIds(browser)).toHaveLength(1)
  })

  it('renews the upstream token that a handler asks for, and keeps the new one', async () => {
    const { provider, server, browser } = await openUpstream()
    const sent = await sendTokenForm(browser)
    const token = shownToken(await browser.get(provider.visit(sent.location).callback)) ?? ''
    const upstream = async () => {
      const response = await callTool(server, token, 'upstream')
      return (await response.text()).match(/upstream-access-\d+/)?.[0]
    }
    expect(await upstream()).toBe('upstream-access-2')
    advance(3_600_000)
    expect([await upstream(), await upstream()]).toEqual(['upstream-access-3', 'upstream-access-3'])
  })

  it('is not created when another person signs in upstream, who is not signed in here', async () => {
    const { provider, server, browser } = await openUpstream()
    const sent = await sendTokenForm(browser)
    provider.claims = { sub: 'bob', name: 'Bob' }
    const page = await browser.get(provider.visit(sent.location).callback)
    expect([page.status, shownToken(page)]).toEqual([403, undefined])
    expect(refusalsOf(server)).toEqual(['other-subject'])
    expect((await browser.get('/account')).html).toContain('Ada Lovelace')
  })

  it('is not created in another browser than the one that sent the form', async () => {
    const { provider, server, browser } = await openUpstream()
    const sent = await sendTokenForm(browser)
    const { callback } = provider.visit(sent.location)
    expect(messageOf(await new Browser(server).get(callback))).toBe(400)
  })
})

describe('the hook onIssue of a personal access token', () => {
  it('names the token, and its props replace those of the login', async () => {
    const seen: IssueEvent[] = []
    const { server, browser } = await openOwner({
      hooks: {
        onIssue: (event) => {
          seen.push(event)
          return { props: { team: 'blue' }, claims: { ignored: true } }
        },
      },
    })
    const token = await createToken(browser)
    const caller = await callerOf(server, token)
    expect(caller.props).toEqual({ team: 'blue' })
    expect(seen).toEqual([
      {
        subject: 'owner',
        client: { id: caller.clientId, name: 'CI' },
        scopes: ['read'],
        resource: 'https://mcp.example.com/mcp',
        props: undefined,
        env: server.bindings,
      },
    ])
  })

  it('prevents the token by throwing', async () => {
    const { browser } = await openOwner({
      hooks: {
        onIssue: () => {
          throw new Error('not a member')
        },
      },
    })
    const page = await sendTokenForm(browser)
    expect([page.status, shownToken(page)]).toEqual([403, undefined])
    expect(page.html).not.toContain('not a member')
    expect(await tokenIds(browser)).toEqual([])
  })
})

describe('a personal access token with an API key', () => {
  it('needs the key, holds it in its props, and has the new one after it is replaced', async () => {
    const service = new KeyService()
    const server = openWithTokens({ login: service.login })
    const browser = await signInWithKey(server, ADA_KEY)
    const refused = await sendTokenForm(browser, { api_key: undefined })
    expect([refused.status, shownToken(refused)]).toEqual([400, undefined])
    const token = await createToken(browser, { api_key: ADA_KEY })
    expect((await callerOf(server, token)).props).toMatchObject({ apiKey: ADA_KEY })
    await replaceKey(browser, ADA_NEW_KEY)
    expect((await callerOf(server, token)).props).toEqual({ plan: 'team', apiKey: ADA_NEW_KEY })
  })
})

describe('the list of personal access tokens', () => {
  it('shows name, scopes, address, creation, last use and expiry, newest first', async () => {
    const { server, browser } = await openOwner()
    const token = await createToken(browser)
    advance(DAY_MS / 4)
    await createToken(browser, { name: 'Editor', 'scope write': 'yes' })
    await statusWith(server, token)
    const { html } = await browser.get('/account')
    const items = html
      .split('<ul class="tokens">')[1]
      ?.split('</ul>')[0]
      ?.split('<li>')
      .slice(1)
      .map((item) =>
        item
          .replace(/<[^>]*>/g, ' ')
          .replace(/\s+/g, ' ')
          .trim(),
      )
    expect(items).toEqual([
      'Editor read write https://mcp.example.com/mcp Created 1 Jan 2100, 06:00 UTC Never used Expires 31 Jan 2100, 06:00 UTC Revoke',
      'CI read https://mcp.example.com/mcp Created 1 Jan 2100, 00:00 UTC Last used 1 Jan 2100, 06:00 UTC Expires 31 Jan 2100, 00:00 UTC Revoke',
    ])
  })

  it('does not show tokens of other people, and does not revoke them', async () => {
    const { server, browser } = await openOwner()
    const token = await createToken(browser)
    const [id] = await tokenIds(browser)
    const guest = new Browser(server)
    await guest.signIn(GUEST_PASSPHRASE)
    expect(await tokenIds(guest)).toEqual([])
    expect((await revokeToken(guest, id)).location).toBe('/account?token-revoked')
    expect(await statusWith(server, token)).toBe(200)
  })

  it('revokes a token at once in the same isolate', async () => {
    const { server, browser } = await openOwner()
    const [token, other] = [await createToken(browser), await createToken(browser, { name: 'B' })]
    expect(await statusWith(server, token)).toBe(200)
    const [, id] = await tokenIds(browser)
    const revoked = await revokeToken(browser, id)
    expect(revoked.location).toBe('/account?token-revoked')
    expect((await browser.get('/account?token-revoked')).html).toContain('The token was revoked.')
    expect([await statusWith(server, token), await statusWith(server, other)]).toEqual([401, 200])
  })

  it('is revoked only by the form of the page, by a signed-in person, who names a token', async () => {
    const { server, browser } = await openOwner()
    const token = await createToken(browser)
    const [id] = await tokenIds(browser)
    const { csrf } = formOf(await browser.get('/account'))
    expect((await browser.post('/account/tokens/revoke', { token: id })).status).toBe(403)
    expect(messageOf(await revokeToken(browser, undefined))).toBe(400)
    browser.cookies.delete(LOGIN)
    const fields = { csrf, token: id }
    expect((await browser.post('/account/tokens/revoke', fields)).location).toBe('/account')
    expect(await statusWith(server, token)).toBe(200)
  })
})
