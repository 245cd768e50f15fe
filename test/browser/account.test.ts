/** The page of connected apps in a real browser. */
import { expect, it } from 'vitest'
import { expectToFit, type Opened, screenshot, useBrowser } from './open-browser.ts'
import { expectAccessible } from './page-checks.ts'
import { useProtectedServer } from './protected-server.ts'

const PASSPHRASE = 'battery staple correct horse'

const browser = useBrowser()
const server = useProtectedServer()

/** Connects an app, with a sign-in when the page asks for one, and returns its access token. */
async function connect({ page }: Opened, name: string, scope = 'read write') {
  const app = await server.startApp({ name })
  await page.goto(app.link({ scope }))
  const field = page.getByLabel('Passphrase')
  if ((await field.count()) > 0) await field.fill(PASSPHRASE)
  for (const box of await page.getByRole('checkbox').all()) await box.check()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.waitForURL(`${app.redirectUri}?*`)
  const { access_token } = await app.redeem(app.answers[0])
  return { app, accessToken: access_token }
}

it('/account lists the connected apps and disconnects one of two at once', async () => {
  const opened = await browser.open({ device: 'phone' })
  const { page } = opened
  const first = await connect(opened, 'Example Notebook')
  const second = await connect(opened, 'Weekly Report', 'read')
  await page.goto(`${server.issuer}/account`)
  await expectToFit(page)
  await screenshot(page, 'account-phone-light')
  const card = page.locator('section').filter({ hasText: 'Example Notebook' })
  expect(await card.getByRole('listitem').allTextContents()).toEqual([
    'Read the data read',
    'Change the data write',
  ])
  expect(await first.app.call(first.accessToken)).toBe(200)
  await card.getByRole('button', { name: 'Disconnect' }).click()
  await page.waitForURL(`${server.issuer}/account?disconnected`)
  expect(await page.getByRole('status').count()).toBe(1)
  expect(await page.getByText('Example Notebook').count()).toBe(0)
  expect(await page.getByText('Weekly Report').count()).toBe(1)
  await screenshot(page, 'account-disconnected-phone-light')
  expect(await first.app.call(first.accessToken)).toBe(401)
  expect(await second.app.call(second.accessToken)).toBe(200)
})

it('/account ends one connection of a program that registers each time, and then all', async () => {
  const opened = await browser.open({ device: 'phone' })
  const { page } = opened
  const all = []
  for (let count = 0; count < 7; count += 1) all.push(await connect(opened, 'Terminal'))
  await page.goto(`${server.issuer}/account`)
  const card = page.locator('section').filter({ hasText: 'Terminal' })
  expect((await card.boundingBox())?.height).toBeLessThan(500)
  await screenshot(page, 'account-connections-phone-light')
  await card.getByText('7 connections').click()
  await expectToFit(page)
  await expectAccessible(page)
  await card.getByRole('button', { name: 'Disconnect', exact: true }).first().click()
  await page.waitForURL(`${server.issuer}/account?connection-ended`)
  await card.getByText('6 connections').click()
  await screenshot(page, 'account-connections-open-phone-light')
  await card.getByRole('button', { name: 'Disconnect all' }).click()
  await page.waitForURL(`${server.issuer}/account?disconnected`)
  expect(await page.getByText('Terminal').count()).toBe(0)
  const statuses = all.map(({ app, accessToken }) => app.call(accessToken))
  expect(await Promise.all(statuses)).toEqual(all.map(() => 401))
})

it.each([
  ['small', 'dark'],
  ['desktop', 'light'],
  ['desktop', 'dark'],
] as const)('/account fits a %s screen in %s mode', async (device, colorScheme) => {
  const opened = await browser.open({ device, colorScheme })
  await connect(opened, 'Example Notebook')
  await opened.page.goto(`${server.issuer}/account`)
  await expectToFit(opened.page)
  await screenshot(opened.page, `account-${device}-${colorScheme}`)
})

it('/account asks for a sign-in first and then lists the apps', async () => {
  const { page } = await browser.open({ device: 'phone', colorScheme: 'dark' })
  await page.goto(`${server.issuer}/account`)
  await expectToFit(page)
  await screenshot(page, 'login-phone-dark')
  await page.getByLabel('Passphrase').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect.poll(() => page.getByRole('alert').count()).toBe(1)
  await screenshot(page, 'login-wrong-phone-dark')
  await page.getByLabel('Passphrase').fill(PASSPHRASE)
  await page.getByLabel('Passphrase').press('Enter')
  await page.waitForURL(`${server.issuer}/account`)
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Connected apps')
})

it('/account shows no app after a sign-out, also with the back button', async () => {
  const opened = await browser.open()
  const { page } = opened
  await connect(opened, 'Example Notebook')
  await page.goto(`${server.issuer}/account`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toMatch(/^Sign in/)
  await page.goBack()
  await expect.poll(() => page.getByLabel('Passphrase').count()).toBe(1)
  expect(await page.getByText('Example Notebook').count()).toBe(0)
})
