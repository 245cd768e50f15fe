/** The accounts of a person on the consent page of an app. */
// features: connections, admin
import { describe, expect, it } from 'vitest'
import { admin } from '../../../packages/inspector/src/admin/index.ts'
import { ADMIN, LOOPBACK, OPERATOR, OWNERS, SCOPES } from '../server/support/admin.ts'
import { type Fields, fieldsOf, formOf } from '../server/support/browser.ts'
import { AuthClient, codeOf, tokensOf } from '../server/support/client.ts'
import { advance, GUEST_PASSPHRASE } from '../server/support/deployment.ts'
import { ConnectedServer, pathIn, textOf, usedIn } from './connected-server.ts'
import { formsOf } from './service.ts'

const TICK = { 'account 0': 'yes' }

/** A label alone is not looked for: sealed text has every short word at some time. */
const ACCOUNT = /name="account \d/

/** A server whose person has connected `ada` with the app A, and another account, and the consent page of the app B. */
async function consenting(another?: string) {
  const server = new ConnectedServer()
  await server.connect()
  if (another !== undefined) {
    // Accounts have the order in which they were connected.
    advance(1_000)
    await server.connect(another, 'act_more')
  }
  const browser = await server.browser()
  const client = await AuthClient.register(server.server, { client_name: 'App B' })
  const page = await client.authorize(browser)
  const approve = async (fields: Fields) => {
    const decided = await browser.decide(page, 'approve', fields)
    const { access } = await tokensOf(await client.redeem(codeOf(decided)))
    return access
  }
  return { server, browser, client, page, approve }
}

describe('the consent page of an app', () => {
  it('offers the accounts of the person with their scopes, and an app with a tick uses one at once', async () => {
    const { server, page, approve } = await consenting()
    expect(page.html).toMatch(
      /<input type="checkbox" name="account 0" value="yes">\s<span>Example: .*ada.*read/,
    )
    const token = await approve(TICK)
    expect(usedIn(await server.call('act', {}, token)).account.id).toBe('ada')
    expect(pathIn(await server.call('act_more', {}, token))).not.toBe('')
    expect(formsOf(server.service)).toHaveLength(1)
  })

  it('names every account, and admits the app to those with a tick alone', async () => {
    const { server, page, approve } = await consenting('bob')
    expect(page.html).toMatch(/name="account 0".*ada.*name="account 1".*bob/s)
    const token = await approve({ 'account 1': 'yes' })
    expect(usedIn(await server.call('act', {}, token)).account.id).toBe('bob')
    expect(textOf(await server.call('act', { account: 'ada' }, token))).toMatch(/may use: "bob"\./)
  })

  it('offers an account that the app may use already no more', async () => {
    const { browser, client, approve } = await consenting()
    await approve(TICK)
    expect((await client.authorize(browser)).html).not.toContain('type="checkbox" name="account')
  })

  it('offers no account of another person, and none to a person who is not signed in', async () => {
    const { server, client } = await consenting()
    const guest = await client.authorize(await server.browser(GUEST_PASSPHRASE))
    for (const { html } of [guest, await client.authorize()]) expect(html).not.toMatch(ACCOUNT)
  })

  it('offers no account to an app that administers the server', async () => {
    const server = new ConnectedServer({ auth: { scopes: SCOPES }, admin: admin(OWNERS) })
    await server.connect()
    const client = await AuthClient.register(server.server, OPERATOR)
    const wanted = { resource: ADMIN, scope: 'operate', redirect_uri: LOOPBACK }
    const page = await client.authorize(await server.browser(), wanted)
    expect(page.html).toContain('administer')
    expect(page.html).not.toMatch(ACCOUNT)
  })

  it.each([
    ['no tick', {}],
    ['a tick that the page has not shown', { 'account 1': 'yes' }],
  ])('with %s admits the app to nothing, and its first call asks', async (_, fields) => {
    const { server, approve } = await consenting()
    const token = await approve(fields)
    expect(pathIn(await server.call('act', {}, token))).not.toBe('')
  })

  it('admits the app to the scopes that the page showed alone', async () => {
    const { server, approve } = await consenting()
    await server.connect('ada', 'act_more')
    const token = await approve(TICK)
    expect(pathIn(await server.call('act_more', {}, token))).not.toBe('')
    expect(usedIn(await server.call('act', {}, token)).account.id).toBe('ada')
  })

  it('admits the app to no account that has ended since, and was connected again', async () => {
    const { server, browser, approve } = await consenting()
    const page = await browser.get('/account')
    const [account] = fieldsOf(page.html, 'account')
    await browser.post('/account/connections', { csrf: formOf(page).csrf, account, do: 'end' })
    await server.connect()
    expect(pathIn(await server.call('act', {}, await approve(TICK)))).not.toBe('')
  })

  it.each([
    ['denied', 303, { decision: 'deny' }, {}],
    ['sent by another site', 403, {}, { origin: 'https://evil.example.org' }],
    ['without its form token', 403, { csrf: undefined }, {}],
    ['answered by another person', 409, {}, {}],
  ] as const)(
    'that is %s is answered with %i and admits the app to nothing',
    async (name, status, fields, headers) => {
      const { server, browser, client, page } = await consenting()
      if (name === 'answered by another person') await browser.signIn(GUEST_PASSPHRASE)
      const form = { ...formOf(page), confirmed: 'yes', decision: 'approve', ...TICK, ...fields }
      expect((await browser.post('/authorize/decision', form, headers)).status).toBe(status)
      const owner = await server.browser()
      const later = await owner.decide(await client.authorize(owner), 'approve')
      const { access } = await tokensOf(await client.redeem(codeOf(later)))
      expect(pathIn(await server.call('act', {}, access))).not.toBe('')
    },
  )
})
