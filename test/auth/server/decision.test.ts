/** The answer to the consent page. */
import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { expectPageHeaders, messageOf } from './support/answers.ts'
import { Browser, type Fields, formOf } from './support/browser.ts'
import { codeOf } from './support/client.ts'
import { advance, GUEST_PASSPHRASE, PASSPHRASE } from './support/deployment.ts'
import { authorize, decide, issue, LOGIN, NO_STATE, pageText, type Steps } from './support/flow.ts'
import { OpenIdProvider } from './support/provider.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const LOCAL = 'http://localhost:8787'

const approve = { decision: 'approve', passphrase: PASSPHRASE }
const GUEST = { passphrase: GUEST_PASSPHRASE }

describe('an approval', () => {
  it('redirects to the client with a code and signs the browser in for 12 hours', async () => {
    verifies('oauth-2-1-endpoints/credentials-are-not-forwarded')
    verifies('oauth-2-1-security/no-307', 'oauth-security-practice/no-307')
    verifies('oauth-security-practice/credentials-are-not-forwarded')
    verifies('issuer-identification/iss-value', 'issuer-identification/same-issuer')
    const { page, text } = await decide()
    expect(text).toBe('code')
    expect(codeOf(page)).toMatch(/^[\w.-]+$/)
    expect(page.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-edgeway-login=[\w.-]+; Path=\/; Max-Age=43200; Secure; HttpOnly; SameSite=Lax$/,
      ),
      expect.stringMatching(/^__Host-edgeway-device=/),
    ])
  })

  it('needs no passphrase from a person who was signed in when the page was shown', async () => {
    const { page, text } = await issue({ signedIn: true })
    expect([page.headers.getSetCookie(), text]).toEqual([[], '200 Bearer read write'])
  })

  it('receives one code when the form is sent twice concurrently', async () => {
    const { browser, page } = await authorize()
    const send = () => browser.post('/authorize/decision', { ...formOf(page), ...approve })
    const answers = await Promise.all([send(), send()])
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 400])
  })

  it('is for the client, scope and state of the question, not for those of the form', async () => {
    const own = { redirect_uri: 'https://evil.example/', scope: 'x', client_id: 'x', state: 'x' }
    expect((await issue({ form: own })).text).toBe('200 Bearer read write')
  })

  it('needs the passphrase of a page that was shown before another person signed in', async () => {
    const { client, browser, page } = await authorize()
    codeOf(await browser.decide(await client.authorize(browser), 'approve', GUEST))
    const statusWith = async (fields: Fields) =>
      (await browser.decide(page, 'approve', fields)).status
    expect(await statusWith({ passphrase: 'wrong' })).toBe(401)
    expect(await statusWith({})).toBe(400)
    expect(await statusWith({ passphrase: PASSPHRASE })).toBe(303)
  })
})

it.each([
  ['a state', {}],
  ['no state', { state: NO_STATE }],
  ['a state without a value', { state: '' }],
])(
  'a denial of a request with %s redirects with access_denied and signs no person in',
  async (...row) => {
    const { page, text } = await decide({ authorize: row[1], decision: 'deny' })
    expect([text, page.headers.getSetCookie()]).toEqual(['redirect access_denied', []])
  },
)

describe('a decision is rejected with a page and status 400', () => {
  it.each([
    ['without a decision', { decision: undefined }],
    ['with an unknown decision', { decision: 'maybe' }],
    ['without the sealed question', { transaction: undefined }],
    ['with a question that was made up', { transaction: 'made-up' }],
    ['with a question that has a NUL', { transaction: '\u0000' }],
    ['with the id of a client in place of the question', { transaction: 'CLIENT' }],
  ])('%s', async (_, changes) => {
    const { browser, page, client } = await authorize()
    const fields: Fields = { ...formOf(page), ...approve, ...changes }
    const transaction = fields.transaction === 'CLIENT' ? client.id : fields.transaction
    const answer = await browser.post('/authorize/decision', { ...fields, transaction })
    expect(messageOf(answer)).toBe(400)
    expect(browser.cookies.has(LOGIN)).toBe(false)
  })

  it.each(['approve', 'deny'])('when the answer before was %s', async (first) => {
    const { browser, page } = await authorize()
    await browser.decide(page, first, { passphrase: PASSPHRASE })
    browser.cookies.delete(LOGIN)
    for (const second of ['approve', 'deny']) {
      const again = await browser.decide(page, second, { passphrase: PASSPHRASE })
      expect(messageOf(again)).toBe(400)
    }
  })

  it('when the question was shown in another browser', async () => {
    const { client, server, page } = await authorize()
    const other = new Browser(server)
    const { csrf } = formOf(await client.authorize(other))
    const { transaction } = formOf(page)
    const sent = await other.post('/authorize/decision', { ...approve, csrf, transaction })
    expect(messageOf(sent)).toBe(400)
  })

  it('when the question is 10 minutes old', async () => {
    const { browser, page, client } = await authorize()
    const later = await client.authorize(browser)
    advance(10 * MINUTE_MS - 1)
    expect((await browser.decide(page, 'deny')).status).toBe(303)
    advance(1)
    expect(messageOf(await browser.decide(later, 'deny'))).toBe(400)
  })

  it('when the registration of the client has expired since', async () => {
    const { client, browser } = await authorize()
    advance(90 * DAY_MS - 1)
    const page = await client.authorize(browser)
    advance(1)
    expect(messageOf(await browser.decide(page, 'approve', approve))).toBe(400)
  })
})

