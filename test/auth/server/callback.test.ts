/** A sign-in at an OpenID provider, on the way to a consent: there and back. */
import { describe, expect, it } from 'vitest'
import { ownLogin } from '../../../src/auth/index.ts'
import { verifies } from '../../support/verifies.ts'
import { messageOf } from './support/answers.ts'
import { Browser, formOf, type Page } from './support/browser.ts'
import { AuthClient, codeOf } from './support/client.ts'
import { advance, openDeployment } from './support/deployment.ts'
import { LOGIN, pageText } from './support/flow.ts'
import { OpenIdProvider, type Visit } from './support/provider.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
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

/** Signs in at the provider for the account page. */
async function sendFromAccount({ browser, provider }: Opened): Promise<Visit> {
  const { csrf } = formOf(await browser.get('/account'))
  return provider.visit((await browser.post('/login', { csrf })).location)
}

const approvalsOf = ({ cookies }: Browser) =>
  [...cookies].filter(([name]) => name.startsWith(APPROVAL))

/** The text of the page, in a browser that is not signed in. */
async function refusedText({ browser }: Pick<Opened, 'browser'>, page: Promise<Page>) {
  const text = pageText(await page)
  expect(browser.cookies.has(LOGIN)).toBe(false)
  return text
}

describe('an approval', () => {
  it('sends the browser to the provider with a nonce, a state, PKCE and a cookie', async () => {
    verifies('authorization-security-practices/upstream-state-is-random')
    verifies('authorization-security-practices/upstream-state-after-consent')
    verifies('authorization-security-practices/no-state-before-consent')
    verifies('oauth-2-1-clients/client-csrf', 'oauth-2-1-security/transaction-specific-challenges')
    verifies('oauth-2-0/csrf-of-clients', 'oauth-security-practice/client-csrf')
    verifies('openid-connect/request-parameters')
    const { client, browser } = await open()
    const page = await client.authorize(browser)
    expect(approvalsOf(browser)).toHaveLength(0)
    const { status, location, headers } = await browser.decide(page, 'approve')
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

  it('redirects to the client with temporarily_unavailable when the provider is down', async () => {
    const { provider, client, browser, server } = await open()
    const down = () => new Response(null, { status: 500 })
    provider.answers.set('/.well-known/openid-configuration', down)
    const sent = await browser.decide(await client.authorize(browser), 'approve')
    expect(pageText(sent)).toBe('redirect temporarily_unavailable')
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
    expect(pageText(back)).toBe('code')
    expect(back.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-edgeway-login=[\w.-]+; Path=\/; Max-Age=43200; /),
      expect.stringMatching(
        /^__Host-edgeway-approval-[\w-]{8}=; Path=\/; Max-Age=0; Secure; HttpOnly; SameSite=Lax$/,
      ),
    ])
    expect((await client.redeem(codeOf(back))).status).toBe(200)
  })

  it('serves two sign-ins of one browser at the same time', async () => {
    verifies('oauth-security-practice/transaction-specific-challenges')
    verifies('pkce/entropy-of-verifiers')
    const opened = await open()
    const [one, other] = [await send(opened), await send(opened)]
    expect(approvalsOf(opened.browser)).toHaveLength(2)
    for (const { callback } of [one, other]) {
      expect(pageText(await opened.browser.get(callback))).toBe('code')
    }
    expect(approvalsOf(opened.browser)).toEqual([])
  })

  it('accepts one of twenty concurrent responses', async () => {
    verifies('authorization-security-practices/upstream-state-is-single-use')
    const opened = await open()
    const { callback } = await send(opened)
    const answers = Array.from({ length: 20 }, () => opened.browser.get(callback))
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(statuses.sort()).toEqual([303, ...Array(19).fill(400)])
  })

  it('returns to the account page after a sign-in for it', async () => {
    const opened = await open()
    const { browser } = opened
    const back = await browser.get((await sendFromAccount(opened)).callback)
    expect([back.status, back.location]).toEqual([303, '/account'])
    expect(back.headers.get('cache-control')).toBe('no-store')
    expect(back.headers.getSetCookie().join()).toContain(`${LOGIN}=`)
    expect((await browser.get('/account')).html).toContain('Ada Lovelace')
  })
})

