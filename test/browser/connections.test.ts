/** The pages of connected accounts in a real browser, with a service that the test plays. */
// features: connections
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type AccountService,
  connect,
  createAccountService,
} from '../../packages/testing/src/index.ts'
import { authorize } from '../../scripts/support/authorize.ts'
import { type FixtureServer, startFixtureServer } from '../support/node/fixture-server.ts'
import { listen } from './client-app.ts'
import { expectToFit, screenshot, useBrowser } from './open-browser.ts'
import { expectAccessible, expectLight } from './page-checks.ts'

const PASSPHRASE = 'battery staple correct horse'

const browser = useBrowser()
let service: AccountService
let host: Awaited<ReturnType<typeof listen>>
let server: FixtureServer

beforeAll(async () => {
  host = await listen(async (request, response) => {
    const { method = 'GET', headers, url } = request
    const body = method === 'POST' ? await text(request) : null
    const sent = { method, body, headers: { authorization: `${headers.authorization}` } }
    const answer = await service.fetch(new Request(`${host.url}${url}`, sent))
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  })
  service = createAccountService({ url: host.url, accounts: ['ada@work', 'ada@home'] })
  const services = [{ name: 'chat', url: host.url, isFixed: true }]
  server = await startFixtureServer({ protected: true, services })
})

afterAll(async () => {
  await server.stop()
  await host.stop()
})

/** An app that calls the tool, whose client is registered anew. */
async function startApp() {
  const { origin } = new URL(server.url)
  const token = await authorize({ origin, passphrase: PASSPHRASE })
  const app = { fetch: (request: Request) => fetch(request) }
  const client = await connect(app, { url: `${origin}/mcp`, token, capabilities: {} })
  const call = async () => (await client.callTool('act', { connection: 'chat' })).text
  return { origin, call, ask: async () => /http\S+\/connect\?at=\S+/.exec(await call())?.[0] ?? '' }
}

it.each([
  ['phone', 'light'],
  ['small', 'dark'],
  ['desktop', 'light'],
  ['desktop', 'dark'],
] as const)(
  '/connect and /account connect, choose, rename and end accounts on a %s screen in %s mode',
  async (device, colorScheme) => {
    const { page } = await browser.open({ device, colorScheme })
    const check = async (name: string) => {
      await expectToFit(page)
      await expectAccessible(page)
      await screenshot(page, `${name}-${device}-${colorScheme}`)
    }
    const first = await startApp()
    const address = await first.ask()
    await page.goto(address)
    await page.getByLabel('Passphrase').fill(PASSPHRASE)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(address)
    await expectLight(page, address)
    await check('connect')
    await page.getByRole('button', { name: 'Connect chat' }).click()
    await page.getByRole('link', { name: 'Continue as ada@work' }).click()
    expect(await page.getByRole('heading').textContent()).toBe('chat is connected')
    await check('connected')
    expect(await first.call()).toContain('Account used: chat: ada@work')

    const second = await startApp()
    await page.goto(await second.ask())
    await check('connect-another')
    await page.getByRole('button', { name: 'Use this account' }).click()
    expect(await second.call()).toContain('Account used: chat: ada@work')

    await page.goto(`${first.origin}/account`)
    await check('account-connections')
    const card = page.locator('section').filter({ hasText: 'chat: ' })
    await card.getByText('Rename').first().click()
    await card.getByLabel('Name').fill('Work')
    await card.getByLabel('Name').press('Enter')
    await page.waitForURL(/account-changed/)
    expect(await card.getByRole('heading').textContent()).toBe('chat: Work')
    await card.getByRole('button', { name: 'Disconnect' }).click()
    await page.waitForURL(/account-ended/)
    expect(await second.ask()).not.toBe('')
  },
)
