/** Resource updates reach authorized subscribers of the resource. */
import { describe, expect, test } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { eventually } from '../sessions/eventually.ts'
import { type App, KINDS, type Kind, type SignInOptions, signIn } from './app.ts'
import { useProtectedServer } from './protected-server.ts'
import { sendMessage } from './raw.ts'

const server = useProtectedServer()

function createUri(): string {
  return `probe://item/${crypto.randomUUID()}`
}

async function touch(app: App, ...uris: readonly string[]): Promise<void> {
  for (const uri of uris) await app.call('touch_resource', { uri })
}

/** Subscribes an app to resources and records their updates. */
async function listenTo(
  kind: Kind,
  uris: readonly string[],
  options: SignInOptions = {},
): Promise<{ readonly app: App; readonly updates: readonly string[] }> {
  const app = await signIn(kind, { url: server.url, ...options })
  const updates: string[] = []
  await app.listen(uris, (uri) => updates.push(uri))
  return { app, updates }
}

describe.each(KINDS)('%s', (kind) => {
  test('receives updates of its resources by its own person and by others', async () => {
    const [wanted, other] = [createUri(), createUri()]
    const { app, updates } = await listenTo(kind, [wanted], { as: 'guest' })
    const owner = await signIn('v2', { url: server.url, as: 'owner' })
    await touch(owner, other, wanted)
    await touch(app, other, wanted)
    await eventually(() => updates).toEqual([wanted, wanted])
  })

  test('receives updates after its access token was refreshed', async () => {
    const uri = createUri()
    const { app, updates } = await listenTo(kind, [uri])
    app.provider.invalidateAccessToken()
    await touch(app, uri)
    app.provider.invalidateAccessToken()
    await touch(app, uri)
    await eventually(() => updates).toEqual([uri, uri])
  })

  test('receives updates with any granted scope', async () => {
    const uri = createUri()
    const { app, updates } = await listenTo(kind, [uri], { scope: 'read' })
    await touch(app, uri)
    await eventually(() => updates).toEqual([uri])
  })
})

test('subscribers of two people receive updates of their own resources only', async () => {
  verifies('authorization-security/no-data-without-token')
  const [one, other] = [createUri(), createUri()]
  const listeners = await Promise.all(
    KINDS.flatMap((kind) => [
      listenTo(kind, [one], { as: 'owner' }),
      listenTo(kind, [other], { as: 'guest' }),
    ]),
  )
  const publisher = await signIn('v2, modern', { url: server.url })
  await touch(publisher, one, other, one)
  const expected = KINDS.flatMap(() => [[one, one], [other]])
  await eventually(() => listeners.map(({ updates }) => updates)).toEqual(expected)
})

describe('a request without a token', () => {
  const PROBE = { method: 'subscriptions/listen', params: { notifications: {} } }

  test.each(['/mcp', '/other', '/sse'])('is rejected for a stream at %s', async (path) => {
    verifies('authorization/authorization-in-every-request')
    verifies('authorization-security-practices/sessions-verify-requests')
    const headers = { accept: 'text/event-stream' }
    const response = await fetch(server.origin + path, { headers })
    expect(response.status).toBe(401)
    expect(response.headers.get('content-type')).toBe('application/json')
  })

  test.each(['/mcp', '/other'])('is rejected for subscriptions/listen at %s', async (path) => {
    verifies('authorization/authorization-in-every-request')
    const { status, headers } = await sendMessage(server.origin + path, {
      headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': PROBE.method },
      ...PROBE,
    })
    expect(status).toBe(401)
    expect(headers.get('content-type')).toBe('application/json')
  })
})
