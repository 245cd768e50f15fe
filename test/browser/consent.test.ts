/** The consent page in a real browser. */
import { describe, expect, it } from 'vitest'
import { expectToFit, screenshot, useBrowser } from './open-browser.ts'
import { useProtectedServer } from './protected-server.ts'

const PASSPHRASE = 'correct horse battery staple'

const browser = useBrowser()
const server = useProtectedServer()

describe('a person who is not signed in', () => {
  it('allows an app with the passphrase and the Enter key', async () => {
    const app = await server.startApp()
    const { page, violations } = await browser.open()
    await page.goto(app.link())
    await page.getByLabel('Passphrase').fill(PASSPHRASE)
    await page.getByLabel('Passphrase').press('Enter')
    await page.waitForURL(`${app.redirectUri}?*`)
    const [answer] = app.answers
    expect(answer?.get('state')).toBe('state-1')
    expect(answer?.get('iss')).toBe(server.issuer)
    const tokens = await app.redeem(answer)
    expect(tokens).toMatchObject({ token_type: 'Bearer', scope: 'read write' })
    expect(await app.call(tokens.access_token)).toBe(200)
    expect(violations).toEqual([])
  })

  it('allows an app with scripts disabled', async () => {
    const app = await server.startApp()
    const { page } = await browser.open({ scripts: false })
    await page.goto(app.link())
    await page.getByLabel('Passphrase').fill(PASSPHRASE)
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${app.redirectUri}?*`)
    expect(app.answers[0]?.has('code')).toBe(true)
  })

  it('allows a second app with scripts disabled, once the box is ticked', async () => {
    const [app, other] = [await server.startApp(), await server.startApp({ name: 'Another app' })]
    const { page } = await browser.open({ scripts: false })
    await page.goto(app.link())
    await page.getByLabel('Passphrase').fill(PASSPHRASE)
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${app.redirectUri}?*`)
    await page.goto(other.link())
    await page.getByRole('button', { name: 'Allow' }).dblclick()
    expect(page.url()).toContain('/authorize?')
    await page.getByLabel('I started this connection').check()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${other.redirectUri}?*`)
    expect(other.answers[0]?.has('code')).toBe(true)
  })

  it.each([0, 60, 150])('allows an app with a double click of %i ms', async (delay) => {
    const app = await server.startApp()
    const { page } = await browser.open()
    await page.goto(app.link())
    await page.getByLabel('Passphrase').fill(PASSPHRASE)
    await page.getByRole('button', { name: 'Allow' }).hover()
    await page.mouse.down({ clickCount: 1 })
    await page.mouse.up({ clickCount: 1 })
    await page.waitForTimeout(delay)
    await page.mouse.down({ clickCount: 2 })
    await page.mouse.up({ clickCount: 2 })
    await page.waitForURL(`${app.redirectUri}?*`)
    expect(app.answers.map((answer) => answer.has('code'))).toEqual([true])
  })

  it('leaves out a scope with scripts disabled', async () => {
    const app = await server.startApp()
    const { page } = await browser.open({ device: 'phone', scripts: false })
    await page.goto(app.link())
    await page.getByLabel('Change the data').uncheck()
    await page.getByLabel('Passphrase').fill(PASSPHRASE)
    await screenshot(page, 'consent-left-out-phone')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${app.redirectUri}?*`)
    expect(await app.redeem(app.answers[0])).toMatchObject({ scope: 'read' })
  })

  it('reaches all controls with the Tab key', async () => {
    const app = await server.startApp()
    const { page } = await browser.open()
    await page.goto(app.link())
    const reached: string[] = []
    for (let presses = 0; presses < 5; presses += 1) {
      await page.keyboard.press('Tab')
      const focused = page.locator(':focus-visible')
      reached.push(
        (await focused.getAttribute('name')) === 'decision'
          ? ((await focused.getAttribute('value')) ?? '')
          : ((await focused.getAttribute('name')) ?? ''),
      )
    }
    expect(reached).toEqual(['scope read', 'scope write', 'passphrase', 'approve', 'deny'])
    await screenshot(page, 'consent-focus')
  })

  it('sees an error after a wrong passphrase and can retry on the same page', async () => {
    const app = await server.startApp()
    const { page } = await browser.open({ device: 'phone' })
    await page.goto(app.link())
    await page.getByLabel('Passphrase').fill('incorrect horse')
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'POST'),
      page.getByRole('button', { name: 'Allow' }).click(),
    ])
    expect(answer.status()).toBe(401)
    await expect.poll(() => page.getByRole('alert').textContent()).toBe('The passphrase is wrong.')
    expect(await page.getByLabel('Passphrase').inputValue()).toBe('')
    expect(await page.locator(':focus').getAttribute('name')).toBe('passphrase')
    await expectToFit(page)
    await screenshot(page, 'consent-wrong-passphrase-phone')
    await page.getByLabel('Passphrase').fill(PASSPHRASE)
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${app.redirectUri}?*`)
    expect(app.answers[0]?.has('code')).toBe(true)
  })

  it('cannot allow without a passphrase and can deny', async () => {
    const app = await server.startApp()
    const { page } = await browser.open()
    await page.goto(app.link())
    await page.getByRole('button', { name: 'Allow' }).click()
    expect(await page.locator('input:invalid').count()).toBe(1)
    expect(page.url()).toContain('/authorize?')
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.waitForURL(`${app.redirectUri}?*`)
    const [answer] = app.answers
    expect(answer?.get('error')).toBe('access_denied')
    expect(answer?.get('iss')).toBe(server.issuer)
    expect(answer?.has('code')).toBe(false)
  })
})

describe('a signed-in person', () => {
  it('consents to another app without the passphrase and can sign out', async () => {
    const app = await server.startApp()
    const { page, context } = await browser.open({ device: 'phone' })
    await page.goto(app.link())
    await page.getByLabel('Passphrase').fill(PASSPHRASE)
    await page.getByLabel('Passphrase').press('Enter')
    await page.waitForURL(`${app.redirectUri}?*`)
    const other = await server.startApp({ name: 'Another app' })
    await page.goto(other.link({ scope: 'read' }))
    expect(await page.getByLabel('Passphrase').count()).toBe(0)
    expect(await page.getByText('Signed in as owner').count()).toBe(1)
    await expectToFit(page)
    await screenshot(page, 'consent-signed-in-phone')
    await page.getByRole('button', { name: 'Allow' }).click()
    expect(await page.locator('input:invalid').count()).toBe(1)
    expect(other.answers).toEqual([])
    await page.getByLabel('I started this connection, and I trust this app').check()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${other.redirectUri}?*`)
    expect(other.answers[0]?.has('code')).toBe(true)
    await page.goto(other.link({ scope: 'read' }))
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForLoadState()
    await expect
      .poll(async () => (await context.cookies()).map(({ name }) => name))
      .not.toContain('__Host-edgeway-login')
    await page.goto(other.link())
    expect(await page.getByLabel('Passphrase').count()).toBe(1)
  })
})

