/** Personal access tokens on the account page in a real browser. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { expectToFit, screenshot, useBrowser } from './open-browser.ts'
import { useProtectedServer } from './protected-server.ts'

const PASSPHRASE = 'correct horse battery staple'

const browser = useBrowser()
const server = useProtectedServer()

async function signIn(page: Page): Promise<void> {
  await page.goto(`${server.issuer}/account`)
  await page.getByLabel('Passphrase').fill(PASSPHRASE)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${server.issuer}/account`)
}

async function fill(page: Page, name: string): Promise<void> {
  const details = page.getByText('Create a token')
  if (!(await page.getByLabel('Name').isVisible())) await details.click()
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Read the data').check()
  await page.getByLabel('Expires after').selectOption('30 days')
}

const callWith = async (token: string) => {
  const { status, body } = await fetch(`${server.issuer}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  await body?.cancel()
  return status
}

it.each([
  ['phone', 'light'],
  ['small', 'dark'],
  ['desktop', 'light'],
] as const)(
  'a person creates, uses and revokes a token on a %s screen in %s mode',
  async (device, colorScheme) => {
    const { page, violations } = await browser.open({ device, colorScheme, scripts: false })
    const shot = (name: string) => screenshot(page, `tokens-${name}-${device}-${colorScheme}`)
    const name = `CI ${device} ${colorScheme}`
    await signIn(page)
    await fill(page, name)
    await expectToFit(page)
    await shot('form')
    await page.getByLabel('Passphrase').fill('wrong')
    await page.getByRole('button', { name: 'Create' }).click()
    await expect.poll(() => page.getByRole('alert').count()).toBe(1)
    expect(await page.getByLabel('Name').inputValue()).toBe(name)
    expect(await page.getByLabel('Read the data').isChecked()).toBe(true)
    await shot('wrong')
    await page.getByLabel('Passphrase').fill(PASSPHRASE)
    await page.getByLabel('Passphrase').press('Enter')
    const token = await page.getByLabel('Token', { exact: true }).inputValue()
    expect(token).toMatch(/^ewp_/)
    await expectToFit(page)
    await shot('created')
    expect(await callWith(token)).toBe(200)
    await page.getByRole('link', { name: 'Back to your account' }).click()
    await expectToFit(page)
    await shot('list')
    const item = page.getByRole('listitem').filter({ hasText: name })
    await item.getByRole('button', { name: 'Revoke' }).click()
    await expect.poll(() => page.getByRole('status').count()).toBe(1)
    expect(await page.getByText(name, { exact: true }).count()).toBe(0)
    expect(await callWith(token)).toBe(401)
    expect(violations).toEqual([])
  },
)
