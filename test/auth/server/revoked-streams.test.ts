/** Streams that are open when the access of everyone is revoked: in the isolate that revokes, and in another one. */
// features: sessions, changes
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { admin } from '../../../packages/inspector/src/admin/index.ts'
import { FullServer } from '../../support/full-server.ts'
import { HttpSession } from '../../support/http-session.ts'
import { SseReader } from '../../support/sse-reader.ts'
import { MODERN } from '../../support/test-app.ts'
import { ADMIN, tokenFor } from './support/admin.ts'
import { AuthClient } from './support/client.ts'
import {
  createBindings,
  type Deployment,
  NOW,
  openDeployment,
  RESOURCE,
} from './support/deployment.ts'

const CHECK_INTERVAL_MS = 30_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: NOW })
})
afterEach(() => {
  vi.useRealTimers()
})

function createServer(): FullServer {
  const server = new FullServer({ name: 'notes', version: '1.0.0' })
  server.registerTool('nothing', {}, () => 'nothing')
  return server
}

const bindings = createBindings()

const openServer = () =>
  openDeployment(
    { scopes: { read: 'Read', operate: { description: 'Operate', initial: false } } },
    {
      bindings,
      server: createServer(),
      app: { admin: admin({ owners: ['owner'], scope: 'operate' }) },
    },
  )

const fetchWith = (server: Deployment, token: string) => (request: Request) => {
  const headers = new Headers(request.headers)
  headers.set('authorization', `Bearer ${token}`)
  const { url, method, body } = request
  return server.fetch(url, { method, headers, ...(body && { body, duplex: 'half' }) })
}

async function listen(server: Deployment, token: string): Promise<SseReader> {
  const params = {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
    notifications: { toolsListChanged: true },
  }
  const response = await server.fetch(RESOURCE, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      'mcp-protocol-version': MODERN,
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }),
  })
  const stream = new SseReader(response)
  expect((await stream.message()).method).toBe('notifications/subscriptions/acknowledged')
  return stream
}

async function openSessionStream(server: Deployment, token: string): Promise<SseReader> {
  const session = await HttpSession.open({ url: RESOURCE, fetch: fetchWith(server, token) })
  const stream = await session.listen()
  expect(await stream.next()).toEqual({ comment: 'open' })
  return stream
}

describe('the streams of everyone', () => {
  it('end with their next check after revokeEveryone, in each isolate and era', async () => {
    const [here, elsewhere] = [openServer(), openServer()]
    const client = await AuthClient.register(here)
    const { access } = await client.tokens({ scope: 'read' })
    const streams = await Promise.all(
      [here, elsewhere].flatMap((server) => [
        listen(server, access),
        openSessionStream(server, access),
      ]),
    )
    vi.advanceTimersByTime(CHECK_INTERVAL_MS)
    await new Promise((resolve) => setTimeout(resolve, 300))

    const operator = await tokenFor(here)
    const revoked = await here.fetch(ADMIN, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${operator}` },
      body: JSON.stringify({ operation: 'revoke-everyone' }),
    })
    expect(revoked.status).toBe(200)
    await revoked.text()
    let ended = 0
    const ends = streams.map(async (stream) => {
      await stream.rest()
      ended++
    })
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(ended).toBe(0)
    // The age of the revocations that the other isolate knows, and of its check of the grant.
    for (let check = 0; check < 3 && ended < streams.length; check++) {
      vi.advanceTimersByTime(CHECK_INTERVAL_MS)
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    await Promise.all(ends)
    const again = await here.fetch(RESOURCE, {
      method: 'POST',
      headers: { authorization: `Bearer ${access}`, 'content-type': 'application/json' },
      body: '{}',
    })
    expect(again.status).toBe(401)
    await again.text()
  })
})
