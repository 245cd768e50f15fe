import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { expectPageHeaders, messageOf } from './support/answers.ts'
import { Browser, type Fields, fieldOf, formOf } from './support/browser.ts'
import { AuthClient, codeOf, REDIRECT_URI, statusWith } from './support/client.ts'
import { advance, createBindings, GUEST_PASSPHRASE, openDeployment } from './support/deployment.ts'
import { interceptOutbound } from './support/outbound.ts'
import { answerCalls } from './support/scoped-objects.ts'

const DAY_MS = 86_400_000
const LOGIN = '__Host-edgeway-login'
const CLEARED = '__Host-edgeway-login=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax'

async function open() {
  const server = openDeployment()
  const browser = new Browser(server)
  await browser.signIn()
  const client = await AuthClient.register(server)
  return { server, browser, client }
}

async function expectAccount(browser: Browser, fields: Fields) {
  const { status, location, headers } = await browser.post('/logout', fields)
  expect([status, location]).toEqual([303, '/account'])
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.getSetCookie()).toEqual([CLEARED])
  expect((await browser.get('/account')).actions).toEqual(['/login'])
}

describe('signing out at the account page', () => {
  it('clears the login cookie and redirects to the account page', async () => {
    const { browser } = await open()
    const { csrf } = formOf(await browser.get('/account'))
    await expectAccount(browser, { csrf })
    expect(browser.cookies.has(LOGIN)).toBe(false)
  })

  it('does the same for a browser that is not signed in', async () => {
    const browser = new Browser(openDeployment())
    const { csrf } = formOf(await browser.get('/account'))
    await expectAccount(browser, { csrf })
  })
})

describe('a copy of the login cookie', () => {
  async function copied() {
    const { server, browser, client } = await open()
    const copy = browser.at(server)
    expect((await copy.get('/account')).actions).toContain('/logout')
    return { server, browser, client, copy }
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

  it('approves no page that was shown before signing out', async () => {
    const { browser, client, copy } = await copied()
    const page = await client.authorize(copy)
    await browser.post('/logout', formOf(await browser.get('/account')))
    const answer = await copy.decide(page, 'approve', { confirmed: 'yes' })
    expect([answer.status, answer.location]).toEqual([409, null])
    expect(answer.html).toContain('name="passphrase"')
  })

  it('disconnects no app after signing out', async () => {
    const { browser, client, copy } = await copied()
    const { access } = await client.tokens()
    const page = await copy.get('/account')
    await browser.post('/logout', formOf(await browser.get('/account')))
    const app = fieldOf(page.html, 'client')
    const answer = await copy.post('/account/disconnect', { ...formOf(page), client: app })
    expect([answer.status, answer.location]).toEqual([303, '/account'])
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
    expect(formOf(page).transaction).toMatch(/^[\w.-]+$/)
  })

  it('lets another person approve on the page that follows', async () => {
    const { browser, client } = await open()
    const page = await browser.post('/logout', formOf(await client.authorize(browser)))
    const answer = await browser.decide(page, 'approve', { passphrase: GUEST_PASSPHRASE })
    expect(codeOf(answer)).toMatch(/./)
    expect((await browser.get('/account')).html).toContain('<bdi>guest</bdi>')
  })

  it('does not let the browser approve as the person who signed out', async () => {
    const { browser, client } = await open()
    const page = await browser.post('/logout', formOf(await client.authorize(browser)))
    const answer = await browser.decide(page, 'approve')
    expect([answer.location, answer.actions]).toEqual([null, ['/authorize/decision']])
  })

  it('redirects to the account page for a question that was made up', async () => {
    const { browser } = await open()
    const { csrf } = formOf(await browser.get('/account'))
    await expectAccount(browser, { csrf, transaction: 'made-up' })
  })

  it('redirects to the account page for a question of another browser', async () => {
    const { server, browser, client } = await open()
    const { csrf } = formOf(await browser.get('/account'))
    const { transaction } = formOf(await client.authorize(new Browser(server)))
    await expectAccount(browser, { csrf, transaction })
  })

  it('redirects to the account page when the registration of the client has expired', async () => {
    const { browser, client } = await open()
    advance(90 * DAY_MS - 1)
    const form = formOf(await client.authorize(browser))
    advance(1)
    await expectAccount(browser, form)
  })

  it.each([
    ['does not exist any more', () => new Response(null, { status: 404 })],
    ['names another client', () => Response.json({ client_id: 'https://evil.example/client' })],
    ['cannot be fetched', () => Promise.reject(new TypeError('unreachable'))],
  ])('signs out when the metadata document of the client %s', async (_, respond) => {
    const { browser, form } = await openWithDocument(respond)
    await expectAccount(browser, form)
  })
})

/** The consent page of a client whose metadata document has changed since it was shown. */
async function openWithDocument(respond: () => Response | Promise<Response>) {
  const id = 'https://client.example/oauth/client.json'
  let answer: typeof respond = () =>
    Response.json({ client_id: id, client_name: 'A document', redirect_uris: [REDIRECT_URI] })
  interceptOutbound(() => answer())
  const bindings = createBindings()
  const server = openDeployment({}, { bindings })
  const browser = new Browser(server)
  await browser.signIn()
  const form = formOf(await new AuthClient(server, id).authorize(browser))
  answer = respond
  // Another isolate, in which the document is not cached, and a store that has lost it.
  const without = answerCalls(bindings, ({ kind, method }, next) =>
    kind === 'documents' && method === 'get' ? undefined : next(),
  )
  const later = openDeployment({}, { bindings: without })
  return { browser: browser.at(later), form }
}

describe('a decision about a client whose metadata document has lost the redirect URI', () => {
  it('is answered with a page and status 400', async () => {
    verifies('authorization-discovery/client-document-redirect-uris')
    verifies('client-id-metadata-documents/redirect-uris')
    const { browser, form } = await openWithDocument(() =>
      Response.json({
        client_id: 'https://client.example/oauth/client.json',
        client_name: 'A document',
        redirect_uris: ['https://client.example/another'],
      }),
    )
    const decision = { ...form, decision: 'approve', confirmed: 'yes' }
    expect(messageOf(await browser.post('/authorize/decision', decision))).toBe(400)
  })
})

describe('a decision about a client whose metadata document is invalid by now', () => {
  it('is answered with a page and status 400, never with 401', async () => {
    const { browser, form } = await openWithDocument(() => new Response(null, { status: 404 }))
    const decision = { ...form, decision: 'approve', confirmed: 'yes' }
    expect(messageOf(await browser.post('/authorize/decision', decision))).toBe(400)
  })
})
