/** A sign-in at an OpenID provider, on the way to a consent: there and back. */
import { describe, expect, it } from 'vitest'
import { ownLogin } from '../../../src/auth/index.ts'
import { verifies } from '../../support/verifies.ts'
import { errorWith, messageOf, redirectOf } from './support/answers.ts'
import { Browser, formOf, type Page } from './support/browser.ts'
import { AuthClient, codeOf } from './support/client.ts'
import { advance, openDeployment } from './support/deployment.ts'
import { OpenIdProvider, type Visit } from './support/provider.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const LOGIN = '__Host-edgeway-login'
const APPROVAL = '__Host-edgeway-approval-'

async function open() {
  const provider = await OpenIdProvider.start()
  const server = openDeployment({ login: provider.login() })
  const client = await AuthClient.register(server)
  return { provider, server, client, browser: new Browser(server) }
}

type Opened = Awaited<ReturnType<typeof open>>

/** Approves, and signs in at the provider. */
async function send({ client, browser, provider }: Opened): Promise<Visit> {
  const sent = await browser.decide(await client.authorize(browser), 'approve')
  return provider.visit(sent.location)
}

const approvalsOf = ({ cookies }: Browser) =>
  [...cookies].filter(([name]) => name.startsWith(APPROVAL))

describe('an approval', () => {
  it('sends the browser to the provider with a nonce, a state and PKCE', async () => {
    verifies('authorization-security-practices/upstream-state-is-random')
    verifies('oauth-2-1-security/transaction-specific-challenges')
    verifies('openid-connect/request-parameters')
    const { client, browser } = await open()
    const { status, location, headers } = await browser.decide(
      await client.authorize(browser),
      'approve',
    )
    expect(status).toBe(303)
    const url = new URL(location ?? '')
    expect(url.origin + url.pathname).toBe('https://login.example.com/authorize')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'client-1',
      redirect_uri: 'https://mcp.example.com/authorize/callback',
      scope: 'openid profile email',
      state: expect.stringMatching(/^[\w.-]+$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    })
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-edgeway-approval-[\w-]{8}=[\w-]{43}; Path=\/; Max-Age=600; Secure; HttpOnly; SameSite=Lax$/,
      ),
    ])
  })

  it('sets the cookie of the sign-in, which the consent page has not set', async () => {
    verifies('authorization-security-practices/no-state-before-consent')
    const { client, browser } = await open()
    const page = await client.authorize(browser)
    expect(approvalsOf(browser)).toHaveLength(0)
    await browser.decide(page, 'approve')
    expect(approvalsOf(browser)).toHaveLength(1)
  })

  it('redirects to the client with temporarily_unavailable when the provider is down', async () => {
    const { provider, client, browser, server } = await open()
    provider.answers.set(
      '/.well-known/openid-configuration',
      () => new Response(null, { status: 500 }),
    )
    const sent = await browser.decide(await client.authorize(browser), 'approve')
    expect(redirectOf(sent)).toEqual(errorWith('temporarily_unavailable'))
    expect(approvalsOf(browser)).toEqual([])
    expect(server.events).toContainEqual({ type: 'internal-error', error: expect.any(Error) })
  })
})

