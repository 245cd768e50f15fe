// features: sessions
import { describe, expect, it } from 'vitest'
import { createSampleServer } from '../support/sample-server.ts'
import { openApp, read } from '../support/test-app.ts'
import { verifies } from '../support/verifies.ts'

const app = openApp(createSampleServer())
const OLDER = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']

describe('initialize without session objects', () => {
  it.each(OLDER)('echoes the known version %s', async (protocolVersion) => {
    verifies('base-protocol/required-components', 'lifecycle/server-introduces-itself')
    verifies('lifecycle/supported-version-is-echoed')
    const { body } = await app.session('initialize', {
      protocolVersion,
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    })
    expect(body.result.protocolVersion).toBe(protocolVersion)
    expect(body.result.instructions).toBe('Use it well.')
    expect(body.result.resultType).toBeUndefined()
  })

  it.each(['2026-07-28', '2031-01-01', '', 'latest'])(
    'answers the unknown or modern version %j with 2025-11-25',
    async (protocolVersion) => {
      verifies('lifecycle/other-version-is-offered')
      const { status, body } = await app.session('initialize', {
        protocolVersion,
        capabilities: {},
      })
      expect([status, body.result.protocolVersion]).toEqual([200, '2025-11-25'])
    },
  )

  it('refuses a request without protocolVersion', async () => {
    const { status, body } = await app.session('initialize', { capabilities: {} })
    expect([status, body.error.code]).toEqual([200, -32602])
  })

  it('is served with a modern version header and reported as a leniency', async () => {
    const response = await app.post(
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } },
      { 'mcp-protocol-version': '2026-07-28' },
    )
    expect((await read(response)).body.result.protocolVersion).toBe('2025-11-25')
    expect(app.events).toContainEqual({
      type: 'leniency',
      name: 'initialize-with-modern-header',
      method: 'initialize',
    })
  })
})

describe('results in the session eras', () => {
  it.each(OLDER)('use the error codes of %s and contain no modern members', async (version) => {
    const missing = await app.session('resources/read', { uri: 'sample://none' }, version)
    expect([missing.status, missing.body.error]).toEqual([
      200,
      { code: -32002, message: 'Resource not found', data: { uri: 'sample://none' } },
    ])
    const found = await app.session('resources/read', { uri: 'sample://a' }, version)
    expect(found.body.result).toEqual({
      contents: [{ uri: 'sample://a', mimeType: 'text/plain', text: 'is a' }],
    })
    expect((await app.session('ping', {}, version)).body.result).toEqual({})
    expect(
      (await app.session('logging/setLevel', { level: 'debug' }, version)).body.result,
    ).toEqual({})
    expect(
      (await app.session('logging/setLevel', { level: 'loud' }, version)).body.error.code,
    ).toBe(-32602)
  })

  it.each(['server/discover', 'subscriptions/listen', 'nope'])(
    'are error -32601 with status 200 for the method %s',
    async (method) => {
      const { status, body } = await app.session(method)
      // Clients of these revisions read 404 as the end of their session.
      expect([status, body.error.code]).toEqual([200, -32601])
    },
  )
})

describe('the version header without a session', () => {
  const list = (header: string | null) =>
    app.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'mcp-protocol-version': header })
  const shapeOf = async (header: string | null) => {
    const { body } = await read(await list(header))
    const [echo] = body.result.tools
    return [echo.annotations !== undefined, echo.title !== undefined, echo.icons !== undefined]
  }

  it('selects 2025-03-26 when it is missing', async () => {
    verifies('lifecycle/initialization-comes-first')
    expect(await shapeOf(null)).toEqual([true, false, false])
  })
  it('selects 2025-11-25 when it is unknown', async () => {
    expect(await shapeOf('2025-12-31')).toEqual([true, true, true])
  })
  it('selects the first known version when it is repeated', async () => {
    expect(await shapeOf('2025-06-18, 2025-06-18')).toEqual([true, true, false])
  })
  it('refuses the request in strict mode when it is unknown', async () => {
    verifies('streamable-http/unsupported-version-header')
    const strict = openApp(createSampleServer(), { strict: true })
    const response = await strict.post(
      { jsonrpc: '2.0', id: 4, method: 'tools/list' },
      { 'mcp-protocol-version': '2025-12-31' },
    )
    const { status, body } = await read(response)
    expect([status, body.id]).toEqual([400, 4])
  })
})

describe('notifications and responses without a session', () => {
  it.each([
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    { jsonrpc: '2.0', method: 'notifications/unknown' },
    { jsonrpc: '2.0', id: 5, result: {} },
    { jsonrpc: '2.0', error: { code: -1, message: 'x' } },
  ])('are accepted with an empty 202: %j', async (message) => {
    verifies('base-protocol/notification-is-not-answered')
    verifies('streamable-http/accepted-messages-have-202')
    const response = await app.post(message, { 'mcp-protocol-version': '2025-11-25' })
    expect([response.status, await response.text(), response.headers.get('content-type')]).toEqual([
      202,
      '',
      null,
    ])
  })
})

describe('a batch without a session', () => {
  const batch = (items: unknown, version = '2025-03-26') =>
    app.post(JSON.stringify(items), { 'mcp-protocol-version': version })
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' })

  it('is refused when the revision is 2026-07-28', async () => {
    verifies('streamable-http/body-is-one-request-or-notification')
    const { status, body } = await read(await batch([ping(1)], '2026-07-28'))
    expect([status, body.error.code]).toEqual([400, -32600])
  })

  it('refuses further requests when its answers reach the limit, and keeps the answers before', async () => {
    const small = openApp(createSampleServer(), {
      featureLimits: { sessions: { batchAnswerBytes: 500 } },
    })
    const echo = (id: number) => ({
      ...ping(id),
      method: 'tools/call',
      params: { name: 'echo', arguments: { text: 'x'.repeat(400) } },
    })
    const items = [echo(1), echo(2), echo(3), { jsonrpc: '2.0', method: 'notifications/x' }]
    const { body } = await read(
      await small.post(JSON.stringify(items), { 'mcp-protocol-version': null }),
    )
    expect(
      body.map((item: { id: number; error?: { code: number } }) => [item.id, item.error?.code]),
    ).toEqual([
      [1, undefined],
      [2, undefined],
      [3, -32603],
    ])
  })

  it('answers each invalid message at its own place in strict mode', async () => {
    const strict = openApp(createSampleServer(), { strict: true })
    const items = [ping(1), { ...ping(2), method: 'no/such' }, { ...ping(3), params: [] }]
    const { body } = await read(
      await strict.post(JSON.stringify(items), { 'mcp-protocol-version': '2025-03-26' }),
    )
    expect(
      body.map((item: { id: number; error?: { code: number } }) => [item.id, item.error?.code]),
    ).toEqual([
      [1, undefined],
      [2, -32601],
      [3, -32602],
    ])
  })

  it('refuses initialize and modern messages as items', async () => {
    verifies('lifecycle/initialize-is-not-in-a-batch')
    const modern = {
      ...ping(2),
      params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
    }
    const { body } = await read(await batch([{ ...ping(1), method: 'initialize' }, modern]))
    expect(
      body.map((item: { id: number; error: { code: number } }) => [item.id, item.error.code]),
    ).toEqual([
      [1, -32600],
      [2, -32600],
    ])
  })
})
