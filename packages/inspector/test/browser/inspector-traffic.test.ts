/** The traffic of the inspector in a real browser, with recorded entries. */
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { createInspectorPage } from '../../../../scripts/support/inspector-page.ts'
import { screenshot, useBrowser } from '../../../../test/browser/open-browser.ts'
import { expectAccessible } from '../../../../test/browser/page-checks.ts'
import type { TrafficEntry } from '../../page/traffic/entry.ts'
import { useRecordedServers } from './inspector-server.ts'
import { callEntries, refusedEntries } from './inspector-traffic.ts'

const browser = useBrowser()
const servers = useRecordedServers()

const entriesOf = (count: number): readonly TrafficEntry[] =>
  Array.from({ length: count }, (_, index) =>
    callEntries(index + 1, { text: `text ${index}` }),
  ).flat()

/** Shows the traffic of a server in a browser, and restarts the server, which then answers with a status. */
async function showThenRefuse(status: number, device?: 'phone'): Promise<Page> {
  const answers: Record<string, unknown> = {}
  const server = await servers.open({ answers, entries: callEntries(1, { text: 'before' }) })
  const { page } = await browser.open(device && { device })
  await page.goto(`${server.origin}/inspect`)
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  await server.stop()
  Object.assign(answers, { '/inspect/traffic': status, '/inspect/config.json': status })
  await server.start()
  return page
}

describe('the page of the inspector', () => {
  it('has less than 69 KB after compression, of which the texts of faults are 11, the host of views 11, the played clients 4 and the events 2', async () => {
    const { html } = await createInspectorPage()
    expect(gzipSync(html).byteLength).toBeLessThan(69_000)
  })
})

describe('the traffic of the inspector', () => {
  it.each([
    ['desktop', 'light'],
    ['small', 'dark'],
  ] as const)('is accessible on a %s in %s', async (device, colorScheme) => {
    const { origin } = await servers.open({ entries: [...entriesOf(12), ...refusedEntries(13)] })
    const { page, violations } = await browser.open({ device, colorScheme })
    await page.goto(`${origin}/inspect`)
    await expect.poll(() => page.locator('.exchanges .row').count()).toBe(13)
    await expectAccessible(page)
    await screenshot(page, `inspector-traffic-list-${device}-${colorScheme}`)
    await page.locator('.row').filter({ hasText: 'header-mismatch' }).click()
    await expectAccessible(page)
    await screenshot(page, `inspector-refusal-${device}-${colorScheme}`)
    await page.keyboard.press('Escape')
    await page.locator('.row').nth(1).click()
    await expectAccessible(page)
    await screenshot(page, `inspector-traffic-${device}-${colorScheme}`)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(violations).toEqual([])
  })

  it('says what to do where there is none, and shows the first request when it arrives', async () => {
    const server = await servers.open()
    const { page } = await browser.open()
    await page.goto(`${server.origin}/inspect`)
    await page.getByText('No traffic yet').waitFor()
    await screenshot(page, 'inspector-empty')
    server.append(...callEntries(1, { text: 'hello' }))
    await page.getByRole('link', { name: /tools\/call/ }).click()
    await page.getByText('Client → server').waitFor()
    expect(await page.getByText('"hello"').count()).toBe(2)
  })

  it('continues after the last entry when the server restarts', async () => {
    const server = await servers.open({ entries: callEntries(1, { text: 'before' }) })
    const { page } = await browser.open()
    await page.goto(`${server.origin}/inspect`)
    await expect.poll(() => page.locator('.exchanges .row').count()).toBe(1)
    await server.stop()
    await page.getByRole('status').filter({ hasText: 'Reconnecting' }).waitFor()
    server.append(...callEntries(2, { text: 'meanwhile' }))
    await server.start()
    await expect.poll(() => page.locator('.exchanges .row').count()).toBe(2)
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  })

  it('says that the person is signed out, where the server no longer shows it', async () => {
    const page = await showThenRefuse(401, 'phone')
    await page.getByRole('status').filter({ hasText: 'Signed out' }).waitFor()
    expect(await page.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/inspect')
    expect(await page.locator('.exchanges .row').count()).toBe(1)
    await expectAccessible(page)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await screenshot(page, 'inspector-signed-out-phone')
  })

  it('says that it is no longer shown to a person who is not an owner any more', async () => {
    const page = await showThenRefuse(404)
    await page.getByRole('status').filter({ hasText: 'no longer shown to you' }).waitFor()
    expect(await page.locator('.exchanges .row').count()).toBe(1)
  })

  it('moves through the list with arrow keys, opens an exchange, and returns with Escape', async () => {
    const { origin } = await servers.open({ entries: entriesOf(3) })
    const { page } = await browser.open()
    await page.goto(`${origin}/inspect`)
    await expect.poll(() => page.locator('.exchanges .row').count()).toBe(3)
    const rows = page.locator('.exchanges .row')
    await rows.first().focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByText('Client → server').waitFor()
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H2')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('exchange-call-2')
  })

  it('stays usable with 1,000 exchanges', async () => {
    const server = await servers.open({ entries: entriesOf(1000) })
    const { page } = await browser.open()
    await page.goto(`${server.origin}/inspect`)
    await expect.poll(() => page.locator('.exchanges .row').count()).toBe(1000)
    const beganAt = Date.now()
    for (let index = 0; index < 20; index++) {
      await page.locator('.exchanges .row').nth(index).click()
      await page.getByText('Client → server').waitFor()
    }
    server.append(...callEntries(1001, { text: 'last' }))
    await expect.poll(() => page.locator('.exchanges .row').count()).toBe(1001)
    expect(Date.now() - beganAt).toBeLessThan(60_000)
  })

  it('shows hostile text as text', async () => {
    const text = '</script><img src=x onerror="document.title=1">\u202Egnp.exe\u0000'
    const entries = callEntries(1, { text, tool: text, client: text })
    const { origin } = await servers.open({ entries, config: { serverName: text } })
    const { page, violations } = await browser.open({ device: 'phone' })
    await page.goto(`${origin}/inspect`)
    await page.locator('.exchanges .row').click()
    await page.getByText('Client → server').waitFor()
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.getByText('\\u{202E}gnp.exe').count()).toBeGreaterThan(0)
    expect(await page.title()).toContain('Inspector')
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(violations).toEqual([])
    await screenshot(page, 'inspector-hostile-phone')
  })

  it('says what to do where the inspector is not open to the person', async () => {
    const { origin } = await servers.open({ answers: { '/inspect/config.json': 404 } })
    const { page } = await browser.open()
    await page.goto(`${origin}/inspect`)
    await page.getByText('sign in at /account').waitFor()
    await expectAccessible(page)
  })
})
