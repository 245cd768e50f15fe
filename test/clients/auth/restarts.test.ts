/** The protected server is killed and started again with its persisted state. */
import { expect, onTestFinished, test } from 'vitest'
import { PersistentServer } from '../../faults/sessions/persistent-server.ts'
import type { Received } from '../client-interface.ts'
import { eventually } from '../eventually.ts'
import { openAccount } from './account-page.ts'
import { type App, createApp, KINDS, type SettledKind, signIn } from './app.ts'
import { answerConsent, openBrowser } from './browser.ts'
import type { MemoryProvider } from './memory-provider.ts'
import { refresh, revoke, sendForm, sendMessage } from './raw.ts'

interface Server {
  readonly url: string
  readonly origin: string
}

/** What an app and its person do before the kill, and what holds after it. */
type Scenario = (server: Server) => Promise<() => Promise<void>>

/** Exchanges a code as the app's client does. */
function exchange(origin: string, provider: MemoryProvider, callback: URL) {
  return sendForm(`${origin}/token`, {
    grant_type: 'authorization_code',
    code: String(callback.searchParams.get('code')),
    code_verifier: provider.codeVerifier(),
    redirect_uri: provider.redirectUrl,
    client_id: String(provider.clientInformation()?.client_id),
  })
}

async function callStatus(url: string, token: string): Promise<number> {
  return (await sendMessage(url, { token, method: 'ping' })).status
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'tokens, sessions, counters and the browser sign-in are valid': async (server) => {
    const browser = openBrowser()
    const apps: { kind: SettledKind; app: App; before: Received }[] = []
    for (const kind of KINDS) {
      const app = await signIn(kind, { url: server.url, browser })
      await app.call('count', { name: 'restart' })
      apps.push({ kind, app, before: (await app.call('whoami')).structuredContent })
    }
    const forms = async () =>
      (await openAccount(browser, server.origin)).apps.map(({ fields }) => fields)
    const listed = await forms()
    return async () => {
      for (const { kind, app, before } of apps) {
        const { provider } = app
        expect(await callStatus(server.url, provider.accessToken)).toBe(200)
        // Over the older transport the session ended with its stream.
        const again =
          kind === 'v1 over HTTP+SSE' ? createApp(kind, { url: server.url, provider }) : app
        if (again !== app) expect(await again.connect()).toBe('connected')
        else expect((await again.call('whoami')).structuredContent).toEqual(before)
        provider.invalidateAccessToken()
        const { structuredContent } = await again.call('read_count', { name: 'restart' })
        expect(structuredContent).toEqual({ value: 4 })
        expect(provider.authorizationUrls).toHaveLength(1)
      }
      // Other apps of the same person are listed too.
      expect(await forms()).toEqual(expect.arrayContaining(listed))
    }
  },
  'a code stays redeemed, and its replay revokes the grant': async (server) => {
    const app = createApp('v2', { url: server.url })
    await app.connect()
    const callback = await answerConsent(openBrowser(), app.provider.pending.url)
    const first = await exchange(server.origin, app.provider, callback)
    expect(first.status).toBe(200)
    return async () => {
      expect(await callStatus(server.url, first.body.access_token)).toBe(200)
      const second = await exchange(server.origin, app.provider, callback)
      expect([second.status, second.body.error]).toEqual([400, 'invalid_grant'])
      await eventually(() => callStatus(server.url, first.body.access_token)).toBe(401)
      const renewed = await refresh(server.origin, app.provider, first.body.refresh_token)
      expect(renewed.body.error).toBe('invalid_grant')
    }
  },
  'an open consent page and an unredeemed code are accepted': async (server) => {
    const [asking, answered] = [
      createApp('v1', { url: server.url }),
      createApp('v2, modern', { url: server.url }),
    ]
    await asking.connect()
    await answered.connect()
    const browser = openBrowser()
    const page = await browser.open(asking.provider.pending.url)
    const callback = await answerConsent(openBrowser(), answered.provider.pending.url)
    return async () => {
      await answered.finish(callback)
      expect(await answered.connect()).toBe('connected')
      const form = { decision: 'approve', passphrase: 'battery staple correct horse' }
      const { location } = await browser.submit(page, '/authorize/decision', form)
      if (location === undefined) throw new Error('The approval has no redirect')
      await asking.finish(location)
      await asking.connect()
      expect((await asking.call('whoami')).structuredContent.subject).toBe('guest')
    }
  },
  'an answered consent page cannot be answered again': async (server) => {
    const app = createApp('v2', { url: server.url })
    await app.connect()
    const browser = openBrowser()
    const page = await browser.open(app.provider.pending.url)
    const form = { decision: 'approve', passphrase: 'correct horse battery staple' }
    const first = await browser.submit(page, '/authorize/decision', form)
    expect(first.status).toBe(303)
    return async () => {
      const second = await browser.submit(page, '/authorize/decision', form)
      expect([second.status, second.location]).toEqual([400, undefined])
    }
  },
  'a revoked grant stays revoked': async (server) => {
    const { provider } = await signIn('v1', { url: server.url })
    const { accessToken, refreshToken } = provider
    await revoke(server.origin, provider, refreshToken)
    return async () => {
      expect(await callStatus(server.url, accessToken)).toBe(401)
      const renewed = await refresh(server.origin, provider, refreshToken)
      expect(renewed.body.error).toBe('invalid_grant')
    }
  },
  'a refresh whose response was lost returns the same token again': async (server) => {
    const { provider } = await signIn('v2', { url: server.url })
    const used = provider.refreshToken
    const lost = await refresh(server.origin, provider, used)
    return async () => {
      const again = await refresh(server.origin, provider, used)
      expect(again.status).toBe(200)
      expect(again.body.refresh_token).toBe(lost.body.refresh_token)
      // After the successor was used, reuse of its predecessor revokes the grant.
      expect((await refresh(server.origin, provider, again.body.refresh_token)).status).toBe(200)
      expect((await refresh(server.origin, provider, used)).body.error).toBe('invalid_grant')
    }
  },
}

test('a protected server that was killed keeps what it has issued, redeemed and revoked', async () => {
  const server = await PersistentServer.start(onTestFinished, { protected: true })
  const { url } = server
  const checks: [string, () => Promise<void>][] = []
  for (const [title, before] of Object.entries(SCENARIOS)) {
    checks.push([title, await before({ url, origin: new URL(url).origin })])
  }
  await server.kill()
  await server.startAgain({ samePort: true })
  // The last one first: a used refresh token is accepted for thirty seconds.
  for (const [title, check] of checks.reverse()) {
    await check().catch((error) => {
      throw new Error(title, { cause: error })
    })
  }
})
