/** The inspector of a protected server: its own sign-in in production, and that of its client at the endpoint. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { useFixtureServer } from '../../../../test/browser/fixture-server.ts'
import { type Opened, screenshot, useBrowser } from '../../../../test/browser/open-browser.ts'
import { expectAccessible } from '../../../../test/browser/page-checks.ts'

const OWNER = 'correct horse battery staple'
const GUEST = 'battery staple correct horse'

const browser = useBrowser()
const server = useFixtureServer({ protected: true, inspect: true })

const at = (path: string) => new URL(path, server.url).href

/** Consents to the page as a client, with a sign-in where the server asks for one. */
async function allow(page: Page): Promise<void> {
  await requestConsent(page)
  await consent(page)
}

async function requestConsent(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Allow' }).waitFor()
}

async function consent(page: Page): Promise<void> {
  const field = page.getByLabel('Passphrase')
  if ((await field.count()) > 0) await field.fill(OWNER)
  const box = page.getByLabel('I started this connection')
  if ((await box.count()) > 0) await box.check()
  await page.getByRole('button', { name: 'Allow' }).click()
}

async function openTool(page: Page, name: string): Promise<void> {
  await page.goto(at(`/inspect#/try/tools/${name}`))
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
}

interface StoredTokens {
  readonly accessToken: string
  readonly renewal: Readonly<Record<string, string>>
}

/** Changes what the page has stored, and loads the page again. */
async function replaceTokens(page: Page, change: (tokens: StoredTokens) => object): Promise<void> {
  const key = 'edgeway-inspector-tokens'
  const stored = await page.evaluate<string>(`sessionStorage.getItem('${key}')`)
  const next = JSON.stringify(JSON.stringify(change(JSON.parse(stored))))
  await page.evaluate(`sessionStorage.setItem('${key}', ${next})`)
  await page.reload()
}

const call = (page: Page) => page.getByRole('button', { name: 'Call the tool' }).click()

describe('the client of the inspector', () => {
  it('signs in to a protected server, calls a tool, and signs out', async () => {
    const { page, violations } = await browser.open({ device: 'phone' })
    await openTool(page, 'whoami')
    await expectAccessible(page)
    await screenshot(page, 'inspector-sign-in')
    await allow(page)
    await page.getByRole('heading', { level: 2, name: 'whoami' }).waitFor()
    expect(new URL(page.url()).search).toBe('')
    await call(page)
    await page.getByText('"owner"').first().waitFor()
    await screenshot(page, 'inspector-signed-in')
    expect(await page.evaluate('localStorage.length')).toBe(0)
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(violations).toEqual([])
  })

  it('names the scope that a call lacks, and repeats the call with its arguments after the consent', async () => {
    const { page } = await browser.open()
    await openTool(page, 'needs_scope')
    // As if the first consent were for one scope alone.
    await page.route(
      '**/authorize?**',
      (route) => {
        const url = new URL(route.request().url())
        url.searchParams.set('scope', 'read')
        return route.continue({ url: url.href })
      },
      { times: 1 },
    )
    await allow(page)
    await page.getByRole('heading', { level: 2, name: 'needs_scope' }).waitFor()
    await page.getByLabel('text').fill('twice')
    await call(page)
    await page.getByRole('heading', { name: 'Consent to more' }).waitFor()
    expect(await page.locator('.sign-in p').first().textContent()).toMatch(/needs .*write/)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Consent' }).click()
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    await consent(page)
    await page.getByText('written: twice').first().waitFor()
    expect(await page.getByLabel('text').inputValue()).toBe('twice')
  })

  it('renews an access token that the server refuses, and asks for a sign-in when it cannot', async () => {
    const { page } = await browser.open()
    await openTool(page, 'whoami')
    await allow(page)
    await page.getByRole('heading', { level: 2, name: 'whoami' }).waitFor()
    const grants: (string | null)[] = []
    page.on('request', (request) => {
      if (new URL(request.url()).pathname !== '/token') return
      grants.push(new URLSearchParams(request.postData() ?? '').get('grant_type'))
    })
    await replaceTokens(page, (tokens) => ({ ...tokens, accessToken: 'expired' }))
    await page.getByRole('heading', { level: 2, name: 'whoami' }).waitFor()
    await call(page)
    await page.getByText('"owner"').first().waitFor()
    expect(grants).toEqual(['refresh_token'])
    const busy = { status: 503, json: { error: 'temporarily_unavailable' } }
    await page.route('**/token', (route) => route.fulfill(busy), { times: 1 })
    await replaceTokens(page, (tokens) => ({ ...tokens, accessToken: 'expired' }))
    await page.getByText('temporarily_unavailable').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 2, name: 'whoami' }).waitFor()
    grants.length = 0
    await replaceTokens(page, ({ renewal }) => ({
      accessToken: 'expired',
      renewal: { ...renewal, refreshToken: 'ended' },
    }))
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(grants).toEqual(['refresh_token'])
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
  })

  it.each([
    {
      what: 'the resource of the metadata is another server',
      path: '/.well-known/oauth-protected-resource/mcp',
      change: { resource: 'https://other.example/mcp' },
      says: 'The protected resource metadata is of "https://other.example/mcp"',
    },
    {
      what: 'the metadata has another issuer',
      path: '/.well-known/oauth-authorization-server',
      change: { issuer: 'https://other.example' },
      says: 'its metadata is of the issuer "https://other.example"',
    },
  ])('does not leave the page when $what', async ({ path, change, says }) => {
    const { page } = await browser.open()
    await page.route(`**${path}`, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), ...change } })
    })
    await openTool(page, 'whoami')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText(says).waitFor()
    expect(new URL(page.url()).pathname).toBe('/inspect')
  })

  it('sends no code when the authorization response is of another issuer than the metadata', async () => {
    const { page } = await browser.open()
    const codes: string[] = []
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/token') codes.push(request.url())
    })
    await openTool(page, 'whoami')
    await requestConsent(page)
    // As if the page had begun the sign-in at another server, whose metadata led here.
    await page.evaluate(`{
      const key = 'edgeway-inspector-sign-in'
      const pending = JSON.parse(sessionStorage.getItem(key))
      sessionStorage.setItem(key, JSON.stringify({ ...pending, issuer: 'https://other.example' }))
    }`)
    await consent(page)
    await page.getByText('the request was sent to "https://other.example"').waitFor()
    expect(codes).toEqual([])
  })

  it('shows an authorization response that belongs to no sign-in of the page as an error', async () => {
    const { page } = await browser.open()
    await page.goto(at('/inspect/callback?code=stolen&state=other'))
    await page.getByRole('alert').filter({ hasText: 'begun by another page' }).waitFor()
    expect(page.url()).not.toContain('stolen')
    await expectAccessible(page)
  })
})

