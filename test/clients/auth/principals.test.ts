/** Input states belong to a person and an app, sessions and counters to a person. */
import { describe, expect, test } from 'vitest'
import { accept } from '../../support/accept.ts'
import { verifies } from '../../support/verifies.ts'
import type { Round } from '../answering-client.ts'
import { type App, createApp, KINDS, SESSION_KINDS, signIn } from './app.ts'
import { useProtectedServer } from './protected-server.ts'
import { sendMessage } from './raw.ts'

const server = useProtectedServer()

async function countOf(app: App, tool: 'count' | 'read_count', name: string): Promise<number> {
  return (await app.call(tool, { name })).structuredContent.value
}

describe.each(SESSION_KINDS)('a session of %s', (kind) => {
  const NOT_FOUND = {
    code: -32001,
    message: 'Session not found. Open a new session with initialize [session-not-found]',
  }

  function ping(app: App, sessionId: string | undefined) {
    return sendMessage(server.url, {
      token: app.provider.accessToken,
      headers: { 'mcp-session-id': String(sessionId) },
      method: 'ping',
    })
  }

  test('continues with a refreshed access token', async () => {
    const app = await signIn(kind, { url: server.url })
    const sessionId = app.sessionId()
    const first = app.provider.accessToken
    app.provider.invalidateAccessToken()
    expect((await app.call('whoami')).structuredContent.sessionId).toBe(sessionId)
    expect(app.provider.accessToken).not.toBe(first)
    // The earlier access token stays valid until it expires.
    const { status } = await sendMessage(server.url, {
      token: first,
      headers: { 'mcp-session-id': String(sessionId) },
      method: 'ping',
    })
    expect(status).toBe(200)
  })

  test('is unknown to another person and requires a token', async () => {
    verifies('streamable-http/session-id-is-protected', 'elicitation/state-belongs-to-a-user')
    verifies('elicitation/users-are-identified-by-credentials')
    verifies('elicitation/state-is-not-bound-to-session-ids-alone')
    verifies('elicitation/client-claims-are-not-trusted')
    verifies('authorization/authorization-in-every-request')
    verifies('authorization-security/no-data-without-token')
    verifies('authorization-security-practices/sessions-verify-requests')
    verifies('authorization-security-practices/sessions-are-no-authentication')
    const app = await signIn(kind, { url: server.url, as: 'owner' })
    const guest = await signIn(kind, { url: server.url, as: 'guest' })
    expect((await ping(app, app.sessionId())).status).toBe(200)
    const { status, body } = await ping(guest, app.sessionId())
    expect([status, body.error]).toEqual([404, NOT_FOUND])
    const unknown = await ping(guest, 'b33f0000-0000-4000-8000-000000000000')
    expect(unknown.body).toEqual(body)
    const anonymous = await sendMessage(server.url, {
      headers: { 'mcp-session-id': String(app.sessionId()) },
      method: 'ping',
    })
    expect(anonymous.status).toBe(401)
  })

  test('is unknown at another resource, for the same person and the same app', async () => {
    verifies('authorization-security-practices/sessions-are-no-authentication')
    const app = await signIn(kind, { url: server.url, as: 'owner' })
    const other = await signIn(kind, { url: `${server.origin}/other`, as: 'owner' })
    const { status, body } = await sendMessage(`${server.origin}/other`, {
      token: other.provider.accessToken,
      headers: { 'mcp-session-id': String(app.sessionId()) },
      method: 'ping',
    })
    expect([status, body.error]).toEqual([404, NOT_FOUND])
  })

  test('continues for a client that has registered anew', async () => {
    const app = await signIn(kind, { url: server.url, as: 'owner' })
    const registeredAnew = await signIn(kind, { url: server.url, as: 'owner' })
    const who = await registeredAnew.call('whoami')
    const { status, body } = await sendMessage(server.url, {
      token: registeredAnew.provider.accessToken,
      headers: { 'mcp-session-id': String(app.sessionId()) },
      method: 'tools/call',
      params: { name: 'whoami', arguments: {} },
    })
    const { clientId, sessionId } = body.result.structuredContent
    expect([status, clientId, sessionId]).toEqual([
      200,
      who.structuredContent.clientId,
      app.sessionId(),
    ])
    expect(clientId).not.toBe((await app.call('whoami')).structuredContent.clientId)
  })

  test('cannot be read or deleted by another person', async () => {
    verifies('elicitation/state-is-protected')
    verifies('elicitation/state-is-not-bound-to-session-ids-alone')
    verifies('authorization-security-practices/sessions-are-no-authentication')
    const app = await signIn(kind, { url: server.url, as: 'owner' })
    const guest = await signIn(kind, { url: server.url, as: 'guest' })
    const headers = {
      authorization: `Bearer ${guest.provider.accessToken}`,
      'mcp-session-id': String(app.sessionId()),
      'mcp-protocol-version': '2025-11-25',
    }
    const accepting = { ...headers, accept: 'text/event-stream' }
    expect((await fetch(server.url, { headers: accepting })).status).toBe(404)
    expect((await fetch(server.url, { method: 'DELETE', headers })).status).toBe(404)
    expect((await ping(app, app.sessionId())).status).toBe(200)
  })

  test('is continued by another process with the same tokens', async () => {
    const app = await signIn(kind, { url: server.url })
    const sessionId = app.sessionId()
    const other = createApp(kind, {
      url: server.url,
      provider: app.provider,
      ...(sessionId !== undefined && { sessionId }),
    })
    expect(await other.connect()).toBe('connected')
    expect((await other.call('whoami')).structuredContent.sessionId).toBe(sessionId)
  })
})

