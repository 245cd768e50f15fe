/** The account page: what a person has connected, and disconnecting it. */
import { describe, expect, it } from 'vitest'
import { expectPageHeaders, messageOf } from './support/answers.ts'
import { Browser, type Fields, fieldOf, formOf } from './support/browser.ts'
import { AuthClient, codeOf, statusWith, tokensOf } from './support/client.ts'
import { advance, createBindings, GUEST_PASSPHRASE, openDeployment } from './support/deployment.ts'
import { DIRECT, expectRefusal, LOGIN, open as openFlow } from './support/flow.ts'
import { OpenIdProvider } from './support/provider.ts'
import { answerCalls } from './support/scoped-objects.ts'

const DAY_MS = 86_400_000
const OTHER = 'https://mcp.example.com/other'

/** A server with a second resource, and a browser in which the owner has signed in. */
const open = (bindings = createBindings()) =>
  openFlow({ bindings, app: { otherPaths: ['/other'] }, signedIn: true })

const cardsOf = (html: string) => html.split('<section').slice(1)
/** The access of all cards: a card has one part for each resource of its program. */
const grantsOf = (html: string) => html.split('<ul class="scopes">').slice(1)
const timesOf = (html = '') => [...html.matchAll(/datetime="([^"]*)"/g)].map(([, time]) => time)