describe('the inspector in production', () => {
  /** A proxy names a client on another computer, so the server is none of development. */
  const signIn = async ({ context, page }: Opened, passphrase: string) => {
    await context.setExtraHTTPHeaders({ 'x-forwarded-for': '192.0.2.1' })
    await page.goto(at('/inspect'))
    await page.waitForURL(at('/account?return=inspector'))
    await page.getByLabel('Passphrase').fill(passphrase)
    const response = page.waitForResponse(at('/inspect'))
    await page.getByRole('button', { name: 'Sign in' }).click()
    return response
  }

  it('opens for an owner after the sign-in, and shows the calls and the grants of the owner', async () => {
    const opened = await browser.open()
    const { page, violations } = opened
    expect((await signIn(opened, OWNER)).status()).toBe(200)
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
    await openTool(page, 'echo')
    await allow(page)
    await page.getByRole('heading', { level: 2, name: 'echo' }).waitFor()
    await page.getByLabel('text').fill('of the owner')
    await call(page)
    await page.getByRole('link', { name: 'Traffic' }).click()
    await page
      .getByRole('link', { name: /tools\/call.*echo/ })
      .first()
      .click()
    await page.getByText('"of the owner"').first().waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'State' }).click()
    expect(await page.getByLabel('Subject').inputValue()).toBe('owner')
    await page
      .getByRole('list', { name: 'Grants' })
      .getByText('Edgeway inspector')
      .first()
      .waitFor()
    expect(violations).toEqual([])
  })

  it('does not exist for a person who signs in and is no owner', async () => {
    const opened = await browser.open()
    expect((await signIn(opened, GUEST)).status()).toBe(404)
    const statuses = await opened.page.evaluate(`Promise.all(
      ['config.json', 'state.json', 'traffic.json', 'traffic', 'timeline.json'].map(
        async (path) => (await fetch('/inspect/' + path)).status))`)
    expect(statuses).toEqual([404, 404, 404, 404, 404])
    await opened.page.goto(at('/account'))
    await opened.page.getByRole('heading', { level: 1 }).waitFor()
  })
})
