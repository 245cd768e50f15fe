/** Signing out at the account page and at the consent page, and what a copy of the cookie may do afterwards. */
import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { expectPageHeaders, messageOf } from './support/answers.ts'
import { Browser, type Fields, fieldOf, formOf } from './support/browser.ts'
import { AuthClient, codeOf, statusWith } from './support/client.ts'
import { advance, createBindings, GUEST_PASSPHRASE, openDeployment } from './support/deployment.ts'
import { DOCUMENT, DOCUMENT_ID, LOGIN, open as openFlow } from './support/flow.ts'
import { interceptOutbound } from './support/outbound.ts'
import { answerCalls } from './support/scoped-objects.ts'

const DAY_MS = 86_400_000
const CLEARED = '__Host-edgeway-login=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax'

const open = () => openFlow({ signedIn: true })

async function expectAccount(browser: Browser, fields: Fields) {
  const { status, location, headers } = await browser.post('/logout', fields)
  expect([status, location]).toEqual([303, '/account'])
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.getSetCookie()).toEqual([CLEARED])
  expect(browser.cookies.has(LOGIN)).toBe(false)
  expect((await browser.get('/account')).actions).toEqual(['/login'])
}

it.each([
  ['signed in', true],
  ['not signed in', false],
])('signing out at the account page in a browser that is %s clears the cookie', async (...row) => {
  const { browser } = await openFlow({ signedIn: row[1] })
  const { csrf } = formOf(await browser.get('/account'))
  await expectAccount(browser, { csrf })
})

describe('a copy of the login cookie', () => {
  async function copied() {
    const opened = await open()
    const copy = opened.browser.at(opened.server)
    expect((await copy.get('/account')).actions).toContain('/logout')
    return { ...opened, copy }
  }
  const signedInAt = async (browser: Browser) =>
    (await browser.get('/account')).actions.includes('/logout')

  it('shows no account after signing out at the account page', async () => {
    const { browser, copy } = await copied()
    await browser.post('/logout', formOf(await browser.get('/account')))
    expect(await signedInAt(copy)).toBe(false)
  })

  it('shows no account after signing out at the consent page', async () => {
    const { browser, client, copy } = await copied()
    await browser.post('/logout', formOf(await client.authorize(browser)))
    expect(await signedInAt(copy)).toBe(false)
    expect((await client.authorize(copy)).html).toContain('name="passphrase"')
  })

  it('approves no page that was shown before signing out, and disconnects no app', async () => {
    const { browser, client, copy } = await copied()
    const { access } = await client.tokens()
    const page = await client.authorize(copy)
    const account = await copy.get('/account')
    await browser.post('/logout', formOf(await browser.get('/account')))
    const answer = await copy.decide(page, 'approve', { confirmed: 'yes' })
    expect([answer.status, answer.location]).toEqual([409, null])
    expect(answer.html).toContain('name="passphrase"')
    const form = { ...formOf(account), client: fieldOf(account.html, 'client') }
    const disconnected = await copy.post('/account/disconnect', form)
    expect([disconnected.status, disconnected.location]).toEqual([303, '/account'])
    expect(await statusWith(client.server, access)).toBe(200)
  })

  it('is not affected by a sign-out of another browser of the same person', async () => {
    const { server, copy } = await copied()
    const other = new Browser(server)
    await other.signIn()
    await other.post('/logout', formOf(await other.get('/account')))
    expect(await signedInAt(copy)).toBe(true)
  })
})

describe('signing out at the consent page', () => {
  it('shows the same question without a name, for another person to answer', async () => {
    const { browser, client } = await open()
    const question = await client.authorize(browser)
    const page = await browser.post('/logout', formOf(question))
    expectPageHeaders(page)
    expect([page.status, page.actions]).toEqual([200, ['/authorize/decision']])
    expect(page.headers.getSetCookie()).toContain(CLEARED)
    expect(page.html).toContain('name="passphrase"')
    expect(formOf(page).csrf).toBe(formOf(question).csrf)
    const refused = await browser.decide(page, 'approve')
    expect([refused.location, refused.actions]).toEqual([null, ['/authorize/decision']])
    const answer = await browser.decide(page, 'approve', { passphrase: GUEST_PASSPHRASE })
    expect(codeOf(answer)).toMatch(/./)
    expect((await browser.get('/account')).html).toContain('<bdi>guest</bdi>')
  })

  it('redirects to the account page for a question that was made up or is of another browser', async () => {
    const { server, browser, client } = await open()
    const { transaction } = formOf(await client.authorize(new Browser(server)))
    for (const question of ['made-up', transaction]) {
      const { csrf } = formOf(await browser.get('/account'))
      await expectAccount(browser, { csrf, transaction: question })
      await browser.signIn()
    }
  })

  it('redirects to the account page when the registration of the client has expired', async () => {
    const { browser, client } = await open()
    advance(90 * DAY_MS - 1)
    const form = formOf(await client.authorize(browser))
    advance(1)
    await expectAccount(browser, form)
  })
})

describe('a consent page of a client whose metadata document has changed since', () => {
  async function openChanged(respond: () => Response | Promise<Response>) {
    let answer: typeof respond = () => Response.json(DOCUMENT)
    interceptOutbound(() => answer())
    const bindings = createBindings()
    const server = openDeployment({}, { bindings })
    const browser = new Browser(server)
    await browser.signIn()
    const form = formOf(await new AuthClient(server, DOCUMENT_ID).authorize(browser))
    answer = respond
    // Another isolate, in which the document is not cached, and a store that has lost it.
    const without = answerCalls(bindings, ({ kind, method }, next) =>
      kind === 'documents' && method === 'get' ? undefined : next(),
    )
    return { browser: browser.at(openDeployment({}, { bindings: without })), form }
  }

  const GONE = () => new Response(null, { status: 404 })
  const MOVED = { ...DOCUMENT, redirect_uris: ['https://client.example/another'] }

  it.each([
    ['does not exist any more', GONE],
    ['names another client', () => Response.json({ client_id: 'https://evil.example/client' })],
    ['cannot be fetched', () => Promise.reject(new TypeError('unreachable'))],
  ])('signs out when it %s', async (_, respond) => {
    const { browser, form } = await openChanged(respond)
    await expectAccount(browser, form)
  })

  it.each([
    ['has lost the redirect URI', () => Response.json(MOVED)],
    ['is invalid by now', GONE],
  ])(
    'rejects a decision with a page and status 400, never with 401, when it %s',
    async (...row) => {
      verifies('authorization-discovery/client-document-redirect-uris')
      verifies('client-id-metadata-documents/redirect-uris')
      const { browser, form } = await openChanged(row[1])
      const decision = { ...form, decision: 'approve', confirmed: 'yes' }
      expect(messageOf(await browser.post('/authorize/decision', decision))).toBe(400)
    },
  )
})