describe('the callback', () => {
  it('redirects to the client with a code and signs the browser in', async () => {
    const opened = await open()
    const { browser, client } = opened
    const { callback } = await send(opened)
    const back = await browser.get(callback, { 'sec-fetch-site': 'cross-site' })
    expect(redirectOf(back)).toEqual({
      to: 'https://client.example/callback',
      code: expect.any(String),
      state: 'the-state',
      iss: 'https://mcp.example.com',
    })
    expect(back.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-edgeway-login=[\w.-]+; Path=\/; Max-Age=43200; /),
      expect.stringMatching(
        /^__Host-edgeway-approval-[\w-]{8}=; Path=\/; Max-Age=0; Secure; HttpOnly; SameSite=Lax$/,
      ),
    ])
    expect((await client.redeem(codeOf(back))).status).toBe(200)
  })

  it('serves two sign-ins of one browser at the same time', async () => {
    verifies('pkce/entropy-of-verifiers')
    const opened = await open()
    const [one, other] = [await send(opened), await send(opened)]
    expect(approvalsOf(opened.browser)).toHaveLength(2)
    for (const { callback } of [one, other]) {
      expect(codeOf(await opened.browser.get(callback))).toMatch(/./)
    }
    expect(approvalsOf(opened.browser)).toEqual([])
  })

  it('accepts one of twenty concurrent responses', async () => {
    const opened = await open()
    const { callback } = await send(opened)
    const answers = Array.from({ length: 20 }, () => opened.browser.get(callback))
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(statuses.sort()).toEqual([303, ...Array(19).fill(400)])
  })

  it('returns to the account page after a sign-in for it', async () => {
    const { browser, provider } = await open()
    const { csrf } = formOf(await browser.get('/account'))
    const { location } = await browser.post('/login', { csrf })
    const back = await browser.get(provider.visit(location).callback)
    expect([back.status, back.location]).toEqual([303, '/account'])
    expect(back.headers.get('cache-control')).toBe('no-store')
    expect(back.headers.getSetCookie().join()).toContain(`${LOGIN}=`)
    expect(browser.cookies.has(LOGIN)).toBe(true)
    expect((await browser.get('/account')).html).toContain('Ada Lovelace')
  })
})

describe('the callback is rejected with a page and status 400', () => {
  async function expectRejected(browser: Browser, page: Promise<Page>) {
    expect(messageOf(await page)).toBe(400)
    expect(browser.cookies.has(LOGIN)).toBe(false)
  }

  it.each([
    ['without a state', ''],
    ['with an empty state', '&state='],
    ['with a state that was made up', '&state=made-up'],
    ['with a state that is a NUL', '&state=%00'],
    ['with a state of 5,000 characters', `&state=${'a'.repeat(5000)}`],
  ])('%s', async (_, state) => {
    verifies('authorization-security-practices/upstream-state-is-checked')
    const opened = await open()
    await send(opened)
    const { browser } = opened
    await expectRejected(browser, browser.get(`/authorize/callback?code=code-1${state}`))
  })

  it('with a state that is there twice', async () => {
    const opened = await open()
    const { callback, state } = await send(opened)
    await expectRejected(opened.browser, opened.browser.get(`${callback}&state=${state}`))
  })

  it('with the sealed question of a consent page in place of the state', async () => {
    const opened = await open()
    const { browser, client } = opened
    await send(opened)
    const { transaction } = formOf(await client.authorize(browser))
    const path = `/authorize/callback?code=code-1&state=${transaction}`
    await expectRejected(browser, browser.get(path))
  })

  it('in a browser without the cookie of the approval', async () => {
    verifies('authorization-security-practices/upstream-state-after-consent')
    verifies('oauth-2-1-clients/client-csrf', 'oauth-2-0/csrf-of-clients')
    verifies('oauth-security-practice/client-csrf')
    const opened = await open()
    const { callback } = await send(opened)
    const other = new Browser(opened.server)
    await expectRejected(other, other.get(callback))
  })

  it('in a browser with another value of that cookie', async () => {
    const opened = await open()
    const { callback } = await send(opened)
    const { browser } = opened
    for (const [name] of approvalsOf(browser)) browser.cookies.set(name, 'a'.repeat(43))
    await expectRejected(browser, browser.get(callback))
  })

  it('when the approval is 10 minutes old', async () => {
    verifies('authorization-security-practices/third-party-timeouts')
    verifies('authorization-security-practices/upstream-state-is-single-use')
    const opened = await open()
    const { callback } = await send(opened)
    advance(10 * MINUTE_MS)
    await expectRejected(opened.browser, opened.browser.get(callback))
  })

  it('when the sign-in was finished before', async () => {
    const opened = await open()
    const { browser } = opened
    const { callback } = await send(opened)
    const approvals = approvalsOf(browser)
    codeOf(await browser.get(callback))
    browser.cookies.delete(LOGIN)
    for (const [name, value] of approvals) browser.cookies.set(name, value)
    await expectRejected(browser, browser.get(callback))
  })

  it('when the registration of the client has expired since', async () => {
    verifies('authorization-security-practices/third-party-redirect-uris')
    const opened = await open()
    const { browser, client } = opened
    const { provider } = opened
    advance(90 * DAY_MS - MINUTE_MS)
    const page = await client.authorize(browser)
    const sent = await browser.decide(page, 'approve')
    advance(MINUTE_MS)
    await expectRejected(browser, browser.get(provider.visit(sent.location).callback))
  })
})

