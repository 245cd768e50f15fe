// features: changes
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { scopedObjects } from '../support/objects.ts'
import { openSession, openSessionApp } from '../support/session-client.ts'
import { ENDPOINT, MODERN } from '../support/test-app.ts'

/** A hub of its own, because the networks of other files' listeners are counted too. */
const MCP_OBJECTS = scopedObjects()

const app = openSessionApp({ hub: { listenersPerSubject: 2 } }, { ...env, MCP_OBJECTS })

/** Opens a subscription of the modern revision from an address. */
async function openFrom(address: string | undefined, to = app): Promise<Response> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { _meta, notifications: { toolsListChanged: true } }
  const headers = new Headers({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': MODERN,
    'mcp-method': 'subscriptions/listen',
  })
  if (address !== undefined) headers.set('cf-connecting-ip', address)
  const message = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }
  const body = JSON.stringify(message)
  return await to.fetch(new Request(ENDPOINT, { method: 'POST', headers, body }))
}

/** The same, and returns the status. */
const listenFrom = async (address: string | undefined) => (await openFrom(address)).status

describe('anonymous listeners', () => {
  it.each([
    ['one IPv4 /24', ['192.0.2.1', '192.0.2.200', '192.0.2.7'], '198.51.100.1'],
    ['one IPv6 /48', ['2001:db8:1::1', '2001:db8:1:2::1', '2001:db8:1:ffff::1'], '2001:db8:2::1'],
    ['an unreadable address', ['?', 'x, y', ''], '203.0.113.9'],
    ['no address', [undefined, undefined, undefined], '203.0.113.10'],
  ])('of %s share one limit, and leave room for another network', async (_, same, other) => {
    const statuses: number[] = []
    for (const address of same) statuses.push(await listenFrom(address))
    expect(statuses).toEqual([200, 200, 429])
    expect(await listenFrom(other)).toBe(200)
  })

  it('of a session are counted by network too, and a stream without room has no changes', async () => {
    const session = await openSession({}, app)
    const address = { 'cf-connecting-ip': '192.88.99.1' }
    for (let count = 0; count < 3; count++) {
      expect((await session.get(undefined, address)).status).toBe(200)
    }
    // Only the newest stream of a session listens, so other sessions have room.
    const others = [await openSession({}, app), await openSession({}, app)]
    for (const other of others) await other.get(undefined, address)
    const refusals = () =>
      app.events.filter(
        (event) =>
          event.type === 'refusal' && event.name === 'too-many-listeners' && event.status === 200,
      )
    expect(refusals()).toHaveLength(1)
    expect(
      (await (await openSession({}, app)).get(undefined, { 'cf-connecting-ip': '192.88.100.1' }))
        .status,
    ).toBe(200)
    expect(refusals()).toHaveLength(1)
  })
})

describe('a listener beyond a limit', () => {
  it.each([
    [
      'its subject or network',
      { listenersPerSubject: 1 },
      'The caller has reached its listener limit',
    ],
    ['the shard', { listenersPerShard: 1 }, 'The hub has reached its listener limit'],
    ['the isolate', { listenersPerIsolate: 1 }, 'The isolate has reached its listener limit'],
  ])('of %s receives the name of the limit and Retry-After', async (_, hub, message) => {
    const limited = openSessionApp({ hub }, { ...env, MCP_OBJECTS: scopedObjects() })
    await openFrom('198.18.0.1', limited)
    const response = await openFrom('198.18.0.1', limited)
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('30')
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32600, message: `${message} [too-many-listeners]` },
    })
    expect(limited.events.at(-1)).toMatchObject({
      type: 'refusal',
      name: 'too-many-listeners',
      status: 429,
      message,
    })
  })
})
