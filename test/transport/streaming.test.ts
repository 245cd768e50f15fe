import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { McpServer } from '../../src/index.ts'
import { createSampleServer } from '../support/sample-server.ts'
import { parseMessages } from '../support/sse-parser.ts'
import { SseReader } from '../support/sse-reader.ts'
import { modernRequest, openApp, read } from '../support/test-app.ts'
import { verifies } from '../support/verifies.ts'

const app = openApp(createSampleServer(), { limits: { streamAfterMs: 100 } })
const INFO = { 'io.modelcontextprotocol/serverInfo': expect.anything() }
const call = (name: string, args: object, accept?: string, meta = {}) => {
  const { body, headers } = modernRequest('tools/call', { name, arguments: args }, { meta })
  return app.post(body, accept === undefined ? headers : { ...headers, accept })
}

describe('the answer of a modern call', () => {
  it('is JSON when the call is quick and sends no notification', async () => {
    verifies('progress/token-of-an-active-request', 'streamable-http/answer-is-json-or-a-stream')
    const response = await call('steps', { count: 3 })
    expect(response.headers.get('content-type')).toBe('application/json')
  })

  it('becomes a stream at the first notification: notifications in order, then the response', async () => {
    verifies('cancellation/no-other-cancellation-by-the-server')
    verifies('cancellation/server-cancels-subscriptions-only')
    verifies('progress/token-of-an-active-request', 'streamable-http/answer-is-json-or-a-stream')
    const response = await call('steps', { count: 2 }, undefined, {
      progressToken: 't',
      'io.modelcontextprotocol/logLevel': 'debug',
    })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    const text = await response.text()
    expect(text.startsWith(': open\n\nevent: message\ndata: {')).toBe(true)
    expect(parseMessages(text)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 't', progress: 1, total: 2, message: 'step 1' },
      },
      {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 't', progress: 2, total: 2, message: 'step 2' },
      },
      {
        jsonrpc: '2.0',
        method: 'notifications/message',
        params: { level: 'info', data: { at: 'end' }, logger: 'steps' },
      },
      {
        jsonrpc: '2.0',
        id: 1,
        result: { content: [{ type: 'text', text: 'done' }], resultType: 'complete', _meta: INFO },
      },
    ])
  })

  it('becomes a stream when the call takes longer than streamAfterMs', async () => {
    const response = await call('wait', { ms: 300 })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(parseMessages(await response.text())).toHaveLength(1)
  })

  it('stays JSON for a slow call when Accept does not name event streams', async () => {
    for (const accept of ['application/json', '*/*', '']) {
      const { headers, body } = await read(
        await call('wait', { ms: 150 }, accept, { progressToken: 1 }),
      )
      expect(headers.get('content-type')).toBe('application/json')
      expect(body.result.content).toEqual([{ type: 'text', text: 'done' }])
    }
  })

  it('is a stream for a quick call when Accept names only event streams', async () => {
    const response = await call('echo', { text: 'x' }, 'text/event-stream')
    expect(parseMessages(await response.text())).toMatchObject([
      { id: 1, result: { content: [{ text: 'x' }] } },
    ])
    const { body, headers } = modernRequest('tools/list')
    const list = await app.post(body, { ...headers, accept: 'text/event-stream' })
    expect(parseMessages(await list.text())).toMatchObject([
      { id: 1, result: { resultType: 'complete' } },
    ])
  })

  it('contains log messages at or above the requested level, and none without a level', async () => {
    verifies('logging/no-messages-without-a-level')
    const at = async (meta: object) => {
      const response = await call('steps', { count: 0 }, 'text/event-stream', meta)
      return parseMessages(await response.text()).length
    }
    expect(await at({})).toBe(1)
    expect(await at({ 'io.modelcontextprotocol/logLevel': 'warning' })).toBe(1)
    expect(await at({ 'io.modelcontextprotocol/logLevel': 'info' })).toBe(2)
  })

  it('ends with an error event when the call fails after the stream has opened', async () => {
    const server = new McpServer({ name: 's', version: '1' })
    server.registerPrompt('late', {}, async (ctx) => {
      await ctx.progress(1)
      throw new Error('secret')
    })
    const { body, headers } = modernRequest(
      'prompts/get',
      { name: 'late' },
      { meta: { progressToken: 1 } },
    )
    const response = await openApp(server).post(body, headers)
    expect(response.status).toBe(200)
    expect(parseMessages(await response.text()).at(-1)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32603,
        message: expect.stringMatching(/^Prompt late failed \(reference [0-9a-f]{8}\)\.$/),
      },
    })
  })

  it('encodes each event on one data line, including text with line breaks', async () => {
    const text = 'a\u2028b\u2029c\rd\ne\r\nf\0g\ud83d\ude00\ndata: x\nevent: y\n\n: z'
    const response = await call('echo', { text }, 'text/event-stream')
    const body = await response.text()
    expect(parseMessages(body)).toMatchObject([{ result: { content: [{ text }] } }])
    expect(body.split('\n')).toEqual([
      ': open',
      '',
      'event: message',
      expect.stringMatching(/^data: /),
      '',
      '',
    ])
  })
})

