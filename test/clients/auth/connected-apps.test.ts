/** What a person sees of the apps that they have let in, and what comes of disconnecting one. */
import { describe, expect, test } from 'vitest'
import { eventually } from '../sessions/eventually.ts'
import { disconnect, openAccount, signInToAccount, signOut } from './account-page.ts'
import { answer, createApp, KINDS, signIn } from './app.ts'
import { openBrowser } from './browser.ts'
import { MemoryProvider } from './memory-provider.ts'
import { useProtectedServer } from './protected-server.ts'
import { sendMessage } from './raw.ts'

const server = useProtectedServer()

let named = 0

/** An app under a name that no other test uses. */
function createProvider(): { readonly provider: MemoryProvider; readonly name: string } {
  named += 1
  const name = `App number ${named}`
  const redirectUrl = 'https://app.example/callback'
  return { provider: new MemoryProvider({ redirectUrl, metadata: { client_name: name } }), name }
}

async function namesIn(account: ReturnType<typeof openAccount>): Promise<readonly string[]> {
  return (await account).apps.map(({ name }) => name)
}

describe.each(KINDS)('%s', (kind) => {
  test('is listed with what it may do, until the person disconnects it', async () => {
    const browser = openBrowser()
    const { provider, name } = createProvider()
    const app = await signIn(kind, { url: server.url, browser, provider, scope: 'read' })
    await app.askFor('read')
    const remembered = await browser.open(provider.question.url)
    expect(remembered.location?.searchParams.get('code')).toBeTruthy()

    const account = await openAccount(browser, server.origin)
    expect(account.apps.find((listed) => listed.name === name)?.permissions).toEqual([
      'Read what is there read',
    ])

    const after = await disconnect(browser, account, name)
    expect(after.notice).toBe('It was disconnected.')
    expect(after.apps.map((listed) => listed.name)).not.toContain(name)
    const token = app.provider.accessToken
    await eventually(async () => {
      return (await sendMessage(server.url, { token, method: 'ping' })).status
    }).toBe(401)
    await expect(app.call('whoami')).rejects.toThrow('Unauthorized')

    // What was agreed to once is not taken for granted any more.
    const { location } = await browser.open(provider.question.url)
    expect(location).toBeUndefined()
    await answer(app, { browser })
    expect((await app.call('whoami')).structuredContent.subject).toBe('owner')
  })
})

test('an app that nobody has let in is not listed, nor one that has only asked', async () => {
  const browser = openBrowser()
  const { provider, name } = createProvider()
  await createApp('v2', { url: server.url, provider }).connect()
  await browser.open(provider.question.url)
  await signInToAccount(browser, server.origin, 'owner')
  expect(await namesIn(openAccount(browser, server.origin))).not.toContain(name)
})

test('each person sees their own apps', async () => {
  const [owned, visiting] = [createProvider(), createProvider()]
  await signIn('v1', { url: server.url, provider: owned.provider, as: 'owner' })
  await signIn('v2', { url: server.url, provider: visiting.provider, as: 'guest' })
  const ownerSees = await namesIn(signInToAccount(openBrowser(), server.origin, 'owner'))
  const guestSees = await namesIn(signInToAccount(openBrowser(), server.origin, 'guest'))
  expect([ownerSees.includes(owned.name), ownerSees.includes(visiting.name)]).toEqual([true, false])
  expect([guestSees.includes(owned.name), guestSees.includes(visiting.name)]).toEqual([false, true])
})

test('nobody disconnects the app of somebody else', async () => {
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

test('whoever signs out is asked for the passphrase again, and their apps stay connected', async () => {
  const browser = openBrowser()
  const { provider } = createProvider()
  const app = await signIn('v2, modern', { url: server.url, browser, provider })
  await signOut(browser, await openAccount(browser, server.origin))
  const page = await browser.open(new URL('/account', server.origin))
  expect(page.html.includes('name="passphrase"')).toBe(true)
  provider.spoilAccessToken()
  expect((await app.call('whoami')).structuredContent.subject).toBe('owner')
})
