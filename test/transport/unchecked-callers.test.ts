/** Open streams whose caller cannot be checked for ten minutes, through the endpoint. */
// features: sessions, changes

import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type AuthConfig, verifier } from '../../src/auth/index.ts'
import { createFullEdgeway } from '../support/full-app.ts'
import { HttpSession } from '../support/http-session.ts'
import { sessionServer } from '../support/session-server.ts'
import { SseReader } from '../support/sse-reader.ts'
import { ENDPOINT, MODERN, openApp } from '../support/test-app.ts'

/** The interval of the checks, which is that of the heartbeats to the hub too. */
const INTERVAL_MS = 30_000

const { notify } = createFullEdgeway(sessionServer, {})

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A server that cannot check the callers of open streams while `isAway`. */
function openUncheckable() {
  const state = { isAway: false, checks: 0 }
  const verified = verifier(async () => ({ subject: 'unchecked' }))
  const auth: AuthConfig = {
    ...verified,
    createGate: (context) => ({
      ...verified.createGate(context),
      isStillAuthorized: async () => {
        state.checks++
        if (state.isAway) throw new Error('The directory is away')
        return true
      },
    }),
  }
  const app = openApp(sessionServer, { auth }, env)
  /** Advances by intervals, each of which has one check, and the answer to a heartbeat. */
  const advance = async (intervals: number) => {
    for (let passed = 0; passed < intervals; passed++) {
      const { checks } = state
      vi.advanceTimersByTime(INTERVAL_MS)
      await vi.waitUntil(() => state.checks === checks + 1)
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }
  return { state, app, advance }
}

type Server = ReturnType<typeof openUncheckable>

const fetchWithToken =
  ({ app }: Server) =>
  (request: Request) => {
    const headers = new Headers(request.headers)
    headers.set('authorization', 'Bearer token')
    return app.fetch(new Request(request, { headers }))
  }

const STREAMS = {
  'subscriptions/listen': async (server: Server) => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const request = new Request(ENDPOINT, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': MODERN,
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: { _meta: meta, notifications: { toolsListChanged: true } },
      }),
    })
    const stream = new SseReader(await fetchWithToken(server)(request))
    expect((await stream.message()).method).toBe('notifications/subscriptions/acknowledged')
    return stream
  },
  'the GET stream of a session': async (server: Server) => {
    const session = await HttpSession.open({ url: ENDPOINT, fetch: fetchWithToken(server) })
    const stream = await session.listen()
    expect(await stream.next()).toEqual({ comment: 'open' })
    await stream.next()
    return stream
  },
}

describe.each(Object.entries(STREAMS))('%s', (_, open) => {
  it('ends after twenty checks in a row that have failed, and not before', async () => {
    const server = openUncheckable()
    const stream = await open(server)
    server.state.isAway = true
    await server.advance(19)
    await notify(env).toolsChanged()
    expect((await stream.message()).method).toBe('notifications/tools/list_changed')
    await server.advance(1)
    expect((await stream.rest()).filter(({ method }) => method !== undefined)).toEqual([])
    const failures = server.app.events.filter(({ type }) => type === 'internal-error')
    expect(failures).toHaveLength(20)
  })

  it('stays open when a check succeeds before the twentieth failure', async () => {
    const server = openUncheckable()
    const stream = await open(server)
    server.state.isAway = true
    await server.advance(19)
    server.state.isAway = false
    await server.advance(1)
    server.state.isAway = true
    await server.advance(19)
    await notify(env).toolsChanged()
    expect((await stream.message()).method).toBe('notifications/tools/list_changed')
    await stream.leave()
  })
})