describe('the consent page', () => {
  it.each([
    ['small', 'light'],
    ['small', 'dark'],
    ['phone', 'light'],
    ['phone', 'dark'],
    ['desktop', 'light'],
    ['desktop', 'dark'],
  ] as const)('fits a %s screen in %s mode', async (device, colorScheme) => {
    const app = await server.startApp()
    const { page } = await browser.open({ device, colorScheme })
    await page.goto(app.link())
    await expectToFit(page)
    await screenshot(page, `consent-${device}-${colorScheme}`)
  })

  it('fits a small screen with a long app name and shows markup in it as text', async () => {
    const name = `<script>document.title='hacked'</script>${'W'.repeat(200)}`
    const app = await server.startApp({ name })
    const { page, violations } = await browser.open({ device: 'small' })
    await page.goto(app.link())
    await expectToFit(page)
    await screenshot(page, 'consent-hostile-name-small')
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('<script>')
    expect(await page.title()).toBe('Connect an app – Edgeway fixture')
    expect(violations).toEqual([])
  })

  it('names the scheme of an app on this device', async () => {
    const redirect = 'com.example.notebook:/callback'
    const app = await server.startApp({ redirectUris: [redirect] })
    const { page } = await browser.open({ device: 'phone', colorScheme: 'dark' })
    await page.goto(app.link({ redirect_uri: redirect }))
    expect(await page.getByText('an app on this device (com.example.notebook:)').count()).toBe(1)
    await screenshot(page, 'consent-app-scheme-phone-dark')
  })

  it('shows no warning for an https redirect', async () => {
    const redirect = 'https://claude.ai/api/mcp/auth_callback'
    const app = await server.startApp({ name: 'Claude', redirectUris: [redirect] })
    const { page } = await browser.open({ device: 'phone' })
    await page.goto(app.link({ redirect_uri: redirect }))
    expect(await page.getByText('Your answer goes to').count()).toBe(1)
    expect(await page.locator('.note').count()).toBe(0)
    await screenshot(page, 'consent-https-phone')
  })

  it('is replaced by a message page for an invalid redirect URI', async () => {
    const app = await server.startApp()
    const { page } = await browser.open({ device: 'phone' })
    const response = await page.goto(app.link({ redirect_uri: 'https://evil.example/callback' }))
    expect(response?.status()).toBe(400)
    await expectToFit(page)
    await screenshot(page, 'message-phone')
  })
})
