/** What the inspector shows of requests, read at its own stream. */
import { describe, expect, it } from 'vitest'
import { openInspected, openTraffic } from './support/inspected-server.ts'

const ECHO = { name: 'echo', arguments: { text: 'hello' } }

describe('GET /inspect/traffic', () => {
  it('shows a call as its opening, the two messages and its end', async () => {
    const server = openInspected()
    await server.call('tools/call', ECHO)
    const [opened, request, span, answer, closed, ...others] = await server.entries()
    expect(others).toEqual([])
    expect(opened).toMatchObject({
      kind: 'opened',
      http: 'POST',
      path: '/mcp',
      revision: '2026-07-28',
      era: 'modern',
      session: null,
      client: { name: 'probe', version: '1.0.0' },
      subject: null,
    })
    expect(request).toMatchObject({
      kind: 'message',
      from: 'client',
      message: { id: 1, method: 'tools/call', params: ECHO },
      cut: false,
      shape: false,
      eventId: null,
    })
    expect(span).toMatchObject({ kind: 'span', name: 'handler echo' })
    expect(answer).toMatchObject({
      kind: 'message',
      from: 'server',
      message: { id: 1, result: { content: [{ type: 'text', text: 'hello' }] } },
    })
    expect(closed).toMatchObject({ kind: 'closed', status: 200, outcome: 'ok' })
    expect(
      new Set([opened, request, span, answer, closed].map((entry) => entry?.exchange)).size,
    ).toBe(1)
  })

  it('sends each entry as it happens, with its number as the event id', async () => {
    const server = openInspected()
    const traffic = await openTraffic(server.fetch)
    await server.fetch('/mcp', { method: 'POST', body: '{' })
    expect(await traffic.next()).toMatchObject({ kind: 'opened' })
    expect(await traffic.next()).toMatchObject({
      kind: 'refusal',
      name: 'content-type-not-json',
      status: 415,
    })
  })
})