describe('an error before the stream opens', () => {
  it('has its own HTTP status for a client that accepts only event streams', async () => {
    const accept = 'text/event-stream'
    const server = new McpServer({ name: 's', version: '1' })
    server.registerTool('scoped', { scopes: ['a'] }, () => 'x')
    const scoped = await openApp(server).modern(
      'tools/call',
      { name: 'scoped' },
      { headers: { accept } },
    )
    expect([scoped.status, scoped.headers.get('content-type')]).toEqual([403, 'application/json'])
  })
})

describe('the stream of a slow call', () => {
  const limits = { keepAliveMs: 40, streamAfterMs: 10, writeStallMs: 100, sendBufferBytes: 2000 }

  it('sends keep-alive comments', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<string>()
    const server = new McpServer({ name: 's', version: '1' })
    server.registerTool('hold', {}, () => held)
    const { body, headers } = modernRequest('tools/call', { name: 'hold' })
    const stream = new SseReader(await openApp(server, { limits }).post(body, headers))
    for (let count = 0; count < 3; ) {
      if ((await stream.next())?.comment === 'keepalive') count += 1
    }
    release('done')
    expect(await stream.rest()).toHaveLength(1)
  })

  it('cancels the modern call when the client disconnects', async () => {
    verifies('cancellation/disconnect-is-cancellation')
    const { promise: cancelled, resolve } = Promise.withResolvers<unknown>()
    const server = new McpServer({ name: 's', version: '1' })
    server.registerTool('hang', {}, (ctx) => {
      ctx.signal.addEventListener('abort', () => resolve(ctx.signal.reason))
      return new Promise<string>(() => undefined)
    })
    const app = openApp(server, { limits })
    const { body, headers } = modernRequest('tools/call', { name: 'hang' })
    const response = await app.post(body, headers)
    await response.body?.cancel()
    expect(await cancelled).toMatchObject({ name: 'AbortError' })
    await expect
      .poll(() => app.events)
      .toContainEqual({
        type: 'cancelled',
        method: 'tools/call',
        reason: 'client-disconnected',
      })
  })

  it('cancels the call when the client stops reading', async () => {
    const { promise: cancelled, resolve } = Promise.withResolvers<unknown>()
    const server = new McpServer({ name: 's', version: '1' })
    server.registerTool('flood', { inputSchema: z.object({}) }, async (_, ctx) => {
      ctx.signal.addEventListener('abort', () => resolve(ctx.signal.reason))
      for (let step = 1; step <= 1000; step++) void ctx.progress(step, 1000, 'x'.repeat(100))
      return new Promise<string>(() => undefined)
    })
    const stalled = openApp(server, { limits })
    const { body, headers } = modernRequest(
      'tools/call',
      { name: 'flood' },
      { meta: { progressToken: 1 } },
    )
    const response = await stalled.post(body, headers)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(await cancelled).toMatchObject({ name: 'AbortError' })
  })

  it('is aborted when the client never reads the answer', async () => {
    const stalled = openApp(createSampleServer(), { limits })
    const { body, headers } = modernRequest('tools/call', {
      name: 'echo',
      arguments: { text: 'x'.repeat(100_000) },
    })
    const response = await stalled.post(body, { ...headers, accept: 'text/event-stream' })
    // The client reads nothing. On a busy machine timers are late, but run in their order: in each of these
    // times the stream looks at least once.
    for (let time = 0; time < 6; time++) await new Promise((resolve) => setTimeout(resolve, 100))
    await expect(response.text()).rejects.toThrow()
  })

  it('does not cancel the call in the session eras when the client disconnects', async () => {
    const { promise: finished, resolve } = Promise.withResolvers<boolean>()
    const server = new McpServer({ name: 's', version: '1' })
    server.registerTool('work', {}, async (ctx) => {
      await new Promise((wake) => setTimeout(wake, 150))
      resolve(ctx.signal.aborted)
      return 'done'
    })
    const app = openApp(server, { limits })
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'work' } }
    const response = await app.post(message, { 'mcp-protocol-version': '2025-11-25' })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    await response.body?.cancel()
    expect(await finished).toBe(false)
  })
})
