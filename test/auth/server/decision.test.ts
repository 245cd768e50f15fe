/** The answer to the consent page. */
import { describe, expect, it } from 'vitest'
import type { EmbeddedOptions } from '../../../src/auth/index.ts'
import { verifies } from '../../support/verifies.ts'
import { errorWith, expectPageHeaders, messageOf, redirectOf } from './support/answers.ts'
import { Browser, type Fields, formOf } from './support/browser.ts'
import { AuthClient, codeOf, REDIRECT_URI, tokensOf } from './support/client.ts'
import { advance, GUEST_PASSPHRASE, openDeployment, PASSPHRASE } from './support/deployment.ts'
import { interceptOutbound } from './support/outbound.ts'
import { OpenIdProvider } from './support/provider.ts'
import { MACHINE } from './support/static-clients.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const LOGIN = '__Host-edgeway-login'

async function open() {
  const server = openDeployment()
  const client = await AuthClient.register(server)
  const browser = new Browser(server)
  return { server, client, browser, page: await client.authorize(browser) }
}

const approve = { decision: 'approve', passphrase: PASSPHRASE }
const GUEST = { passphrase: GUEST_PASSPHRASE }

describe('an approval', () => {
  it('redirects to the client with a code and signs the browser in for 12 hours', async () => {
    verifies('oauth-2-1-endpoints/credentials-are-not-forwarded')
    verifies('oauth-2-1-grants/challenge-is-not-disclosed', 'oauth-2-1-security/no-307')
    verifies('pkce/challenge-is-not-disclosed')
    verifies('oauth-security-practice/credentials-are-not-forwarded')
    verifies('oauth-security-practice/no-307', 'issuer-identification/iss-value')
    verifies('issuer-identification/same-issuer')
    const { browser, page } = await open()
    const approved = await browser.post('/authorize/decision', { ...formOf(page), ...approve })
    expect(redirectOf(approved)).toEqual({
      to: 'https://client.example/callback',
      code: expect.stringMatching(/^[\w.-]+$/),
      state: 'the-state',
      iss: 'https://mcp.example.com',
    })
    expect(approved.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-edgeway-login=[\w.-]+; Path=\/; Max-Age=43200; Secure; HttpOnly; SameSite=Lax$/,
      ),
      expect.stringMatching(/^__Host-edgeway-device=/),
    ])
  })

  it('needs no passphrase from a person who was signed in when the page was shown', async () => {
    const { client, browser } = await open()
    await browser.signIn()
    const page = await client.authorize(browser)
    const approved = await browser.decide(page, 'approve')
    expect(redirectOf(approved)).toMatchObject({ code: expect.any(String) })
    expect(approved.headers.getSetCookie()).toEqual([])
    expect((await tokensOf(await client.redeem(codeOf(approved)))).scope).toBe('read write')
  })

  it('receives one code when the form is sent twice concurrently', async () => {
    const { browser, page } = await open()
    const send = () => browser.post('/authorize/decision', { ...formOf(page), ...approve })
    const answers = await Promise.all([send(), send()])
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 400])
  })
})

describe('an approval whose form has fields of its own', () => {
  it('redirects to the client, scope and state of the question', async () => {
    const { client, browser, page } = await open()
    const own = { redirect_uri: 'https://evil.example/', scope: 'x', client_id: 'x', state: 'x' }
    const approved = await browser.decide(page, 'approve', { passphrase: PASSPHRASE, ...own })
    expect(redirectOf(approved)).toMatchObject({ to: REDIRECT_URI, state: 'the-state' })
    expect((await tokensOf(await client.redeem(codeOf(approved)))).scope).toBe('read write')
  })
})

describe('an approval on a page that was shown before another person signed in', () => {
  it('needs the passphrase of the page', async () => {
    const { client, browser, page } = await open()
    codeOf(await browser.decide(await client.authorize(browser), 'approve', GUEST))
    const decide = (fields: Fields) => browser.decide(page, 'approve', fields)
    expect((await decide({ passphrase: 'wrong' })).status).toBe(401)
    expect((await decide({})).status).toBe(400)
    expect((await decide({ passphrase: PASSPHRASE })).status).toBe(303)
  })
})

