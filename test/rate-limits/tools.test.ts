import { describe, expect, it } from 'vitest'
import { HttpSession } from '../support/http-session.ts'
import { initializeHttpSse } from '../support/http-sse-client.ts'
import { ENDPOINT, MODERN, type TestApp } from '../support/test-app.ts'
import { verifies } from '../support/verifies.ts'
import { from, limitClassesOf, openLimitedApp } from './limited-server.ts'

/** What the model reads: the class allows two calls in a minute, so the next one is 30 seconds away. */
const OVER = {
  content: [
    {
      type: 'text',
      text: 'Too many calls of the tool echo. Nothing was done. Call it again in 30 seconds.',
    },
  ],
  isError: true,
}

const call = (name: string, id: string | number = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: { text: 'x' } },
})

const ECHO = { name: 'echo', arguments: { text: 'x' } }
const PING = { jsonrpc: '2.0', id: 2, method: 'ping' }

const openSession = (app: TestApp, version?: string) =>
  HttpSession.open({ url: ENDPOINT, fetch: app.fetch }, version === undefined ? {} : { version })

describe('the limit of a class that a tool names', () => {
  it('refuses a modern call above it, with the id of the call', async () => {
    verifies('tools/calls-are-rate-limited')
    const app = openLimitedApp()
    const isError = []
    for (let count = 0; count < 2; count++) {
      isError.push((await app.modern('tools/call', { name: 'echo' })).body.result.isError)
    }
    const { status, body } = await app.modern('tools/call', { name: 'echo' }, { id: 'third' })
    expect(isError).toEqual([undefined, undefined])
    expect([status, body.id]).toEqual([200, 'third'])
    expect(body.result).toMatchObject({ ...OVER, resultType: 'complete' })
    expect(limitClassesOf(app)).toEqual(['costly'])
    expect((await app.modern('tools/call', { name: 'free' })).status).toBe(200)
  })

  it.each(['2025-11-25', '2025-06-18', '2025-03-26'])(
    'refuses a call without a session in %s',
    async (version) => {
      const app = openLimitedApp()
      const send = (id: number) => app.post(call('echo', id), { 'mcp-protocol-version': version })
      await send(1)
      await send(2)
      const response = await send(3)
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 3, result: OVER })
    },
  )

  it('refuses a call in a session, and the session continues', async () => {
    const app = openLimitedApp()
    const session = await openSession(app)
    await session.callTool('echo', { text: 'x' })
    await session.callTool('echo', { text: 'x' })
    const response = await session.callTool('echo', { text: 'x' }, { id: 'third' })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 'third', result: OVER })
    expect((await session.send('ping', {})).status).toBe(200)
  })

  it('refuses a call of the 2024-11-05 transport', async () => {
    const app = openLimitedApp()
    const { send, stream } = await initializeHttpSse(app)
    expect((await send('tools/call', ECHO, '1')).status).toBe(202)
    expect((await send('tools/call', ECHO, '2')).status).toBe(202)
    expect((await send('tools/call', ECHO, '3')).status).toBe(202)
    const answers = [await stream.message(), await stream.message(), await stream.message()]
    expect(answers.map(({ id }) => id)).toEqual(['1', '2', '3'])
    expect(answers.map(({ result }) => result)).toEqual([
      { content: [{ type: 'text', text: 'costly' }] },
      { content: [{ type: 'text', text: 'costly' }] },
      OVER,
    ])
  })

  it.each([
    ['in a session', true],
    ['without a session', false],
  ])('refuses the calls of a batch above it %s, and answers the others', async (_, inSession) => {
    const app = openLimitedApp()
    const version = '2025-03-26'
    const headers = { 'mcp-protocol-version': version }
    const session = inSession ? await openSession(app, version) : undefined
    const batch = [call('echo', 1), PING, call('echo', 3), call('echo', 4), call('echo', 5)]
    const post = (body: unknown) => session?.post(body) ?? app.post(body, headers)
    const response = await post(batch)
    expect(response.status).toBe(200)
    const answers = await response.json<{ id: number; result?: object; error?: object }[]>()
    const byId = new Map(answers.map((answer) => [answer.id, answer]))
    expect([...byId.keys()].sort()).toEqual([1, 2, 3, 4, 5])
    expect([1, 3].map((id) => byId.get(id)?.result)).toEqual([
      expect.not.objectContaining({ isError: true }),
      expect.not.objectContaining({ isError: true }),
    ])
    expect([4, 5].map((id) => byId.get(id)?.result)).toEqual([OVER, OVER])
    expect(limitClassesOf(app)).toEqual(['costly', 'costly'])
  })

  it('counts by network the calls without a principal', async () => {
    const app = openLimitedApp()
    const from1 = { headers: from('192.0.2.1') }
    for (let count = 0; count < 3; count++) await app.modern('tools/call', { name: 'echo' }, from1)
    const isError = async (address: string) => {
      const { body } = await app.modern('tools/call', { name: 'echo' }, { headers: from(address) })
      return body.result.isError === true
    }
    expect([await isError('192.0.2.1'), await isError('192.0.2.2')]).toEqual([true, false])
  })

  it('counts by network the calls in sessions without a principal', async () => {
    const app = openLimitedApp({ classes: { costly: { limit: 1 } } })
    const isError = async (address: string) => {
      const session = await openSession(app)
      const response = await session.callTool('echo', {}, { headers: from(address) })
      return (await response.json<{ result: { isError?: boolean } }>()).result.isError
    }
    const [first, second] = ['192.0.2.1', '198.51.100.1']
    expect([await isError(first), await isError(first), await isError(second)]).toEqual([
      undefined,
      true,
      undefined,
    ])
  })

  it('counts each round of a call that asks', async () => {
    const app = openLimitedApp()
    const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } }
    const first = await app.modern('tools/call', { name: 'asks' }, { meta })
    const { requestState } = first.body.result
    const inputResponses = { sure: { action: 'decline' } }
    const round = () =>
      app.modern('tools/call', { name: 'asks', requestState, inputResponses }, { meta })
    const second = await round()
    expect(second.body.result.content).toEqual([{ type: 'text', text: 'decline' }])
    expect((await round()).body.result.isError).toBe(true)
  })

  it('counts a call in a session once, and not again when its question is answered', async () => {
    const app = openLimitedApp({ classes: { costly: { limit: 1 } } })
    const session = await openSession(app)
    const stream = await session.streamTool('asks')
    await session.answer(await stream.message(), { action: 'decline' })
    const { result } = await stream.message()
    expect(result).toEqual({ content: [{ type: 'text', text: 'decline' }] })
    const second = await (await session.callTool('echo')).json()
    expect(second).toMatchObject({ result: { isError: true } })
  })

  it('does not disclose a tool that the caller does not see', async () => {
    const app = openLimitedApp({ classes: { costly: { limit: 1 } } })
    for (let count = 0; count < 3; count++) {
      const hidden = await app.modern('tools/call', { name: 'hidden' })
      expect([hidden.status, hidden.body.error.code]).toEqual([200, -32602])
    }
    expect((await app.modern('tools/call', { name: 'echo' })).status).toBe(200)
  })

  it('is not counted by requests that name the tool in another method or in no valid call', async () => {
    const app = openLimitedApp({ classes: { costly: { limit: 1 } } })
    await app.modern('prompts/get', { name: 'echo' })
    await app.post(
      { jsonrpc: '2.0', method: 'tools/call', params: { name: 'echo' } },
      { 'mcp-protocol-version': MODERN },
    )
    await app.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: ['echo'] } })
    expect((await app.modern('tools/call', { name: 'echo' })).status).toBe(200)
  })

  it('does not exist when the owner lifts the class or all limits', async () => {
    for (const rateLimits of [false, { classes: { costly: false } }] as const) {
      const app = openLimitedApp(rateLimits)
      for (let count = 0; count < 5; count++) {
        expect((await app.modern('tools/call', { name: 'echo' })).status).toBe(200)
      }
    }
  })

  it('is not part of the description of the tool', async () => {
    const { body } = await openLimitedApp().modern('tools/list')
    expect(JSON.stringify(body)).not.toContain('limitClass')
  })
})

/** The refusal of a request by its network, which allows three in a minute. */
const OVER_NETWORK = {
  code: -32600,
  message: 'Too many requests. Retry after 20 seconds [rate-limited]',
  data: { retryAfterSeconds: 20 },
}

describe('a batch', () => {
  const HEADERS = { 'mcp-protocol-version': '2025-03-26', ...from('192.0.2.1') }

  it('counts each of its requests for the network, and refuses those above the limit', async () => {
    const app = openLimitedApp({ classes: { costly: false, network: { limit: 3 } } })
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
    const batch = [
      notification,
      call('free', 1),
      PING,
      notification,
      call('free', 3),
      call('free', 4),
    ]
    const response = await app.post(batch, HEADERS)
    const answers = await response.json<{ id: number; error?: object }[]>()
    expect(answers.map(({ id, error }) => [id, error])).toEqual([
      [1, undefined],
      [2, undefined],
      [3, undefined],
      [4, OVER_NETWORK],
    ])
    expect(limitClassesOf(app)).toEqual(['network'])
    const next = await app.post(batch, HEADERS)
    expect(next.status).toBe(429)
  })
})