describe('the callback is rejected with a page and status 400', () => {
  type Return = (opened: Opened, visit: Visit) => Promise<Page> | Page
  const withState =
    (state: string): Return =>
    ({ browser }) =>
      browser.get(`/authorize/callback?code=code-1${state}`)

  it.each<[string, Return]>([
    ['without a state', withState('')],
    ['with an empty state', withState('&state=')],
    ['with a state that was made up', withState('&state=made-up')],
    ['with a state that is a NUL', withState('&state=%00')],
    ['with a state of 5,000 characters', withState(`&state=${'a'.repeat(5000)}`)],
    [
      'with a state that is there twice',
      ({ browser }, { callback, state }) => browser.get(`${callback}&state=${state}`),
    ],
    [
      'with the sealed question of a consent page in place of the state',
      async (opened, visit) => {
        const { transaction } = formOf(await opened.client.authorize(opened.browser))
        return withState(`&state=${transaction}`)(opened, visit)
      },
    ],
    [
      'in a browser without the cookie of the approval',
      ({ server }, { callback }) => new Browser(server).get(callback),
    ],
    [
      'in a browser with another value of that cookie',
      ({ browser }, { callback }) => {
        for (const [name] of approvalsOf(browser)) browser.cookies.set(name, 'a'.repeat(43))
        return browser.get(callback)
      },
    ],
    [
      'when the approval is 10 minutes old',
      ({ browser }, { callback }) => {
        advance(10 * MINUTE_MS)
        return browser.get(callback)
      },
    ],
    [
      'when the sign-in was finished before',
      async ({ browser }, { callback }) => {
        const approvals = approvalsOf(browser)
        codeOf(await browser.get(callback))
        browser.cookies.delete(LOGIN)
        for (const [name, value] of approvals) browser.cookies.set(name, value)
        return browser.get(callback)
      },
    ],
  ])('%s', async (_, returnWith) => {
    verifies('authorization-security-practices/upstream-state-is-checked')
    verifies('authorization-security-practices/third-party-timeouts')
    const opened = await open()
    const visit = await send(opened)
    expect(await refusedText(opened, Promise.resolve(returnWith(opened, visit)))).toBe(
      'message 400',
    )
  })

  it('when the registration of the client has expired since', async () => {
    verifies('authorization-security-practices/third-party-redirect-uris')
    const opened = await open()
    advance(90 * DAY_MS - MINUTE_MS)
    const { callback } = await send(opened)
    advance(MINUTE_MS)
    expect(await refusedText(opened, opened.browser.get(callback))).toBe('message 400')
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
  type Failure = string | { claims: OpenIdProvider['claims'] } | (() => Response)
  it.each<[string, string, Failure]>([
    ['the person cancelled', 'access_denied', '&error=access_denied'],
    ['the provider reports a fault', 'access_denied', '&error=server_error'],
    ['the answer names another provider', 'access_denied', '&iss=https%3A%2F%2Fevil.example'],
    ['the answer has the code twice', 'access_denied', '&code=other'],
    ['the id token is for another sign-in', 'access_denied', { claims: { nonce: 'other' } }],
    ['the id token has no subject', 'access_denied', { claims: { sub: undefined } }],
    ['the provider is down', 'temporarily_unavailable', () => new Response(null, { status: 503 })],
    ['the provider shows a page', 'temporarily_unavailable', () => new Response('<html>')],
    [
      ...(['the provider redirects', 'temporarily_unavailable'] as const),
      () => new Response(null, { status: 302, headers: { location: '/' } }),
    ],
  ])('because %s redirects to the client with %s', async (_, error, failure) => {
    verifies('authorization-security-practices/third-party-errors')
    verifies('oauth-2-1-grants/code-injection')
    const opened = await open()
    if (typeof failure === 'object') opened.provider.claims = failure.claims
    const { callback } = await send(opened)
    if (typeof failure === 'function') opened.provider.answers.set('/token', failure)
    const more = typeof failure === 'string' ? failure : ''
    const text = await refusedText(opened, opened.browser.get(`${callback}${more}`))
    expect(text).toBe(`redirect ${error}`)
    expect(approvalsOf(opened.browser)).toEqual([])
  })

  it.each([
    ['502 when the provider is down', 502, true],
    ['403 when the person cancelled', 403, false],
  ])('on the way to the account page shows a page with status %s', async (_, status, isDown) => {
    const opened = await open()
    const { callback, state } = await sendFromAccount(opened)
    if (isDown) opened.provider.answers.set('/token', () => new Response(null, { status: 500 }))
    const cancelled = `/authorize/callback?error=access_denied&state=${state}`
    const back = await opened.browser.get(isDown ? callback : cancelled)
    expect([back.status, back.location, back.actions]).toEqual([status, null, []])
    expect(back.headers.getSetCookie()).toEqual([expect.stringContaining('; Max-Age=0; ')])
    expect(opened.browser.cookies.has(LOGIN)).toBe(false)
  })

  it('shows a page with status 500 when the login of the author fails otherwise', async () => {
    const login = ownLogin({
      name: 'Elsewhere',
      begin: async ({ state }) => new URL(`https://elsewhere.example/?state=${state}`),
      finish: async () => {
        throw new Error('the database is down')
      },
    })
    const server = openDeployment({ login })
    const browser = new Browser(server)
    const page = await (await AuthClient.register(server)).authorize(browser)
    const { location } = await browser.decide(page, 'approve')
    const back = await browser.get(`/authorize/callback${new URL(location ?? '').search}`)
    expect(messageOf(back)).toBe(500)
    expect(back.html).not.toContain('database')
  })
})
