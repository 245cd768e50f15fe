/** What belongs to one person or app: messages of the older transport, and the state of a round. */
import { expect, test } from 'vitest'
import { accept } from '../../support/accept.ts'
import { verifies } from '../../support/verifies.ts'
import { type App, signIn } from './app.ts'
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

/** One round of `ask_count`, without a client. */
async function round(app: App, requestState?: string) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  }
  const inputResponses = { confirm: accept({ ok: true }) }
  const { body } = await sendMessage(app.url, {
    token: app.provider.accessToken,
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'ask_count',
      accept: 'application/json',
    },
    method: 'tools/call',
    params: {
      name: 'ask_count',
      arguments: { name: 'principals' },
      _meta,
      ...(requestState !== undefined && { inputResponses, requestState }),
    },
  })
  return body
}

test('the state of a modern round is rejected from another person or app and at another resource, and accepted from its app with a refreshed token', async () => {
  verifies('mrtr/state-integrity', 'elicitation/state-belongs-to-a-user')
  verifies('elicitation/elicitation-is-bound-to-client-and-user')
  verifies('authorization-security-practices/state-handles')
  const app = await signIn('v2, modern', { url: server.url, as: 'owner' })
  const others = [
    await signIn('v2, modern', { url: server.url, as: 'guest' }),
    await signIn('v2, modern', { url: server.url, as: 'owner' }),
    await signIn('v2, modern', { url: `${server.origin}/other`, as: 'owner' }),
  ]
  const { requestState } = (await round(app)).result
  for (const other of others) {
    const { error } = await round(other, requestState)
    expect(error).toEqual({
      code: -32602,
      message: 'params.requestState is not valid for this request',
    })
  }
  app.provider.invalidateAccessToken()
  await app.call('whoami')
  const { result } = await round(app, requestState)
  expect(result.structuredContent).toEqual({ action: 'accept', ok: true })
})
