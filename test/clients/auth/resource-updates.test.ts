/** Resource updates reach authorized subscribers of the resource. */
import { describe, test } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { eventually } from '../eventually.ts'
import { type App, KINDS, type SignInOptions, signIn } from './app.ts'
import type { Kind } from './connection.ts'
import { useProtectedServer } from './protected-server.ts'

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
): Promise<{ readonly app: App; readonly updates: () => readonly string[] }> {
  const app = await signIn(kind, { url: server.url, ...options })
  return { app, updates: await app.listen(uris) }
}

describe.each(KINDS)('%s', (kind) => {
  test('receives updates of its resources by its own person and by others', async () => {
    const [wanted, other] = [createUri(), createUri()]
    const { app, updates } = await listenTo(kind, [wanted], { as: 'guest' })
    const owner = await signIn('v2', { url: server.url, as: 'owner' })
    await touch(owner, other, wanted)
    await touch(app, other, wanted)
    await eventually(updates).toEqual([wanted, wanted])
  })

  test('receives updates after its access token was refreshed', async () => {
    const uri = createUri()
    const { app, updates } = await listenTo(kind, [uri])
    app.provider.invalidateAccessToken()
    await touch(app, uri)
    app.provider.invalidateAccessToken()
    await touch(app, uri)
    await eventually(updates).toEqual([uri, uri])
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
  await eventually(() => listeners.map(({ updates }) => updates())).toEqual(expected)
})
