import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type CallToolResult, jsonSchema, McpServer, ToolError } from '../../src/index.ts'
import { openApp } from '../support/test-app.ts'
import { verifies } from '../support/verifies.ts'

const CANARY = 'canary-4711'
const REFERENCE = /\(reference [0-9a-f]{8}\)\.$/
const cycle: Record<string, unknown> = {}
cycle.self = cycle

function serve(handler: () => unknown, outputSchema?: z.ZodType) {
  const server = new McpServer({ name: 's', version: '1' })
  server.registerTool('t', outputSchema === undefined ? {} : { outputSchema }, handler as never)
  server.registerTool('next', {}, () => 'served')
  server.registerPrompt('t', {}, handler as never)
  server.registerResource('t', 't://t', { mimeType: 'text/plain' }, handler as never)
  const app = openApp(server, { limits: { handlerTimeoutMs: 50 } })
  return {
    app,
    call: async (name = 't', accept?: string) => {
      const headers: Record<string, string> = accept === undefined ? {} : { accept }
      return (await app.modern('tools/call', { name }, { headers })).body.result as CallToolResult
    },
  }
}

const text = (result: CallToolResult) => (result.content[0] as { text: string }).text

describe('a handler that throws an error', () => {
  const THROWN: readonly [string, unknown][] = [
    ['an Error', new Error(CANARY)],
    ['a TypeError', new TypeError(CANARY)],
    ['an Error with a cause', new Error('x', { cause: new Error(CANARY) })],
    ['undefined', undefined],
    ['null', null],
    ['a string', CANARY],
    ['a cycle', cycle],
    [
      'an object that cannot be shown',
      {
        toString: () => {
          throw new Error(CANARY)
        },
      },
    ],
    ['a frozen error', Object.freeze(new Error(CANARY))],
  ]
  it.each(THROWN)('does not disclose %s to the client', async (_, thrown) => {
    verifies('tools/outputs-are-sanitized', 'logging/no-secrets-in-messages')
    const { app, call } = serve(() => {
      throw thrown
    })
    const result = await call()
    expect(result.isError).toBe(true)
    expect(text(result)).toMatch(/^Tool t failed/)
    expect(text(result)).toMatch(REFERENCE)
    expect(JSON.stringify(result)).not.toContain(CANARY)
    expect(app.events).toMatchObject([{ type: 'handler-error', subject: 'Tool t', error: thrown }])
    const prompt = await app.modern('prompts/get', { name: 't' })
    expect([prompt.status, prompt.body.error.code]).toEqual([200, -32603])
    expect(JSON.stringify(prompt.body)).not.toContain(CANARY)
    const resource = await app.modern('resources/read', { uri: 't://t' })
    expect([resource.status, resource.body.error.code]).toEqual([200, -32603])
    expect(JSON.stringify(resource.body)).not.toContain(CANARY)
    expect(text(await call('next'))).toBe('served')
  })

  it('sends the message of a ToolError to the client', async () => {
    const { app, call } = serve(async () => {
      throw new ToolError('The disk is full')
    })
    expect(await call()).toMatchObject({ content: [{ text: 'The disk is full' }], isError: true })
    expect((await app.modern('prompts/get', { name: 't' })).body.error.message).toBe(
      'The disk is full',
    )
    expect(app.events).toEqual([])
  })
})

describe('a handler that returns an invalid result', () => {
  const wrong: readonly [string, unknown, z.ZodType?][] = [
    ['undefined', undefined],
    ['null', null],
    ['a number', 5],
    ['a bigint', 5n],
    ['a cycle', cycle],
    ['a block without a type', [{ text: 'x' }]],
    ['a block of an unknown type', [{ type: 'video', data: 'x' }]],
    ['a text block without text', { content: [{ type: 'text' }] }],
    ['an image without a type', [{ type: 'image', data: 'x' }]],
    ['a resource with neither text nor blob', [{ type: 'resource', resource: { uri: 'a://b' } }]],
    ['content that is a string', { content: 'x' }],
    ['content that is a string beside a value', { content: 'x', structuredContent: 1 }, z.any()],
    ['isError that is a string', { content: [], isError: 'no' }],
    ['a block of the prototype', [{ type: 'constructor' }]],
    ['a value that does not fit', { sum: 'x' }, z.object({ sum: z.number() })],
    ['no value', undefined, z.object({ sum: z.number() })],
    [
      'a whole result whose value does not fit',
      { content: [], structuredContent: {} },
      z.object({ sum: z.number() }),
    ],
    ['a cycle inside a value', { any: cycle }, z.object({ any: z.any() })],
    ['a bigint inside a value', { any: 1n }, z.object({ any: z.any() })],
    ['a value that is nothing', undefined, z.any()],
    ['a meta that is text', { content: [], _meta: 'x' }],
  ]
  it.each(wrong)(
    'answers with an error result when the handler returns %s',
    async (_, value, outputSchema) => {
      verifies('prompts/image-content', { row: 'an image without a type' })
      verifies('prompts/embedded-resource', { row: 'a resource with neither text nor blob' })
      verifies('tools/structured-content-conforms', { row: 'a value that does not fit' })
      const { app, call } = serve(() => value, outputSchema)
      const result = await call()
      expect(result.isError).toBe(true)
      expect(text(result)).toMatch(REFERENCE)
      expect(result.structuredContent).toBeUndefined()
      expect(app.events).toHaveLength(1)
      expect(text(await call('next'))).toBe('served')
    },
  )
})

