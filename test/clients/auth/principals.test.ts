/** Messages of the older transport belong to one person. */
import { expect, test } from 'vitest'
import { signIn } from './app.ts'
import { useProtectedServer } from './protected-server.ts'
import { sendMessage } from './raw.ts'

const server = useProtectedServer()

test('the older transport accepts messages of its own person alone', async () => {
  const app = await signIn('v1 over HTTP+SSE', { url: server.url, as: 'owner' })
  const guest = await signIn('v1', { url: server.url, as: 'guest' })
  const { sessionId } = (await app.call('whoami')).structuredContent
  const url = `${server.origin}/messages?sessionId=${sessionId}`
  const post = (token: string) => sendMessage(url, { token, method: 'ping' })
  expect((await post(guest.provider.accessToken)).status).toBe(404)
  expect((await post(app.provider.accessToken)).status).toBe(202)
})
