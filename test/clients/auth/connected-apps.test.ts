/** The page of connected apps, and the effect of disconnecting one. */
import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { disconnect, openAccount } from './account-page.ts'
import { authorize, KINDS, signIn } from './app.ts'
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