describe('the return value of a tool handler', () => {
  const block = { type: 'text' as const, text: 'a' }
  const right: readonly [string, unknown, z.ZodType | undefined, object][] = [
    ['text', 'a', undefined, { content: [block] }],
    ['empty text', '', undefined, { content: [{ type: 'text', text: '' }] }],
    ['a block', block, undefined, { content: [block] }],
    ['blocks', [block, block], undefined, { content: [block, block] }],
    ['no blocks', [], undefined, { content: [] }],
    [
      'a result',
      { content: [block], isError: true },
      undefined,
      { content: [block], isError: true },
    ],
    [
      'a value',
      { n: 1, extra: 2 },
      z.object({ n: z.number() }),
      { content: [{ type: 'text', text: '{"n":1}' }], structuredContent: { n: 1 } },
    ],
    [
      'a list',
      [1, 2],
      z.array(z.number()),
      { content: [{ type: 'text', text: '[1,2]' }], structuredContent: [1, 2] },
    ],
    [
      'null',
      null,
      z.null(),
      { content: [{ type: 'text', text: 'null' }], structuredContent: null },
    ],
    [
      'text that is the value',
      'a',
      z.string(),
      { content: [{ type: 'text', text: '"a"' }], structuredContent: 'a' },
    ],
    [
      'text instead of a value',
      'Not today.',
      z.object({ n: z.number() }),
      { content: [{ type: 'text', text: 'Not today.' }], isError: true },
    ],
    [
      'a whole result',
      { content: [block], structuredContent: { n: 1 } },
      z.object({ n: z.number() }),
      { content: [block], structuredContent: { n: 1 } },
    ],
    [
      'a value alone in a result',
      { structuredContent: { n: 1 } },
      z.object({ n: z.number() }),
      { content: [{ type: 'text', text: '{"n":1}' }], structuredContent: { n: 1 } },
    ],
    [
      'structured content alone, without a schema',
      { content: [], structuredContent: { n: 1 } },
      undefined,
      { content: [{ type: 'text', text: '{"n":1}' }], structuredContent: { n: 1 } },
    ],
    [
      'an error with structured content alone',
      { content: [], structuredContent: { n: 1 }, isError: true },
      z.object({ n: z.number() }),
      { content: [{ type: 'text', text: '{"n":1}' }], structuredContent: { n: 1 }, isError: true },
    ],
    [
      'an error without a value',
      { content: [block], isError: true },
      z.object({ n: z.number() }),
      { content: [block], isError: true },
    ],
    [
      'a value with content in it',
      { content: 'x' },
      z.object({ content: z.string() }),
      { content: [{ type: 'text', text: '{"content":"x"}' }], structuredContent: { content: 'x' } },
    ],
  ]
  it.each(right)('converts and sends %s', async (_, value, outputSchema, expected) => {
    verifies('base-protocol/result-response-has-a-result', 'base-protocol/result-has-a-result-type')
    const { call } = serve(async () => value, outputSchema)
    const { resultType, _meta, ...result } = (await call()) as CallToolResult & {
      resultType: string
    }
    expect(resultType).toBe('complete')
    expect(result).toEqual(expected)
  })

  it('sends only the members that the protocol defines for a result', async () => {
    verifies('tools/outputs-are-sanitized')
    const { call } = serve(() => ({
      content: [],
      resultType: 'input_required',
      ttlMs: 1,
      extra: 1,
    }))
    const { _meta, ...result } = (await call()) as CallToolResult & object
    expect(result).toEqual({ content: [], resultType: 'complete' })
  })

  it('validates a value in the form in which it is sent', async () => {
    verifies('tools/structured-content-conforms')
    const server = new McpServer({ name: 's', version: '1' })
    const number = { type: 'object', properties: { v: { type: 'number' } } } as const
    server.registerTool('nan', { outputSchema: jsonSchema(number) }, () => ({ v: Number.NaN }))
    server.registerTool('date', { outputSchema: jsonSchema({ type: 'object' }) }, () => ({
      v: new Date(0),
    }))
    server.registerTool('text', { outputSchema: jsonSchema({ type: 'object' }) }, () => ({
      toJSON: () => 'x',
    }))
    server.registerTool(
      'gone',
      { outputSchema: jsonSchema({ ...number, required: ['v'] }) },
      () => ({
        v: undefined,
      }),
    )
    const app = openApp(server)
    const call = async (name: string) => (await app.modern('tools/call', { name })).body.result
    expect((await call('nan')).isError).toBe(true)
    expect((await call('text')).isError).toBe(true)
    expect((await call('gone')).isError).toBe(true)
    expect((await call('date')).structuredContent).toEqual({ v: '1970-01-01T00:00:00.000Z' })
    expect(app.events.map(({ type }) => type)).toEqual(['bad-result', 'bad-result', 'bad-result'])
  })

  it('sends the _meta of the author together with the server info', async () => {
    const { call } = serve(() => ({ content: [], _meta: { 'com.example/x': 1 } }))
    expect((await call())._meta).toEqual({
      'com.example/x': 1,
      'io.modelcontextprotocol/serverInfo': { name: 's', version: '1' },
    })
  })
})

