/** Open streams whose grant is revoked. */
import { expect, it } from 'vitest'
import { obtainTokens, register } from '../../support/node/oauth-client.ts'
import { verifies } from '../../support/verifies.ts'
import { serveProtected } from './protected-server.ts'
import { postForm } from './send.ts'

const MODERN = '2026-07-28'
const SESSION = '2025-11-25'

const server = serveProtected()

const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
/** Two minutes of work. */
const LONG = { name: 'progress', arguments: { count: 60, gapMs: 2000 } }

function post(token: string, headers: Record<string, string>, method: string, params: object) {
  return fetch(`${server.issuer}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
}

const modern = (token: string, method: string, params: object, name?: string) =>
  post(
    token,
    {
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(name === undefined ? undefined : { 'mcp-name': name }),
    },
    method,
    { ...params, _meta: { ...META, progressToken: 'p' } },
  )

it('open streams and calls end without a result within a minute after their grant is revoked', async () => {
  verifies('authorization-security/no-data-without-token')
  const client = await register(server.issuer)
  const { access, refresh } = await obtainTokens(server.issuer, client)
  const opened = await post(access, {}, 'initialize', {
    protocolVersion: SESSION,
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  })
  await opened.body?.cancel()
  const session = {
    'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': SESSION,
  }
  const progress = { ...LONG, _meta: { progressToken: 'p' } }
  const notifications = { toolsListChanged: true }
  const streams = await Promise.all([
    fetch(`${server.issuer}/mcp`, {
      headers: { ...session, authorization: `Bearer ${access}`, accept: 'text/event-stream' },
    }),
    post(access, session, 'tools/call', progress),
    post(access, { 'mcp-protocol-version': SESSION }, 'tools/call', progress),
    modern(access, 'tools/call', LONG, LONG.name),
    modern(access, 'subscriptions/listen', { notifications }),
  ])
  for (const { status, headers } of streams) {
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  }
  const revoked = await postForm(server.issuer, '/revoke', { token: refresh, client_id: client.id })
  expect(revoked.status).toBe(200)
  const began = Date.now()
  const texts = await Promise.all(streams.map((stream) => stream.text()))
  expect(Date.now() - began).toBeLessThan(60_000)
  for (const text of texts) expect(text).not.toContain('"done"')
}, 300_000)