describe('a denial', () => {
  it('redirects to the client with access_denied and signs no person in', async () => {
    const { browser, page } = await open()
    const denied = await browser.decide(page, 'deny')
    expect(redirectOf(denied)).toEqual(errorWith('access_denied'))
    expect(denied.headers.getSetCookie()).toEqual([])
  })

  it.each([
    ['none', undefined],
    ['one without a value', ''],
  ])('leaves out the state of a request that had %s', async (_, state) => {
    const { client, browser } = await open()
    const page = await client.authorize(browser, { state })
    expect(redirectOf(await browser.decide(page, 'deny'))).toEqual({
      to: 'https://client.example/callback',
      error: 'access_denied',
      iss: 'https://mcp.example.com',
    })
  })
})

describe('a decision is rejected with a page and status 400', () => {
  it.each([
    ['without a decision', { decision: undefined }],
    ['with an unknown decision', { decision: 'maybe' }],
    ['without the sealed question', { transaction: undefined }],
    ['with a question that was made up', { transaction: 'made-up' }],
    ['with a question that has a NUL', { transaction: '\u0000' }],
  ])('%s', async (_, changes) => {
    const { browser, page } = await open()
    const fields = { ...formOf(page), ...approve, ...changes }
    expect(messageOf(await browser.post('/authorize/decision', fields))).toBe(400)
    expect(browser.cookies.has(LOGIN)).toBe(false)
  })

  it('with the id of a client in place of the question', async () => {
    const { client, browser, page } = await open()
    const fields = { ...formOf(page), ...approve, transaction: client.id }
    expect(messageOf(await browser.post('/authorize/decision', fields))).toBe(400)
  })

  it.each(['approve', 'deny'])('when the answer before was %s', async (first) => {
    const { browser, page } = await open()
    await browser.decide(page, first, { passphrase: PASSPHRASE })
    browser.cookies.delete(LOGIN)
    for (const second of ['approve', 'deny']) {
      const again = await browser.decide(page, second, { passphrase: PASSPHRASE })
      expect(messageOf(again)).toBe(400)
    }
  })

  it('when the question was shown in another browser', async () => {
    const { client, server, page } = await open()
    const other = new Browser(server)
    const { csrf } = formOf(await client.authorize(other))
    const { transaction } = formOf(page)
    const sent = await other.post('/authorize/decision', { ...approve, csrf, transaction })
    expect(messageOf(sent)).toBe(400)
  })

  it('when the question is 10 minutes old', async () => {
    const { browser, page, client } = await open()
    const later = await client.authorize(browser)
    advance(10 * MINUTE_MS - 1)
    expect((await browser.decide(page, 'deny')).status).toBe(303)
    advance(1)
    expect(messageOf(await browser.decide(later, 'deny'))).toBe(400)
  })

  it('when the registration of the client has expired since', async () => {
    const { client, browser } = await open()
    advance(90 * DAY_MS - 1)
    const page = await client.authorize(browser)
    advance(1)
    expect(messageOf(await browser.decide(page, 'approve', approve))).toBe(400)
  })
})

describe('an approval by another person than the page was shown to', () => {
  /** The page was shown to the owner. */
  async function shownToOwner() {
    const { client, browser } = await open()
    await browser.signIn()
    return { client, browser, page: await client.authorize(browser) }
  }

  it('shows the question to the person who has signed in since, with status 409', async () => {
    const { client, browser, page } = await shownToOwner()
    browser.cookies.delete(LOGIN)
    await browser.signIn(GUEST_PASSPHRASE)
    const again = await browser.decide(page, 'approve')
    expect(again.status).toBe(409)
    expectPageHeaders(again)
    expect(again.actions).toEqual(['/authorize/decision', '/logout'])
    expect(again.html).toContain('Another account is signed in.')
    expect(again.html).toContain('<bdi>guest</bdi>')
    const approved = await browser.decide(again, 'approve')
    expect((await client.redeem(codeOf(approved))).status).toBe(200)
    expect((await browser.get('/account')).html).toContain('A client')
  })

  it('asks for the passphrase with status 409 when the sign-in has ended', async () => {
    const { browser, page } = await shownToOwner()
    browser.cookies.delete(LOGIN)
    const again = await browser.decide(page, 'approve')
    expect([again.status, again.actions]).toEqual([409, ['/authorize/decision']])
    expect(again.html).toContain('Your sign-in has ended.')
    expect(again.html).toContain('name="passphrase"')
    expect(codeOf(await browser.decide(again, 'approve', approve))).toMatch(/./)
  })

  it('shows the question again with status 409 when the login has expired', async () => {
    const { browser, page } = await shownToOwner()
    browser.cookies.set(LOGIN, 'made-up')
    expect((await browser.decide(page, 'approve')).status).toBe(409)
  })

  it('is not needed to deny', async () => {
    const { browser, page } = await shownToOwner()
    browser.cookies.delete(LOGIN)
    expect(redirectOf(await browser.decide(page, 'deny'))).toMatchObject({ error: 'access_denied' })
  })
})