test('the older transport accepts messages of its own person alone', async () => {
  const app = await signIn('v1 over HTTP+SSE', { url: server.url, as: 'owner' })
  const guest = await signIn('v1', { url: server.url, as: 'guest' })
  const { sessionId } = (await app.call('whoami')).structuredContent
  const url = `${server.origin}/messages?sessionId=${sessionId}`
  const post = (token: string) => sendMessage(url, { token, method: 'ping' })
  expect((await post(guest.provider.accessToken)).status).toBe(404)
  expect((await post(app.provider.accessToken)).status).toBe(202)
})

describe('counters', () => {
  test('are shared by all apps and revisions of a person', async () => {
    const name = crypto.randomUUID()
    const apps = await Promise.all(KINDS.map((kind) => signIn(kind, { url: server.url })))
    const values: number[] = []
    for (const app of apps) values.push(await countOf(app, 'count', name))
    expect(values).toEqual([1, 2, 3, 4])
  })

  test('are separate for each person', async () => {
    verifies('elicitation/users-are-identified-by-credentials')
    verifies('elicitation/client-claims-are-not-trusted')
    const name = crypto.randomUUID()
    const owner = await signIn('v2', { url: server.url, as: 'owner' })
    const guest = await signIn('v2, modern', { url: server.url, as: 'guest' })
    await countOf(owner, 'count', name)
    expect(await countOf(guest, 'read_count', name)).toBe(0)
    expect(await countOf(guest, 'count', name)).toBe(1)
    expect(await countOf(owner, 'read_count', name)).toBe(1)
  })

  test('are shared by all resources', async () => {
    const name = crypto.randomUUID()
    const here = await signIn('v2', { url: server.url })
    const there = await signIn('v2', { url: `${server.origin}/other` })
    await countOf(here, 'count', name)
    expect(await countOf(there, 'read_count', name)).toBe(1)
  })

  test('outlive the connection of the app', async () => {
    const name = crypto.randomUUID()
    await countOf(await signIn('v1', { url: server.url }), 'count', name)
    expect(await countOf(await signIn('v1', { url: server.url }), 'read_count', name)).toBe(1)
  })
})

describe('the input state of a modern request', () => {
  const REFUSED = {
    code: -32602,
    message: 'params.requestState is not valid for this request',
  }

  /** One round of `ask_count`, without a client. */
  async function round(app: App, name: string, more: Omit<Round, 'name'> = {}) {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    }
    const { body } = await sendMessage(app.url, {
      token: app.provider.accessToken,
      headers: {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'ask_count',
        accept: 'application/json',
      },
      method: 'tools/call',
      params: { name: 'ask_count', arguments: { name }, _meta, ...more },
    })
    return body
  }

  const answered = (requestState: string) => ({
    inputResponses: { confirm: accept({ ok: true }) },
    requestState,
  })

  test('is accepted from its app after a refresh of the access token', async () => {
    const app = await signIn('v2, modern', { url: server.url })
    const name = crypto.randomUUID()
    const { result } = await round(app, name)
    expect(result.resultType).toBe('input_required')
    app.provider.invalidateAccessToken()
    await app.call('whoami')
    const second = await round(app, name, answered(result.requestState))
    expect(second.result.structuredContent).toEqual({ action: 'accept', ok: true })
    expect(await countOf(app, 'read_count', `${name}-first`)).toBe(1)
    expect(await countOf(app, 'read_count', `${name}-second`)).toBe(1)
  })

  test('is rejected from another person or app and at another resource', async () => {
    verifies('mrtr/state-integrity', 'elicitation/state-belongs-to-a-user')
    verifies('elicitation/elicitation-is-bound-to-client-and-user')
    verifies('authorization-security-practices/state-handles')
    const app = await signIn('v2, modern', { url: server.url, as: 'owner' })
    const others = [
      await signIn('v2, modern', { url: server.url, as: 'guest' }),
      await signIn('v2, modern', { url: server.url, as: 'owner' }),
      await signIn('v2, modern', { url: `${server.origin}/other`, as: 'owner' }),
    ]
    const name = crypto.randomUUID()
    const { result } = await round(app, name)
    for (const other of others) {
      const { error } = await round(other, name, answered(result.requestState))
      expect(error).toEqual(REFUSED)
    }
    const counts = [app, ...others].map((each) => countOf(each, 'read_count', `${name}-second`))
    expect(await Promise.all(counts)).toEqual([0, 0, 0, 0])
    const { result: done } = await round(app, name, answered(result.requestState))
    expect(done.structuredContent).toEqual({ action: 'accept', ok: true })
  })
})

test('a state handle of one person is unknown to another', async () => {
  verifies('statelessness/state-has-an-identifier')
  verifies('authorization-security-practices/state-handles')
  const owner = await signIn('v1', { url: server.url, as: 'owner' })
  const { handle } = (await owner.call('set_state', { value: 'mine' })).structuredContent
  const others = [
    await signIn('v1', { url: server.url, as: 'guest' }),
    await signIn('v1', { url: `${server.origin}/other`, as: 'owner' }),
  ]
  for (const other of others) {
    const calls = [
      await other.call('get_state', { handle }),
      await other.call('state_update', { handle, value: 'taken' }),
      await other.call('state_delete', { handle }),
    ]
    expect(calls.map(({ isError }) => isError)).toEqual([true, true, true])
  }
  // Another program of the same person, in another era.
  const modern = await signIn('v2, modern', { url: server.url, as: 'owner' })
  expect((await modern.call('state_get', { handle })).structuredContent).toEqual({ value: 'mine' })
})
