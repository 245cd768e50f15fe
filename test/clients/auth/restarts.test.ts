/** Restarts of a killed server with its persisted state. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startFixtureServer } from '../../support/node/fixture-server.ts'
import { eventually } from '../sessions/eventually.ts'
import { openAccount } from './account-page.ts'
import { createApp, KINDS, signIn } from './app.ts'
import { answerConsent, openBrowser } from './browser.ts'
import type { MemoryProvider } from './memory-provider.ts'
import { refresh, revoke, sendForm, sendMessage } from './raw.ts'

interface Restartable {
  readonly url: string
  readonly origin: string
  /** Kills the process and starts it again at the same address. */
  restart(): Promise<void>
}

async function startRestartable(): Promise<Restartable> {
  const state = await mkdtemp(join(tmpdir(), 'edgeway-auth-'))
  onTestFinished(() => rm(state, { recursive: true, force: true }))
  const start = async (port: number) => {
    const server = await startFixtureServer({ protected: true, state, port })
    onTestFinished(() => server.stop())
    return server
  }
  let server = await start(0)
  const { url } = server
  const { origin, port } = new URL(url)
  return {
    url,
    origin,
    restart: async () => {
      process.kill(server.pid, 'SIGKILL')
      await server.stop()
      server = await start(Number(port))
    },
  }
}

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

test('tokens, sessions, counters and the browser sign-in survive a kill', async () => {
  const server = await startRestartable()
  const browser = openBrowser()
  const apps = []
  for (const kind of KINDS) {
    const app = await signIn(kind, { url: server.url, browser })
    await app.call('count', { name: 'restart' })
    apps.push({ kind, app, before: (await app.call('whoami')).structuredContent })
  }
  const listed = (await openAccount(browser, server.origin)).apps.length
  await server.restart()

  for (const { kind, app, before } of apps) {
    const { provider } = app
    expect(await callStatus(server.url, provider.accessToken)).toBe(200)
    // Over the older transport the session ended with its stream.
    const again = kind === 'v1 over HTTP+SSE' ? createApp(kind, { url: server.url, provider }) : app
    if (again !== app) expect(await again.connect()).toBe('connected')
    else expect((await again.call('whoami')).structuredContent).toEqual(before)
    provider.invalidateAccessToken()
    const { structuredContent } = await again.call('read_count', { name: 'restart' })
    expect(structuredContent).toEqual({ value: 4 })
    expect(provider.authorizationUrls).toHaveLength(1)
  }
  const account = await openAccount(browser, server.origin)
  expect(account.apps).toHaveLength(listed)
})

test('a code stays redeemed after a kill, and its replay revokes the grant', async () => {
  const server = await startRestartable()
  const app = createApp('v2', { url: server.url })
  await app.connect()
  const callback = await answerConsent(openBrowser(), app.provider.pending.url)
  const first = await exchange(server.origin, app.provider, callback)
  expect(first.status).toBe(200)
  await server.restart()

  expect(await callStatus(server.url, first.body.access_token)).toBe(200)
  const second = await exchange(server.origin, app.provider, callback)
  expect([second.status, second.body.error]).toEqual([400, 'invalid_grant'])
  await eventually(() => callStatus(server.url, first.body.access_token)).toBe(401)
  const renewed = await refresh(server.origin, app.provider, first.body.refresh_token)
  expect(renewed.body.error).toBe('invalid_grant')
})

test('an open consent page and an unredeemed code survive a kill', async () => {
  const server = await startRestartable()
  const [asking, answered] = [
    createApp('v1', { url: server.url }),
    createApp('v2, modern', { url: server.url }),
  ]
  await asking.connect()
  await answered.connect()
  const browser = openBrowser()
  const page = await browser.open(asking.provider.pending.url)
  const callback = await answerConsent(openBrowser(), answered.provider.pending.url)
  await server.restart()

  await answered.finish(callback)
  expect(await answered.connect()).toBe('connected')
  const form = { decision: 'approve', passphrase: 'battery staple correct horse' }
  const { location } = await browser.submit(page, '/authorize/decision', form)
  if (location === undefined) throw new Error('The approval has no redirect')
  await asking.finish(location)
  await asking.connect()
  expect((await asking.call('whoami')).structuredContent.subject).toBe('guest')
})

test('an answered consent page cannot be answered again after a kill', async () => {
  const server = await startRestartable()
  const app = createApp('v2', { url: server.url })
  await app.connect()
  const browser = openBrowser()
  const page = await browser.open(app.provider.pending.url)
  const form = { decision: 'approve', passphrase: 'correct horse battery staple' }
  const first = await browser.submit(page, '/authorize/decision', form)
  expect(first.status).toBe(303)
  await server.restart()
  const second = await browser.submit(page, '/authorize/decision', form)
  expect([second.status, second.location]).toEqual([400, undefined])
})

test('a refresh whose response was lost in a kill returns the same token again', async () => {
  const server = await startRestartable()
  const { provider } = await signIn('v2', { url: server.url })
  const used = provider.refreshToken
  const lost = await refresh(server.origin, provider, used)
  await server.restart()
  const again = await refresh(server.origin, provider, used)
  expect(again.status).toBe(200)
  expect(again.body.refresh_token).toBe(lost.body.refresh_token)
  // After the successor was used, reuse of its predecessor revokes the grant.
  expect((await refresh(server.origin, provider, again.body.refresh_token)).status).toBe(200)
  await server.restart()
  expect((await refresh(server.origin, provider, used)).body.error).toBe('invalid_grant')
})

test('a revoked grant stays revoked after a kill', async () => {
  const server = await startRestartable()
  const { provider } = await signIn('v1', { url: server.url })
  const { accessToken, refreshToken } = provider
  await revoke(server.origin, provider, refreshToken)
  await server.restart()
  expect(await callStatus(server.url, accessToken)).toBe(401)
  const renewed = await refresh(server.origin, provider, refreshToken)
  expect(renewed.body.error).toBe('invalid_grant')
})
