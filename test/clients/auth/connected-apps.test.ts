/** The page of connected apps, and the effect of disconnecting one. */
import { describe, expect, test } from 'vitest'
import { eventually } from '../sessions/eventually.ts'
import { disconnect, openAccount, signInToAccount, signOut } from './account-page.ts'
import { authorize, createApp, KINDS, signIn } from './app.ts'
import { openBrowser, withoutPrompt } from './browser.ts'
import { CONFIDENTIAL, MemoryProvider } from './memory-provider.ts'
import { useProtectedServer } from './protected-server.ts'
import { sendMessage } from './raw.ts'

const server = useProtectedServer()

let named = 0

/** An app under a name that no other test uses. */
function createProvider(): { readonly provider: MemoryProvider; readonly name: string } {
  named += 1
  const name = `App number ${named}`
  const metadata = { ...CONFIDENTIAL.metadata, client_name: name }
  return { provider: new MemoryProvider({ ...CONFIDENTIAL, metadata }), name }
}

async function namesIn(account: ReturnType<typeof openAccount>): Promise<readonly string[]> {
  return (await account).apps.map(({ name }) => name)
}

describe.each(KINDS)('%s', (kind) => {
  test('is listed with its permissions until the person disconnects it', async () => {
    const browser = openBrowser()
    const { provider, name } = createProvider()
    const app = await signIn(kind, { url: server.url, browser, provider, scope: 'read' })
    await app.requestScope('read')
    const remembered = await browser.open(withoutPrompt(provider.pending.url))
    expect(remembered.location?.searchParams.get('code')).toBeTruthy()

    const account = await openAccount(browser, server.origin)
    expect(account.apps.find((listed) => listed.name === name)?.permissions).toEqual([
      'Read the data read',
    ])

    const after = await disconnect(browser, account, name)
    expect(after.notice).toBe('The app was disconnected.')
    expect(after.apps.map((listed) => listed.name)).not.toContain(name)
    const token = app.provider.accessToken
    await eventually(async () => {
      return (await sendMessage(server.url, { token, method: 'ping' })).status
    }).toBe(401)
    await expect(app.call('whoami')).rejects.toThrow('Unauthorized')

    // The remembered consent was forgotten with the grant.
    const { location } = await browser.open(withoutPrompt(provider.pending.url))
    expect(location).toBeUndefined()
    await authorize(app, { browser })
    expect((await app.call('whoami')).structuredContent.subject).toBe('owner')
  })
})

test('an app without a consent is not listed', async () => {
  const browser = openBrowser()
  const { provider, name } = createProvider()
  await createApp('v2', { url: server.url, provider }).connect()
  await browser.open(provider.pending.url)
  await signInToAccount(browser, server.origin, 'owner')
  expect(await namesIn(openAccount(browser, server.origin))).not.toContain(name)
})

test('each person sees only their own apps', async () => {
  const [owned, visiting] = [createProvider(), createProvider()]
  await signIn('v1', { url: server.url, provider: owned.provider, as: 'owner' })
  await signIn('v2', { url: server.url, provider: visiting.provider, as: 'guest' })
  const ownerSees = await namesIn(signInToAccount(openBrowser(), server.origin, 'owner'))
  const guestSees = await namesIn(signInToAccount(openBrowser(), server.origin, 'guest'))
  expect([ownerSees.includes(owned.name), ownerSees.includes(visiting.name)]).toEqual([true, false])
  expect([guestSees.includes(owned.name), guestSees.includes(visiting.name)]).toEqual([false, true])
})

test('a person cannot disconnect the app of another person', async () => {
  const { provider, name } = createProvider()
  const app = await signIn('v2', { url: server.url, provider, as: 'owner' })
  const owner = await signInToAccount(openBrowser(), server.origin, 'owner')
  const grant = owner.apps.find((listed) => listed.name === name)?.grant ?? ''
  const browser = openBrowser()
  await signIn('v1', { url: server.url, browser, as: 'guest' })
  const { page } = await openAccount(browser, server.origin)
  await browser.submit(page, '/account/disconnect', { grant })
  expect(await namesIn(signInToAccount(openBrowser(), server.origin, 'owner'))).toContain(name)
  expect((await app.call('whoami')).structuredContent.subject).toBe('owner')
})

test('signing out requires a new sign-in and leaves apps connected', async () => {
  const browser = openBrowser()
  const { provider } = createProvider()
  const app = await signIn('v2, modern', { url: server.url, browser, provider })
  await signOut(browser, await openAccount(browser, server.origin))
  const page = await browser.open(new URL('/account', server.origin))
  expect(page.html.includes('name="passphrase"')).toBe(true)
  provider.invalidateAccessToken()
  expect((await app.call('whoami')).structuredContent.subject).toBe('owner')
})