describe('the account page', () => {
  it('asks a person who is not signed in for the passphrase', async () => {
    const page = await new Browser(openDeployment()).get('/account')
    expectPageHeaders(page)
    expect([page.status, page.actions]).toEqual([200, ['/login']])
    expect(page.html).toContain('name="passphrase"')
  })

  it('asks again when the login has expired after 12 hours', async () => {
    const { browser } = await open()
    advance(DAY_MS / 2 - 1)
    expect((await browser.get('/account')).actions).toEqual(['/logout'])
    advance(1)
    expect((await browser.get('/account')).actions).toEqual(['/login'])
  })

  it('asks again when the cookie of the login is there twice or made up', async () => {
    const { browser } = await open()
    const login = browser.cookies.get(LOGIN) ?? ''
    for (const cookie of [`${login}; ${LOGIN}=${login}`, 'made-up', '', 'a'.repeat(400)]) {
      browser.cookies.set(LOGIN, cookie)
      expect((await browser.get('/account')).actions).toEqual(['/login'])
    }
  })

  it('is a message with status 503 when no passphrase is set', async () => {
    const browser = new Browser(openDeployment({ login: undefined }))
    expect(messageOf(await browser.get('/account'))).toBe(503)
  })

  it('names the person and offers to sign out when nothing is connected', async () => {
    const { browser } = await open()
    const page = await browser.get('/account')
    expectPageHeaders(page)
    expect([page.status, page.actions]).toEqual([200, ['/logout']])
    expect(page.html).toContain('<bdi>owner</bdi>')
    const linked = await browser.get('/account?disconnected', { 'sec-fetch-site': 'cross-site' })
    for (const { html } of [page, linked]) expect(html).not.toContain('role="status"')
  })

  it('sends the browser to the provider, and names the subject of a person without a name', async () => {
    const provider = await OpenIdProvider.start()
    provider.claims = { name: undefined }
    const browser = new Browser(openDeployment({ login: provider.login() }))
    const page = await browser.get('/account')
    expect(page.actions).toEqual(['/login'])
    const { status, location } = await browser.post('/login', { csrf: formOf(page).csrf })
    expect(status).toBe(303)
    await browser.get(provider.visit(location).callback)
    expect((await browser.get('/account')).html).toContain('<bdi>ada</bdi>')
  })

  it.each([
    ['502 when the provider is down', 502, {}],
    ['500 when its secret is not set', 500, { clientId: { secret: 'MISSING' } }],
  ])('shows a page with status %s', async (_, status, options) => {
    const provider = await OpenIdProvider.start()
    const down = () => new Response(null, { status: 503 })
    if (status === 502) provider.answers.set('/.well-known/openid-configuration', down)
    const browser = new Browser(openDeployment({ login: provider.login(options) }))
    const { csrf } = formOf(await browser.get('/account'))
    expect(messageOf(await browser.post('/login', { csrf }))).toBe(status)
  })

  it('lists a connected app with its name, resource, scopes and dates', async () => {
    const { browser, client } = await open()
    const { refresh } = await client.tokens({ scope: 'read' })
    advance(DAY_MS)
    await client.refresh(refresh)
    await browser.signIn()
    const page = await browser.get('/account')
    expect(page.actions).toEqual(['/account/disconnect', '/logout'])
    const [card = '', ...others] = cardsOf(page.html)
    expect(others).toEqual([])
    for (const text of ['A client', 'https://mcp.example.com/mcp', 'Read notes']) {
      expect(card).toContain(text)
    }
    expect(card).not.toContain('Change notes')
    expect(timesOf(card)).toEqual(['2100-01-01T00:00:00.000Z', '2100-01-02T00:00:00.000Z'])
  })

  it('names an app without a name by its id', async () => {
    const { server, browser } = await open()
    const unnamed = await AuthClient.register(server, { client_name: undefined })
    await unnamed.tokens()
    const [card = ''] = cardsOf((await browser.get('/account')).html)
    expect(card).toContain(unnamed.id.slice(0, 90))
  })

  it('shows the grants of one app and resource together, and of two apart, with one button', async () => {
    const { browser, client } = await open()
    await client.tokens({ scope: 'read' })
    advance(DAY_MS / 4)
    await client.tokens({ scope: 'write' })
    const [card, ...others] = cardsOf((await browser.get('/account')).html)
    expect(others).toEqual([])
    expect(card).toContain('Read notes')
    expect(card).toContain('Change notes')
    expect(timesOf(card)).toEqual(['2100-01-01T00:00:00.000Z', '2100-01-01T06:00:00.000Z'])
    await client.tokens({ scope: 'write', resource: OTHER })
    const { html, actions } = await browser.get('/account')
    expect(cardsOf(html)).toHaveLength(1)
    const shown = ['Read notes', 'Change notes', OTHER]
    expect(grantsOf(html).map((grant) => shown.map((text) => grant.includes(text)))).toEqual([
      [false, true, true],
      [true, true, false],
    ])
    expect(actions).toEqual(['/account/disconnect', '/logout'])
  })

  it('shows the clients of one name and host in one entry, with the times of each', async () => {
    const { server, browser, client } = await open()
    await client.tokens({ scope: 'read' })
    advance(DAY_MS / 4)
    await (await AuthClient.register(server)).tokens({ scope: 'write' })
    await (await AuthClient.register(server, { client_name: 'Another' })).tokens()
    const cards = cardsOf((await browser.get('/account')).html)
    expect(cards).toHaveLength(2)
    const [card = ''] = cards.filter((each) => each.includes('A client'))
    const [midnight, six] = ['2100-01-01T00:00:00.000Z', '2100-01-01T06:00:00.000Z']
    expect(card.split('<li class="row">').map(timesOf)).toEqual([
      [midnight, six],
      [six, six],
      [midnight, midnight],
    ])
    expect(card).toContain('2 connections')
  })

  it('shows neither the grants of another person nor codes that are not redeemed', async () => {
    const { browser, client } = await open()
    await client.tokens({}, GUEST_PASSPHRASE)
    await client.code()
    expect(cardsOf((await browser.get('/account')).html)).toEqual([])
  })
})

