/** Who hears of changes: those who were let in, of what they have asked for. */
import { describe, expect, test } from 'vitest'
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

/** An app that listens, and what it has heard so far. */
async function signInListener(
  kind: Kind,
  uris: readonly string[],
  options: SignInOptions = {},
): Promise<{ readonly app: App; readonly heard: readonly string[] }> {
  const app = await signIn(kind, { url: server.url, ...options })
  const heard: string[] = []
  await app.listen(uris, (uri) => heard.push(uri))
  return { app, heard }
}

describe.each(KINDS)('%s', (kind) => {
  test('hears of what it has asked for, from its own person and from others', async () => {
    const [wanted, other] = [createUri(), createUri()]
    const { app, heard } = await signInListener(kind, [wanted], { as: 'guest' })
    const owner = await signIn('v2', { url: server.url, as: 'owner' })
    await touch(owner, other, wanted)
    await touch(app, other, wanted)
    await eventually(() => heard).toEqual([wanted, wanted])
  })

  test('hears on when its access token is followed by the next', async () => {
    const uri = createUri()
    const { app, heard } = await signInListener(kind, [uri])
    app.provider.spoilAccessToken()
    await touch(app, uri)
    app.provider.spoilAccessToken()
    await touch(app, uri)
    await eventually(() => heard).toEqual([uri, uri])
  })

  test('may listen and touch with any scope that let it in', async () => {
    const uri = createUri()
    const { app, heard } = await signInListener(kind, [uri], { scope: 'read' })
    await touch(app, uri)
    await eventually(() => heard).toEqual([uri])
  })
})

test('two people who listen hear each of their own wishes', async () => {
  const [one, other] = [createUri(), createUri()]
  const listeners = await Promise.all(
    KINDS.flatMap((kind) => [
      signInListener(kind, [one], { as: 'owner' }),
      signInListener(kind, [other], { as: 'guest' }),
    ]),
  )
  const publisher = await signIn('v2, modern', { url: server.url })
  await touch(publisher, one, other, one)
  const expected = KINDS.flatMap(() => [[one, one], [other]])
  await eventually(() => listeners.map(({ heard }) => heard)).toEqual(expected)
})

describe('nobody', () => {
  const PROBE = { method: 'subscriptions/listen', params: { notifications: {} } }

  test.each(['/mcp', '/other', '/sse'])('is given a stream at %s', async (path) => {
    const headers = { accept: 'text/event-stream' }
    const response = await fetch(server.origin + path, { headers })
    expect(response.status).toBe(401)
    expect(response.headers.get('content-type')).toBe('application/json')
  })

  test.each(['/mcp', '/other'])('may listen at %s', async (path) => {
    const { status, headers } = await sendMessage(server.origin + path, {
      headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': PROBE.method },
      ...PROBE,
    })
    expect(status).toBe(401)
    expect(headers.get('content-type')).toBe('application/json')
  })
})
