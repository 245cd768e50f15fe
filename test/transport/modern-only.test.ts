/** The option `modernOnly`: the older revisions and their transports are refused. */

import { describe, expect, it } from 'vitest'
import { McpServer } from '../../src/index.ts'
import { createFullEdgeway } from '../support/full-app.ts'
import { openSessionApp } from '../support/session-client.ts'
import { ENDPOINT } from '../support/test-app.ts'

const app = openSessionApp({ modernOnly: true })

describe('a server with modernOnly', () => {
  it('serves the modern revision', async () => {
    expect((await app.modern('tools/list')).status).toBe(200)
  })

  it.each(['2025-11-25', '2024-11-05'])('refuses initialize and calls of %s', async (version) => {
    const error = { code: -32022, data: { supported: ['2026-07-28'], requested: version } }
    const params = {
      protocolVersion: version,
      capabilities: {},
      clientInfo: { name: 'c', version },
    }
    const initialize = await app.session('initialize', params)
    expect(initialize.status).toBe(400)
    expect(initialize.body).toMatchObject({ id: 1, error })
    expect((await app.session('tools/list', {}, version)).body.error).toMatchObject(error)
  })

  it('refuses a batch whose header names the revision that it serves as a batch, not for its version', async () => {
    const headers = { 'content-type': 'application/json', 'mcp-protocol-version': '2026-07-28' }
    const body = '[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]'
    const response = await app.fetch(new Request(ENDPOINT, { method: 'POST', headers, body }))
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: -32600 } })
  })

  it('has no stream, no session to end, and no transport of 2024-11-05', async () => {
    const headers = { accept: 'text/event-stream', 'mcp-session-id': 'id' }
    for (const method of ['GET', 'DELETE']) {
      expect((await app.fetch(new Request(ENDPOINT, { method, headers }))).status).toBe(405)
    }
    expect((await app.fetch(new Request(new URL('/sse', ENDPOINT), { headers }))).status).toBe(404)
  })

  it('throws at start together with an option that serves older revisions', () => {
    const server = () => new McpServer({ name: 's', version: '1' })
    for (const other of [{ sessionsOnly: true }, { httpSse: {} }, { httpSse: { path: '/s' } }]) {
      expect(() => createFullEdgeway(server(), { modernOnly: true, ...other })).toThrow(
        /^modernOnly excludes/,
      )
    }
    expect(createFullEdgeway(server(), { modernOnly: true, httpSse: false })).toBeDefined()
  })
})