describe('disconnecting an app', () => {
  const disconnectForm = async (browser: Browser): Promise<Fields> => {
    const { html } = await browser.get('/account')
    return { csrf: fieldOf(html, 'csrf'), client: fieldOf(html, 'client') }
  }
  const disconnect = async (browser: Browser, client?: string) => {
    const form = await disconnectForm(browser)
    return browser.post('/account/disconnect', { ...form, client: client ?? form.client })
  }

  it('ends every grant of the app, codes too, and the page says so', async () => {
    const { server, browser, client } = await open()
    const other = await AuthClient.register(server)
    const grants = [
      await client.tokens({ scope: 'read' }),
      await client.tokens({ scope: 'write' }),
      await client.tokens({ resource: OTHER }),
    ]
    const code = await client.code()
    const kept = await other.tokens()
    expect(grantsOf((await browser.get('/account')).html)).toHaveLength(2)
    const ended = await disconnect(browser, client.id)
    expect([ended.status, ended.location]).toEqual([303, '/account?connection-ended'])
    expect(ended.headers.get('cache-control')).toBe('no-store')
    for (const { refresh } of grants) await expectRefusal(client.refresh(refresh), 'invalid_grant')
    await expectRefusal(client.redeem(code), 'invalid_grant')
    expect(await statusWith(server, grants[0]?.access ?? '')).toBe(401)
    expect(await statusWith(server, kept.access)).toBe(200)
    const after = await browser.get(ended.location ?? '', { 'sec-fetch-site': 'same-origin' })
    expect(grantsOf(after.html)).toHaveLength(1)
    expect(after.html).toContain('role="status"')
  })

  it('ends every client of a program, also one that has connected since the page was shown', async () => {
    const { server, browser, client } = await open()
    const other = await AuthClient.register(server, { client_name: 'Another' })
    const kept = await other.tokens()
    const grants = [await client.tokens(), await (await AuthClient.register(server)).tokens()]
    const { html } = await browser.get('/account')
    grants.push(await (await AuthClient.register(server)).tokens())
    const program = JSON.stringify(['A client', null])
    expect(html).toContain(`name="program" value="${program.replaceAll('"', '&quot;')}"`)
    const form = { csrf: fieldOf(html, 'csrf'), program }
    const ended = await browser.post('/account/disconnect', form)
    expect([ended.status, ended.location]).toEqual([303, '/account?disconnected'])
    const statuses = grants.map(({ access }) => statusWith(server, access))
    expect(await Promise.all(statuses)).toEqual([401, 401, 401])
    expect(await statusWith(server, kept.access)).toBe(200)
  })

  it('ends the other grants when the newest has ended since the page was shown', async () => {
    const { server, browser, client } = await open()
    const older = await client.tokens()
    advance(1)
    const newest = await client.tokens()
    const form = await disconnectForm(browser)
    await client.post('/revoke', { token: newest.refresh })
    await browser.post('/account/disconnect', form)
    expect(await statusWith(server, older.access)).toBe(401)
  })

  it('ends the remaining grants when the same form is sent again after a failure', async () => {
    let left = 1
    const failing = answerCalls(createBindings(), ({ kind, method }, next) => {
      if (kind !== 'account' || method !== 'revoke') return next()
      left -= 1
      if (left < 0) throw new Error('The object was lost')
      return next()
    })
    const { server, browser, client } = await open(failing)
    const grants = [await client.tokens(), await client.tokens(), await client.tokens()]
    const statuses = () => Promise.all(grants.map(({ access }) => statusWith(server, access)))
    const form = await disconnectForm(browser)
    expect((await browser.post('/account/disconnect', form)).location).toBeNull()
    expect((await statuses()).sort()).toEqual([200, 200, 401])
    left = Number.POSITIVE_INFINITY
    const again = await browser.post('/account/disconnect', form)
    expect([again.location, await statuses()]).toEqual(['/account?disconnected', [401, 401, 401]])
  })

  it('forgets the remembered consents of the app', async () => {
    const { client, browser } = await openFlow({ kind: 'secret', signedIn: true })
    const statusOf = async () => (await browser.get(client.authorizePath(), DIRECT)).status
    const page = await browser.get(client.authorizePath(), DIRECT)
    await tokensOf(await client.redeem(codeOf(await browser.decide(page, 'approve'))))
    expect(await statusOf()).toBe(303)
    await disconnect(browser)
    expect(await statusOf()).toBe(200)
  })

  it.each<[string, string, (client: AuthClient) => Fields, boolean?]>([
    ['an app that does not exist', '/account?disconnected', () => ({ client: 'made-up' })],
    ['an app of another person', '/account?disconnected', ({ id }) => ({ client: id })],
    ['a person who is not signed in', '/account', ({ id }) => ({ client: id }), true],
  ])('changes nothing for %s, and redirects to %s', async (_, target, fieldsOf, isSignedOut) => {
    const { server, browser, client } = await open()
    const { access } = await client.tokens({}, isSignedOut ? undefined : GUEST_PASSPHRASE)
    const form = { ...(await disconnectForm(browser)), ...fieldsOf(client) }
    if (isSignedOut) browser.cookies.delete(LOGIN)
    const { status, location } = await browser.post('/account/disconnect', form)
    expect([status, location]).toEqual([303, target])
    advance(30_000)
    expect(await statusWith(server, access)).toBe(200)
  })

  it('is rejected with a page and status 400 without an app', async () => {
    const { browser } = await open()
    const { csrf } = formOf(await browser.get('/account'))
    expect(messageOf(await browser.post('/account/disconnect', { csrf }))).toBe(400)
  })
})
