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
import { Browser, type Fields, formOf } from './support/browser.ts'
import { statusWith } from './support/client.ts'
import { advance, type Deployment, GUEST_PASSPHRASE, PASSPHRASE } from './support/deployment.ts'
import { LOGIN } from './support/flow.ts'
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

const ELSEWHERE = 'https://mcp.example.com/elsewhere'

const refusalsOf = ({ events }: Deployment) =>
  events.flatMap((event) => (event.type === 'sign-in-refused' ? [event.reason] : []))
const lifetimesOf = (html: string) =>
  [...html.matchAll(/<option[^>]*>([^<]*)/g)].map(([, label]) => label)

describe('the form for a personal access token', () => {
  it('offers the scopes of the server and lifetimes up to the limit', async () => {
    const { browser } = await openOwner()
    const page = await browser.get('/account')
    expectPageHeaders(page)
    expect(page.actions).toEqual(['/account/tokens', '/logout'])
    expect(scopeFields(page)).toEqual(['read', 'write'])
    expect(lifetimesOf(page.html)).toEqual(['7 days', '30 days', '60 days', '90 days'])
    expect(page.html).toMatch(/<option value="7776000000" selected>/)
    const limited = await openOwner({ limits: { personalTokenTtlMs: 36 * 3_600_000 } })
    expect(lifetimesOf((await limited.browser.get('/account')).html)).toEqual(['36 hours'])
    const several = await openOwner({}, { app: { otherPaths: ['/other'] } })
    const { html } = await several.browser.get('/account')
    expect(html).toContain('<option value="https://mcp.example.com/other">')
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
    expect(account.html).not.toContain('ewp_')
  })

  it.each<[string, number, Fields]>([
    ['no name', 400, { name: undefined }],
    ['white space as the name', 400, { name: '  ' }],
    ['a name of 61 characters', 400, { name: 'x'.repeat(61) }],
    ['no scope', 400, { 'scope read': undefined }],
    ['only an unknown scope', 400, { 'scope read': undefined, 'scope admin': 'yes' }],
    ['no lifetime', 400, { lifetime: undefined }],
    ['a lifetime that was not offered', 400, { lifetime: String(91 * DAY_MS) }],
    ['a negative lifetime', 400, { lifetime: '-1' }],
    ['a lifetime that is no number', 400, { lifetime: 'forever' }],
    ['no passphrase', 400, { passphrase: undefined }],
    ['a wrong passphrase', 401, { passphrase: 'wrong' }],
    ['the passphrase of another person', 403, { passphrase: GUEST_PASSPHRASE }],
  ])('for %s is shown again with status %i, and creates nothing', async (_, status, fields) => {
    const { browser } = await openOwner()
    const page = await sendTokenForm(browser, fields)
    expectPageHeaders(page)
    expect([page.status, shownToken(page)]).toEqual([status, undefined])
    expect(page.html).toContain('role="alert"')
    expect(page.html).toMatch(/<details[^>]* open>/)
    expect(page.html).not.toContain(PASSPHRASE)
    expect(await tokenIds(browser)).toEqual([])
  })

  it('is refused with status 400 for a resource that is not served here', async () => {
    const { browser } = await openOwner()
    const page = await sendTokenForm(browser, { resource: ELSEWHERE })
    expect([page.status, shownToken(page)]).toEqual([400, undefined])
  })

  it('is shown again with status 429 and Retry-After during the wait after ten wrong passphrases', async () => {
    const { browser } = await openOwner()
    for (let time = 0; time < 10; time += 1) await sendTokenForm(browser, { passphrase: 'wrong' })
    const page = await sendTokenForm(browser)
    expect([page.status, page.headers.get('retry-after')]).toEqual([429, '15'])
    expect(page.html).toContain('Too many attempts. Please wait 1 minute.')
    expect(await tokenIds(browser)).toEqual([])
  })

  it('is refused without the token of the form, from another site, and without a sign-in', async () => {
    const { browser } = await openOwner()
    const { csrf } = formOf(await browser.get('/account'))
    expect((await browser.post('/account/tokens', FORM)).status).toBe(403)
    const fields = { csrf, ...FORM }
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    for (const headers of [foreign, { 'sec-fetch-site': 'same-site' }]) {
      expect((await browser.post('/account/tokens', fields, headers)).status).toBe(403)
    }
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

describe('a personal access token with an upstream login', () => {
  /** A browser in which a person has signed in at an OpenID provider, and then sent the form. */
  async function openUpstream() {
    const provider = await OpenIdProvider.start()
    const server = openWithTokens({ login: provider.login() })
    const browser = new Browser(server)
    const { csrf } = formOf(await browser.get('/account'))
    const { location } = await browser.post('/login', { csrf })
    await browser.get(provider.visit(location).callback)
    expect((await browser.get('/account')).html).toContain('Next, you sign in with Example.')
    const sent = await sendTokenForm(browser, { passphrase: undefined })
    return { provider, server, browser, callback: provider.visit(sent.location).callback }
  }

  it('is created after a sign-in upstream, with the props of that sign-in, which are renewed', async () => {
    const { server, browser, callback } = await openUpstream()
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
    const upstream = async () =>
      (await (await callTool(server, token, 'upstream')).text()).match(/upstream-access-\d+/)?.[0]
    expect(await upstream()).toBe('upstream-access-2')
    advance(3_600_000)
    expect([await upstream(), await upstream()]).toEqual(['upstream-access-3', 'upstream-access-3'])
  })

  it('is not created when another person signs in upstream, who is not signed in here', async () => {
    const { provider, server, browser, callback } = await openUpstream()
    provider.claims = { sub: 'bob', name: 'Bob' }
    const page = await browser.get(callback)
    expect([page.status, shownToken(page)]).toEqual([403, undefined])
    expect(refusalsOf(server)).toEqual(['other-subject'])
    expect((await browser.get('/account')).html).toContain('Ada Lovelace')
  })

  it('is not created in another browser than the one that sent the form', async () => {
    const { server, callback } = await openUpstream()
    expect(messageOf(await new Browser(server).get(callback))).toBe(400)
  })
})

describe('the hook onIssue of a personal access token', () => {
  it('names the token, and its props replace those of the login', async () => {
    const seen: IssueEvent[] = []
    const onIssue = (event: IssueEvent) => {
      seen.push(event)
      return { props: { team: 'blue' }, claims: { ignored: true } }
    }
    const { server, browser } = await openOwner({ hooks: { onIssue } })
    const caller = await callerOf(server, await createToken(browser))
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
    const onIssue = () => {
      throw new Error('not a member')
    }
    const { browser } = await openOwner({ hooks: { onIssue } })
    const page = await sendTokenForm(browser)
    expect([page.status, shownToken(page)]).toEqual([403, undefined])
    expect(page.html).not.toContain('not a member')
    expect(await tokenIds(browser)).toEqual([])
  })
})

it('a personal access token with an API key needs the key, and has the new one after it is replaced', async () => {
  const server = openWithTokens({ login: new KeyService().login })
  const browser = await signInWithKey(server, ADA_KEY)
  const refused = await sendTokenForm(browser, { api_key: undefined })
  expect([refused.status, shownToken(refused)]).toEqual([400, undefined])
  const token = await createToken(browser, { api_key: ADA_KEY })
  expect((await callerOf(server, token)).props).toMatchObject({ apiKey: ADA_KEY })
  await replaceKey(browser, ADA_NEW_KEY)
  expect((await callerOf(server, token)).props).toEqual({ plan: 'team', apiKey: ADA_NEW_KEY })
})

describe('the list of personal access tokens', () => {
  it('shows name, scopes, address, creation, last use and expiry, newest first', async () => {
    const { server, browser } = await openOwner()
    const token = await createToken(browser)
    advance(DAY_MS / 4)
    await createToken(browser, { name: 'Editor', 'scope write': 'yes' })
    await statusWith(server, token)
    const { html } = await browser.get('/account')
    const [, list = ''] = html.split('<ul class="tokens">')
    const [items = ''] = list.split('</ul>')
    const textOf = (item: string) =>
      item
        .replace(/<[^>]*>|\s+/g, ' ')
        .replace(/ +/g, ' ')
        .trim()
    expect(items.split('<li>').slice(1).map(textOf)).toEqual([
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
    expect((await revokeToken(browser, id)).location).toBe('/account?token-revoked')
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
    const { location } = await browser.post('/account/tokens/revoke', { csrf, token: id })
    expect(location).toBe('/account')
    expect(await statusWith(server, token)).toBe(200)
  })
})