describe('a handler that never settles', () => {
  it('is stopped by its timeout, and the client is informed', async () => {
    verifies('cancellation/no-other-cancellation-by-the-server')
    let reason: unknown
    const server = new McpServer({ name: 's', version: '1' })
    server.registerTool('never', { timeoutMs: 30 }, (ctx) => {
      ctx.signal.addEventListener('abort', () => {
        reason = ctx.signal.reason
      })
      return new Promise<string>(() => undefined)
    })
    const app = openApp(server)
    const { body } = await app.modern(
      'tools/call',
      { name: 'never' },
      { headers: { accept: 'application/json' } },
    )
    expect(body.result).toMatchObject({
      content: [
        {
          text: 'Tool never exceeded its timeout and was stopped. Check what it has done before you repeat it.',
        },
      ],
      isError: true,
    })
    expect(reason).toMatchObject({ name: 'TimeoutError' })
    expect(app.events.at(-1)).toEqual({
      type: 'cancelled',
      method: 'tools/call',
      reason: 'timeout',
    })
  })

  it('is stopped with the same message when it observes its signal', async () => {
    const server = new McpServer({ name: 's', version: '1' })
    server.registerTool(
      'listens',
      { timeoutMs: 30 },
      (ctx) =>
        new Promise<string>((_, reject) => {
          ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason))
        }),
    )
    const app = openApp(server)
    const { body } = await app.modern(
      'tools/call',
      { name: 'listens' },
      { headers: { accept: 'application/json' } },
    )
    expect(body.result.content[0].text).toBe(
      'Tool listens exceeded its timeout and was stopped. Check what it has done before you repeat it.',
    )
    expect(app.events.at(-1)).toMatchObject({ type: 'cancelled', reason: 'timeout' })
  })

  it('is stopped when it returns a thenable that is not a promise', async () => {
    const server = new McpServer({ name: 's', version: '1' })
    // biome-ignore lint/suspicious/noThenProperty: an RPC to a Durable Object returns such a thenable
    const thenable = { then: () => undefined }
    server.registerTool('thenable', { timeoutMs: 30 }, () => thenable as never)
    const { body } = await openApp(server).modern(
      'tools/call',
      { name: 'thenable' },
      { headers: { accept: 'application/json' } },
    )
    expect(body.result.content[0].text).toBe(
      'Tool thenable exceeded its timeout and was stopped. Check what it has done before you repeat it.',
    )
  })

  it('is stopped in prompts and resources by the limit handlerTimeoutMs', async () => {
    const { app } = serve(() => new Promise(() => undefined))
    const headers = { accept: 'application/json' }
    const prompt = await app.modern('prompts/get', { name: 't' }, { headers })
    expect(prompt.body.error).toEqual({
      code: -32603,
      message: 'Prompt t exceeded its timeout and was stopped.',
    })
    const resource = await app.modern('resources/read', { uri: 't://t' }, { headers })
    expect(resource.body.error.code).toBe(-32603)
  })
})