it('the callback is rejected with a page and status 404 when the login has no upstream provider', async () => {
  const opened = await open()
  const { callback } = await send(opened)
  // The login of the server has changed since.
  const server = openDeployment({}, { bindings: opened.server.bindings })
  expect(messageOf(await opened.browser.at(server).get(callback))).toBe(404)
})

describe('a sign-in that fails', () => {
  it.each([
    ['when the provider reports that the person cancelled', '&error=access_denied'],
    ['when the provider reports a fault', '&error=server_error'],
    ['when the answer names another provider', '&iss=https%3A%2F%2Fevil.example'],
    ['when the answer has the code twice', '&code=other'],
  ])('redirects to the client with access_denied %s', async (_, more) => {
    const opened = await open()
    const { callback } = await send(opened)
    const back = await opened.browser.get(`${callback}${more}`)
    expect(redirectOf(back)).toEqual(errorWith('access_denied'))
    expect(opened.browser.cookies.has(LOGIN)).toBe(false)
    expect(approvalsOf(opened.browser)).toEqual([])
  })

  it.each([
    ['is for another sign-in', { nonce: 'other' }],
    ['is for another client', { aud: 'client-2' }],
    ['is of another issuer', { iss: 'https://evil.example' }],
    ['has expired', { exp: 1 }],
    ['has no subject', { sub: undefined }],
  ])('redirects to the client with access_denied when the id token %s', async (_, claims) => {
    const opened = await open()
    opened.provider.claims = claims
    const { callback } = await send(opened)
    expect(redirectOf(await opened.browser.get(callback))).toMatchObject({ error: 'access_denied' })
    expect(opened.browser.cookies.has(LOGIN)).toBe(false)
  })

  it.each([
    ['is down', () => new Response(null, { status: 503 })],
    ['answers with a page', () => new Response('<html>', { status: 200 })],
    ['redirects', () => new Response(null, { status: 302, headers: { location: '/' } })],
  ])(
    'redirects to the client with temporarily_unavailable when the token endpoint %s',
    async (_, answer) => {
      const opened = await open()
      const { callback } = await send(opened)
      opened.provider.answers.set('/token', answer)
      const back = await opened.browser.get(callback)
      expect(redirectOf(back)).toEqual(errorWith('temporarily_unavailable'))
      expect(opened.browser.cookies.has(LOGIN)).toBe(false)
    },
  )

  it('shows a page with status 502 on the way to the account page when the provider is down', async () => {
    const { browser, provider } = await open()
    const { csrf } = formOf(await browser.get('/account'))
    const { location } = await browser.post('/login', { csrf })
    const { callback } = provider.visit(location)
    provider.answers.set('/token', () => new Response(null, { status: 500 }))
    const back = await browser.get(callback)
    expect([back.status, back.location, back.actions]).toEqual([502, null, []])
    expect(browser.cookies.has(LOGIN)).toBe(false)
  })

  it('shows a page with status 403 on the way to the account page', async () => {
    const { browser, provider } = await open()
    const { csrf } = formOf(await browser.get('/account'))
    const { location } = await browser.post('/login', { csrf })
    const { state } = provider.visit(location)
    const back = await browser.get(`/authorize/callback?error=access_denied&state=${state}`)
    expect([back.status, back.location, back.actions]).toEqual([403, null, []])
    expect(back.headers.getSetCookie()).toEqual([expect.stringContaining('; Max-Age=0; ')])
    expect(browser.cookies.has(LOGIN)).toBe(false)
  })

  it('shows a page with status 500 when the login of the author fails otherwise', async () => {
    const server = openDeployment({
      login: ownLogin({
        name: 'Elsewhere',
        begin: async ({ state }) => new URL(`https://elsewhere.example/?state=${state}`),
        finish: async () => {
          throw new Error('the database is down')
        },
      }),
    })
    const browser = new Browser(server)
    const page = await (await AuthClient.register(server)).authorize(browser)
    const { location } = await browser.decide(page, 'approve')
    const back = await browser.get(`/authorize/callback${new URL(location ?? '').search}`)
    expect(messageOf(back)).toBe(500)
    expect(back.html).not.toContain('database')
  })
})
