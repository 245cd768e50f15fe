/** The end of a connection at the hand of its app, and what is left of it. */
import { describe, expect, test } from 'vitest'
import { eventually } from '../sessions/eventually.ts'
import { type App, answer, KINDS, type SettledKind, signIn } from './app.ts'
import { useProtectedServer } from './protected-server.ts'
import { refresh, revoke, sendMessage } from './raw.ts'

const server = useProtectedServer()

/** What an app does whose connection has ended: it refreshes in vain, and asks the person again. */
const REFUSED: Readonly<Record<SettledKind, readonly string[]>> = {
  v1: ['POST /mcp 401', 'POST /token 400'],
  'v1 over HTTP+SSE': ['POST /messages 401', 'POST /token 400'],
  v2: ['POST /mcp 401', 'POST /token 400'],
  'v2, modern': ['POST /mcp 401', 'POST /token 400'],
}

async function statusOf(token: string): Promise<number> {
  return (await sendMessage(server.url, { token, method: 'ping' })).status
}

/** As soon as the server's word for a token is that it is none. */
function refusalOf(token: string): Promise<void> {
  return eventually(() => statusOf(token)).toBe(401)
}

async function expectAskedAgain(app: App, kind: SettledKind): Promise<void> {
  app.requests()
  await expect(app.call('whoami')).rejects.toThrow('Unauthorized')
  expect(app.requests()).toEqual(REFUSED[kind])
  expect(app.provider.asked).toHaveLength(2)
}

describe.each(KINDS)('%s', (kind) => {
  test.each(['accessToken', 'refreshToken'] as const)(
    'is out when it hands in its %s, and comes back when the person lets it',
    async (token) => {
      const app = await signIn(kind, { url: server.url })
      const before = (await app.call('whoami')).structuredContent
      const { accessToken, refreshToken } = app.provider
      const { status, body } = await revoke(server.origin, app.provider, app.provider[token])
      expect([status, body]).toEqual([200, {}])
      await refusalOf(accessToken)
      expect((await refresh(server.origin, app.provider, refreshToken)).body.error).toBe(
        'invalid_grant',
      )
      await expectAskedAgain(app, kind)

      await answer(app)
      // The same client of the same person: it goes on where it was.
      expect((await app.call('whoami')).structuredContent).toEqual(before)
    },
  )

  test('does not take another app of the same person with it', async () => {
    const [leaving, staying] = [
      await signIn(kind, { url: server.url }),
      await signIn(kind, { url: server.url }),
    ]
    await revoke(server.origin, leaving.provider, leaving.provider.refreshToken)
    await refusalOf(leaving.provider.accessToken)
    expect((await staying.call('whoami')).structuredContent.subject).toBe('owner')
    staying.provider.spoilAccessToken()
    expect((await staying.call('whoami')).structuredContent.subject).toBe('owner')
  })
})
