import { describe, expect, it } from 'vitest'
import { expectPageHeaders } from './support/answers.ts'
import { Browser, type Fields, formOf } from './support/browser.ts'
import { AuthClient, codeOf } from './support/client.ts'
import { advance, GUEST_PASSPHRASE, openDeployment } from './support/deployment.ts'

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
})
