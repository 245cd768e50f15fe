/** The page at `/` in a real browser; and what the consent and account pages have in common with it. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LoggedServer, startLoggedServer } from '../support/node/fixture-server.ts'
import { useFixtureServer } from './fixture-server.ts'
import { type Opened, screenshot, useBrowser } from './open-browser.ts'
import { expectAccessible, expectLight } from './page-checks.ts'
import { useProtectedServer } from './protected-server.ts'

const browser = useBrowser()
const protectedServer = useProtectedServer()
const fixture = useFixtureServer()
let hostile: LoggedServer

beforeAll(async () => {
  hostile = await startLoggedServer({
    configPath: join(import.meta.dirname, '../fixtures/hostile/wrangler.toml'),
    port: 0,
    vars: {},
  })
})

afterAll(async () => {
  await hostile?.stop()
})

const rootOf = ({ url }: { url: string }) => new URL('/', url).href
const fits = ({ page }: Opened) =>
  page.evaluate('document.documentElement.scrollWidth <= innerWidth')

describe('the landing page', () => {
  it.each([
    ['desktop', 'light'],
    ['desktop', 'dark'],
    ['phone', 'light'],
    ['small', 'dark'],
  ] as const)('is accessible, small and complete on a %s in %s', async (device, colorScheme) => {
    const opened = await browser.open({ device, colorScheme })
    await expectLight(opened.page, rootOf(fixture))
    expect(await opened.page.getByRole('heading', { level: 1 }).count()).toBe(1)
    await screenshot(opened.page, `landing-${device}-${colorScheme}`)
    // Everything unfolded, so that it is examined too.
    await opened.page.evaluate(`for (const each of document.querySelectorAll('details')) {
      each.name = ''
      each.open = true
    }`)
    expect(await fits(opened)).toBe(true)
    await expectAccessible(opened.page)
    expect(opened.violations).toEqual([])
    await screenshot(opened.page, `landing-${device}-${colorScheme}-open`)
  })

  it('unfolds a client with the keyboard and without scripts, and opens one at a time', async () => {
    const { page } = await browser.open({ scripts: false })
    await page.goto(rootOf(fixture))
    const summary = page.locator('summary').filter({ hasText: 'Claude Code' })
    await summary.focus()
    await page.keyboard.press('Enter')
    const command = page.getByText('claude mcp add --transport http')
    expect(await command.isVisible()).toBe(true)
    expect(await command.textContent()).toContain(fixture.url)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.getByRole('link', { name: 'Add to VS Code' }).isVisible()).toBe(true)
    expect(await command.isVisible()).toBe(false)
  })

  it('shows hostile text as text', async () => {
    const opened = await browser.open({ device: 'phone' })
    await expectLight(opened.page, rootOf(hostile))
    const heading = await opened.page.getByRole('heading', { level: 1 }).textContent()
    expect(heading).toContain('</bdi></h1><img src=x onerror=')
    expect(await opened.page.locator('img, script').count()).toBe(0)
    expect(await opened.page.title()).not.toBe('hacked')
    expect(await fits(opened)).toBe(true)
    await expectAccessible(opened.page)
    await screenshot(opened.page, 'landing-hostile-phone')
  })

  it.each(['light', 'dark'] as const)(
    'of a protected server is accessible in %s',
    async (scheme) => {
      const opened = await browser.open({ colorScheme: scheme })
      await expectLight(opened.page, `${protectedServer.issuer}/`)
      await expectAccessible(opened.page)
      await screenshot(opened.page, `landing-protected-${scheme}`)
    },
  )
})

describe.each(['light', 'dark'] as const)('the pages of authorization in %s', (colorScheme) => {
  it('are accessible, small and complete: sign-in, consent and account', async () => {
    const { page } = await browser.open({ colorScheme })
    await expectLight(page, `${protectedServer.issuer}/account`)
    await expectAccessible(page)
    await page.getByLabel('Passphrase').fill('battery staple correct horse')
    await page.getByRole('button').click()
    await page.waitForURL('**/account')
    const app = await protectedServer.startApp({ name: 'Example' })
    await expectLight(page, app.link({ scope: 'read write' }))
    await expectAccessible(page)
    for (const box of await page.getByRole('checkbox').all()) await box.check()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${app.redirectUri}?*`)
    await expectLight(page, `${protectedServer.issuer}/account`)
    await expectAccessible(page)
  })
})
