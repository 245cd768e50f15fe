/** Upstream sign-in in a real browser. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type FixtureServer, startFixtureServer } from '../support/node/fixture-server.ts'
import { type ClientApp, startClientApp } from './client-app.ts'
import { screenshot, useBrowser } from './open-browser.ts'
import { startUpstreamProvider, type UpstreamProvider } from './upstream-provider.ts'

const browser = useBrowser()
let provider: UpstreamProvider
let server: FixtureServer
let issuer: string
let app: ClientApp

beforeAll(async () => {
  provider = await startUpstreamProvider()
  server = await startFixtureServer({
    protected: true,
    upstream: provider.url,
    egress: provider.url,
  })
  issuer = new URL(server.url).origin
  app = await startClientApp({ issuer })
})

afterAll(async () => {
  await app.stop()
  await server.stop()
  await provider.stop()
})

afterEach(() => {
  app.answers.length = 0
})

it('an upstream sign-in follows the consent and returns to the app', async () => {
  provider.mode = 'page'
  const { page, violations } = await browser.open({ device: 'phone' })
  await page.goto(app.link())
  expect(await page.getByLabel('Passphrase').count()).toBe(0)
  expect(await page.getByText('Next, you sign in with the upstream provider.').count()).toBe(1)
  await screenshot(page, 'consent-upstream-phone')
  await page.getByLabel('I started this connection').check()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByRole('link', { name: 'Continue' }).click()
  await page.waitForURL(`${app.redirectUri}?*`)
  const tokens = await app.redeem(app.answers[0])
  expect(await app.call(tokens.access_token)).toBe(200)
  expect(violations).toEqual([])
})

it('an upstream sign-in passes redirects through several hosts', async () => {
  provider.mode = 'redirect'
  const { page, violations } = await browser.open({ scripts: false })
  await page.goto(app.link())
  await page.getByLabel('I started this connection').check()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.waitForURL(`${app.redirectUri}?*`)
  expect(app.answers[0]?.has('code')).toBe(true)
  expect(violations).toEqual([])
})

it('an upstream error is redirected to the app as access_denied', async () => {
  provider.mode = 'refuse'
  const { page } = await browser.open()
  await page.goto(app.link())
  await page.getByLabel('I started this connection').check()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.waitForURL(`${app.redirectUri}?*`)
  expect(app.answers[0]?.get('error')).toBe('access_denied')
})

it('a denied consent does not contact the upstream provider', async () => {
  provider.mode = 'page'
  const { page } = await browser.open()
  const visited: string[] = []
  page.on('request', (request) => visited.push(new URL(request.url()).origin))
  await page.goto(app.link())
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.waitForURL(`${app.redirectUri}?*`)
  expect(app.answers[0]?.get('error')).toBe('access_denied')
  expect(visited).not.toContain(provider.url)
})

it('an upstream sign-in opens the page of connected apps', async () => {
  provider.mode = 'redirect'
  const { page } = await browser.open({ device: 'phone', colorScheme: 'dark' })
  await page.goto(`${issuer}/account`)
  await screenshot(page, 'login-upstream-phone-dark')
  await page.getByRole('button', { name: 'Continue with the upstream provider' }).click()
  await page.waitForURL(`${issuer}/account`)
  expect(await page.getByText('Signed in as Ada Lovelace').count()).toBe(1)
})