describe('an approval on a page that was shown to the owner', () => {
  it('shows the question to the person who has signed in since, with status 409', async () => {
    const { client, browser, page } = await authorize({ signedIn: true })
    browser.cookies.delete(LOGIN)
    await browser.signIn(GUEST_PASSPHRASE)
    const again = await browser.decide(page, 'approve')
    expect([again.status, again.actions]).toEqual([409, ['/authorize/decision', '/logout']])
    expectPageHeaders(again)
    expect(again.html).toContain('Another account is signed in.')
    expect(again.html).toContain('<bdi>guest</bdi>')
    const approved = await browser.decide(again, 'approve')
    expect((await client.redeem(codeOf(approved))).status).toBe(200)
    expect((await browser.get('/account')).html).toContain('A client')
  })

  it('asks for the passphrase with status 409 when the sign-in has ended', async () => {
    const { browser, page } = await authorize({ signedIn: true })
    browser.cookies.delete(LOGIN)
    const again = await browser.decide(page, 'approve')
    expect([again.status, again.actions]).toEqual([409, ['/authorize/decision']])
    expect(again.html).toContain('Your sign-in has ended.')
    expect(again.html).toContain('name="passphrase"')
    expect(pageText(await browser.decide(again, 'approve', approve))).toBe('code')
  })

  it('shows the question again with status 409 when the login is not valid any more', async () => {
    const { browser, page } = await authorize({ signedIn: true })
    browser.cookies.set(LOGIN, 'made-up')
    expect((await browser.decide(page, 'approve')).status).toBe(409)
  })

  it('is not needed to deny', async () => {
    const { browser, page } = await authorize({ signedIn: true })
    browser.cookies.delete(LOGIN)
    expect(pageText(await browser.decide(page, 'deny'))).toBe('redirect access_denied')
  })
})

describe('the box of the consent page', () => {
  const withBox: readonly (readonly [string, () => Promise<Steps>])[] = [
    ['a registered client, to a signed-in person', async () => ({ signedIn: true })],
    ['a client with a document', async () => ({ kind: 'document', signedIn: true })],
    ['a client, where a button signs in', async () => ({ origin: LOCAL, login: undefined })],
    [
      'a client, where the person signs in elsewhere',
      async () => ({ login: (await OpenIdProvider.start()).login() }),
    ],
  ]

  async function openPage(steps: () => Promise<Steps>) {
    const { origin, ...setting } = await steps()
    const { client, browser, page } = await authorize({ ...setting, ...(origin && { origin }) })
    if (origin === undefined) return { browser, page }
    const local = new Browser(client.server, LOCAL)
    return { browser: local, page: await client.authorize(local) }
  }

  it.each(withBox)('is required for %s, and not to deny', async (_, steps) => {
    verifies('oauth-2-1-security/clickjacking')
    const { browser, page } = await openPage(steps)
    for (const confirmed of [undefined, '', 'no', 'true']) {
      const again = await browser.decide(page, 'approve', { confirmed })
      expect([again.status, again.location]).toEqual([400, null])
      expectPageHeaders(again)
      expect(again.html).toContain('role="alert"')
    }
    expect((await browser.decide(page, 'approve')).status).toBe(303)
    const other = await openPage(steps)
    const denied = await other.browser.decide(other.page, 'deny', { confirmed: undefined })
    expect(denied.location).toContain('error=access_denied')
  })

  it.each<[string, Steps]>([
    ['when the person enters the passphrase', {}],
    ['for a client of the configuration', { kind: 'static', signedIn: true }],
  ])('is not required %s', async (_, steps) => {
    verifies('oauth-2-1-clients/privileges-of-clients')
    expect((await authorize(steps)).page.html).not.toContain('name="confirmed"')
    expect((await decide(steps)).text).toBe('code')
  })

  it('is required again on the page that is shown after a sign-out', async () => {
    const { browser, page } = await authorize({ signedIn: true })
    await browser.post('/logout', formOf(page))
    await browser.signIn(GUEST_PASSPHRASE)
    const changed = await browser.decide(page, 'approve', { confirmed: 'yes' })
    expect(changed.status).toBe(409)
    const again = await browser.decide(changed, 'approve', { confirmed: undefined })
    expect([again.status, again.location]).toEqual([400, null])
  })
})
