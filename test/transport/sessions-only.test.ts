import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { openSessionApp } from '../support/session-client.ts'
import { ENDPOINT } from '../support/test-app.ts'

const app = openSessionApp({ sessionsOnly: true })

describe('a server with sessionsOnly', () => {
  it('refuses a modern request, and names the revisions that have sessions', async () => {
    const { status, body } = await app.modern('tools/list')
    expect(status).toBe(400)
    expect(body.error).toMatchObject({
      code: -32022,
      data: {
        supported: ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
        requested: '2026-07-28',
      },
    })
  })

  it('is served in a session by the official client that prefers the modern revision', async () => {
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: 'auto' } },
    )
    const fetchApp = (url: string | URL, init?: RequestInit) => app.fetch(new Request(url, init))
    const transport = new StreamableHTTPClientTransport(new URL(ENDPOINT), { fetch: fetchApp })
    await client.connect(transport)
    expect(transport.sessionId).toBeDefined()
    expect((await client.listTools()).tools.length).toBeGreaterThan(0)
    await client.close()
  })
})