describe('the handler context', () => {
  it('copies the headers of the request once', async () => {
    const server = new McpServer({ name: 's', version: '1' })
    server.registerTool('t', {}, ({ request }) => {
      const { headers } = request
      return String(headers === request.headers)
    })
    for (const era of ['modern', 'session'] as const) {
      const { body } = await openApp(server)[era]('tools/call', { name: 't' })
      expect(body.result.content[0].text).toBe('true')
    }
  })

  it('describes the call to the handler and can be destructured', async () => {
    verifies('meta/trace-context-format')
    const server = new McpServer<{ KEY: string }>({ name: 's', version: '1' })
    server.registerTool('t', {}, ({ auth, client, request, env, signal }) =>
      JSON.stringify({
        auth: auth ?? null,
        client,
        id: request.id,
        method: request.method,
        header: request.headers.get('x-probe'),
        trace: request.trace,
        key: env.KEY,
        aborted: signal.aborted,
      }),
    )
    const app = openApp(server, {}, { KEY: 'k' })
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01'
    const { body } = await app.modern(
      'tools/call',
      { name: 't' },
      { id: 'x', headers: { 'x-probe': 'p' }, meta: { traceparent, tracestate: 'a=b' } },
    )
    expect(JSON.parse(body.result.content[0].text)).toEqual({
      auth: null,
      client: {
        info: { name: 'test', version: '1.0.0' },
        capabilities: {},
        protocolVersion: '2026-07-28',
        showsViews: false,
        era: 'modern',
      },
      id: 'x',
      method: 'tools/call',
      header: 'p',
      trace: { traceparent, tracestate: 'a=b' },
      key: 'k',
      aborted: false,
    })
  })

  const traceparentOf = async (traceparent: unknown) => {
    const server = new McpServer({ name: 's', version: '1' })
    server.registerTool('t', {}, ({ request }) => String(request.trace?.traceparent))
    const { body } = await openApp(server).modern(
      'tools/call',
      { name: 't' },
      { meta: { traceparent } },
    )
    return body.result.content[0].text
  }

  it.each([
    '',
    '00-0-0-0',
    'x'.repeat(100_000),
    5,
    null,
    'ff-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01',
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`,
  ])('has no trace from %j', async (traceparent) => {
    verifies('meta/reserved-keys-are-not-assumed', 'meta/trace-context-format')
    expect(await traceparentOf(traceparent)).toBe('undefined')
  })

  it('has the trace of a later version of the format, which may have further fields', async () => {
    verifies('meta/trace-context-format')
    const traceparent = '01-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01-more'
    expect(await traceparentOf(traceparent)).toBe(traceparent)
  })

  it('drops progress that does not increase and rejects values that are not numbers', async () => {
    verifies('progress/progress-increases')
    const server = new McpServer({ name: 's', version: '1' })
    server.registerTool('t', {}, async ({ progress }) => {
      for (const value of [1, 1, 0.5, 2, -1]) await progress(value)
      await expect(progress(Number.NaN)).rejects.toThrow(TypeError)
      await expect(progress(3, Number.POSITIVE_INFINITY)).rejects.toThrow(TypeError)
      return 'done'
    })
    const { body } = await openApp(server).modern(
      'tools/call',
      { name: 't' },
      { meta: { progressToken: 0 } },
    )
    expect(body.match(/"progress":[\d.]+/g)).toEqual(['"progress":1', '"progress":2'])
    expect(body).toContain('"progressToken":0')
  })

  it('sends no notification after the answer', async () => {
    verifies('progress/progress-ends-with-the-request')
    let late: Promise<void> | undefined
    const server = new McpServer({ name: 's', version: '1' })
    server.registerTool('t', {}, async ({ progress }) => {
      await progress(1)
      late = new Promise((resolve) => setTimeout(resolve, 20)).then(() => progress(2))
      return 'done'
    })
    const { body } = await openApp(server).modern(
      'tools/call',
      { name: 't' },
      { meta: { progressToken: 't' } },
    )
    await late
    expect(body.match(/"progress":\d/g)).toEqual(['"progress":1'])
  })

  it('takes any value in waitUntil, as the platform does', async () => {
    const done: string[] = []
    // A query of some libraries has `then` alone, and runs when it is called.
    // biome-ignore lint/suspicious/noThenProperty: the query is a thenable that is no promise
    const query = { then: (resolve: (rows: number) => void) => resolve(done.push('query')) }
    const { call } = serve(((ctx: { waitUntil: (work: unknown) => void }) => {
      ctx.waitUntil(query)
      ctx.waitUntil(undefined)
      return 'x'
    }) as never)
    expect((await call()).isError).toBeUndefined()
    expect(done).toEqual(['query'])
  })
})
