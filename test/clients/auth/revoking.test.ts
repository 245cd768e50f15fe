/** Revocation by an app, and its effect on the official clients. */
import { describe, expect, test } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { eventually } from '../eventually.ts'
import { type App, authorize, KINDS, type SettledKind, signIn } from './app.ts'
import { useProtectedServer } from './protected-server.ts'
import { refresh, revoke, sendMessage } from './raw.ts'

const server = useProtectedServer()

/** The requests of an app whose grant was revoked: a call and a refresh, both rejected. */
const REFUSED: Readonly<Record<SettledKind, readonly string[]>> = {
  v1: ['POST /mcp 401', 'POST /token 400'],
  'v1 over HTTP+SSE': ['POST /messages 401', 'POST /token 400'],
  v2: ['POST /mcp 401', 'POST /token 400'],
  'v2, modern': ['POST /mcp 401', 'POST /token 400'],
}

async function statusOf(token: string): Promise<number> {
  return (await sendMessage(server.url, { token, method: 'ping' })).status
}

/** Waits until the endpoint rejects a token. */
function untilRejected(token: string): Promise<void> {
  return eventually(() => statusOf(token)).toBe(401)
}

async function expectNewAuthorization(app: App, kind: SettledKind): Promise<void> {
  app.requests()
  await expect(app.call('whoami')).rejects.toThrow('Unauthorized')
  expect(app.requests()).toEqual(REFUSED[kind])
  expect(app.provider.authorizationUrls).toHaveLength(2)
}

describe.each(KINDS)('%s', (kind) => {
  test.each(['accessToken', 'refreshToken'] as const)(
    'is rejected after it revokes its %s, and continues after a new authorization',
    async (token) => {
      verifies('token-revocation/refresh-tokens')
      const app = await signIn(kind, { url: server.url })
      const before = (await app.call('whoami')).structuredContent
      const { accessToken, refreshToken } = app.provider
      const { status, body } = await revoke(server.origin, app.provider, app.provider[token])
      expect([status, body]).toEqual([200, {}])
      await untilRejected(accessToken)
      expect((await refresh(server.origin, app.provider, refreshToken)).body.error).toBe(
        'invalid_grant',
      )
      await expectNewAuthorization(app, kind)

      await authorize(app)
      // The same client of the same person continues its session.
      expect((await app.call('whoami')).structuredContent).toEqual(before)
    },
  )
})