describe('the box of the consent page', () => {
  const DOCUMENT_ID = 'https://client.example/oauth/client.json'

  /** Opens the page for a person who is signed in, unless `changes` say otherwise. */
  async function openPage(
    id: 'registered' | 'document' | 'static',
    { signedIn = true, ...options }: Partial<EmbeddedOptions> & { signedIn?: boolean } = {},
    origin?: string,
  ) {
    const server = openDeployment({ clients: [MACHINE], ...options })
    interceptOutbound(() =>
      Response.json({ client_id: DOCUMENT_ID, client_name: 'D', redirect_uris: [REDIRECT_URI] }),
    )
    const client =
      id === 'registered'
        ? await AuthClient.register(server)
        : new AuthClient(server, id === 'document' ? DOCUMENT_ID : MACHINE.id)
    const browser = new Browser(server, origin)
    if (signedIn) await browser.signIn()
    return { browser, page: await client.authorize(browser) }
  }
  const LOCAL = 'http://localhost:8787'

  const withBox = [
    ['a registered client, to a signed-in person', () => openPage('registered')],
    ['a client with a metadata document, to a signed-in person', () => openPage('document')],
    [
      'a registered client, where a button signs in',
      () => openPage('registered', { signedIn: false, origin: LOCAL, login: undefined }, LOCAL),
    ],
    [
      'a registered client, where the person signs in elsewhere',
      async () => {
        const login = (await OpenIdProvider.start()).login()
        return openPage('registered', { signedIn: false, login })
      },
    ],
  ] as const

  it.each(withBox)('is required for %s', async (_, open) => {
    verifies('oauth-2-1-security/clickjacking')
    const { browser, page } = await open()
    for (const confirmed of [undefined, '', 'no', 'true']) {
      const again = await browser.decide(page, 'approve', { confirmed })
      expect([again.status, again.location]).toEqual([400, null])
      expectPageHeaders(again)
      expect(again.html).toContain('role="alert"')
    }
    expect((await browser.decide(page, 'approve')).status).toBe(303)
  })

  it.each(withBox)('is not required to deny %s', async (_, open) => {
    const { browser, page } = await open()
    const denied = await browser.decide(page, 'deny', { confirmed: undefined })
    expect(redirectOf(denied)).toMatchObject({ error: 'access_denied' })
  })

  it('is not required when the person enters the passphrase', async () => {
    const { browser, page } = await openPage('registered', { signedIn: false })
    expect(page.html).not.toContain('name="confirmed"')
    expect(codeOf(await browser.decide(page, 'approve', { passphrase: PASSPHRASE }))).toMatch(/./)
  })

  it('is not required for a client of the configuration', async () => {
    const { browser, page } = await openPage('static')
    expect(page.html).not.toContain('name="confirmed"')
    expect(codeOf(await browser.decide(page, 'approve'))).toMatch(/./)
  })

  it('is required again on the page that is shown after a sign-out', async () => {
    const { browser, page } = await openPage('registered')
    await browser.post('/logout', formOf(page))
    await browser.signIn(GUEST_PASSPHRASE)
    const changed = await browser.decide(page, 'approve', { confirmed: 'yes' })
    expect(changed.status).toBe(409)
    const again = await browser.decide(changed, 'approve', { confirmed: undefined })
    expect([again.status, again.location]).toEqual([400, null])
  })
})
