import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { createEdgeway, ToolError } from '../../../src/index.ts'
import { kill } from '../../durable-objects/session/lifetime.ts'
import { as, run } from '../../durable-objects/state/run.ts'
import { TaskClient } from '../../durable-objects/task/task-client.ts'
import { accept } from '../../support/accept.ts'
import { type FullContext, FullServer } from '../../support/full-server.ts'
import { CAN_ALL, openSession, textOf } from '../../support/session-client.ts'
import { keepHandler } from '../../support/session-server.ts'
import { taskServer } from '../../support/task-server.ts'
import { connectApp, openApp } from '../../support/test-app.ts'
import { bucket, clientOf, PLACES, pattern, storeFile, streamOf } from './storage.ts'

const read = async (client: TaskClient, uri: string) => {
  const { body } = await client.send('resources/read', { uri })
  return body.result?.contents?.[0] ?? body.error
}

const MEBIBYTE = 1024 * 1024

describe.each(PLACES)('a file in the %s', (place) => {
  it.each([
    ['text', 'héllo\u2028', 'text/plain', { text: 'héllo\u2028' }],
    [
      'an ArrayBuffer',
      new Uint8Array([0, 255]).buffer,
      'application/octet-stream',
      { blob: 'AP8=' },
    ],
    [
      'a part of a buffer',
      new Uint8Array([9, 0, 255, 9]).subarray(1, 3),
      'application/octet-stream',
      { blob: 'AP8=' },
    ],
    ['a Blob', new Blob(['a,b'], { type: 'text/csv' }), 'text/csv', { text: 'a,b' }],
    ['a stream', new Blob(['{}']).stream(), 'application/octet-stream', { blob: 'e30=' }],
    ['nothing', '', 'text/plain', { text: '' }],
  ] as const)('of %s is read with resources/read', async (_, data, mimeType, contents) => {
    const file = await storeFile(place, 'a.bin', data)
    expect(file).toMatchObject({ type: 'resource_link', name: 'a.bin', mimeType })
    expect(await read(clientOf(place), file.uri)).toEqual({ uri: file.uri, mimeType, ...contents })
  })

  it.each([1, MEBIBYTE - 1, MEBIBYTE, MEBIBYTE + 1, 8 * MEBIBYTE, 8 * MEBIBYTE + 1])(
    'has all of %d streamed bytes',
    async (size) => {
      const file = await storeFile(place, 'a.bin', streamOf(size))
      expect(file.size).toBe(size)
      const bytes = await file.bytes()
      expect(bytes.byteLength).toBe(size)
      const end = Math.max(0, size - 300)
      expect(bytes.subarray(end)).toEqual(pattern(end, size - end))
    },
  )

  it('is one resource link in the result of its tool', async () => {
    const { body } = await clientOf(place).call('plain', (ctx) =>
      ctx.file('a.csv', 'a', { mimeType: 'text/csv', title: 'A', description: 'An a' }),
    )
    expect(body.result.content).toEqual([
      {
        type: 'resource_link',
        uri: expect.stringMatching(/^edgeway-file:[\w.-]{60,400}$/),
        name: 'a.csv',
        title: 'A',
        description: 'An a',
        mimeType: 'text/csv',
        size: 1,
      },
    ])
  })

  it('accepts as many bytes as its limit, and refuses one more', async () => {
    const featureLimits = { files: { bytes: 1000 } }
    const server = new FullServer({ name: 'bounds', version: '1.0.0' })
    const inputSchema = z.object({ size: z.number(), streamed: z.boolean() })
    server.registerTool('store', { inputSchema, files: true }, ({ size, streamed }, ctx) =>
      ctx.file('a', streamed ? streamOf(size, 300) : new Uint8Array(size)),
    )
    const bindings = place === 'bucket' ? env : { ...env, MCP_FILES: undefined }
    const app = openApp(server, { featureLimits }, bindings as never)
    const store = async (size: number, streamed: boolean) =>
      (await app.modern('tools/call', { name: 'store', arguments: { size, streamed } })).body.result
    expect((await store(1000, false)).content[0].size).toBe(1000)
    expect((await store(1000, true)).content[0].size).toBe(1000)
    for (const streamed of [false, true]) {
      const { isError, content } = await store(1001, streamed)
      expect([isError, content[0].text]).toEqual([
        true,
        expect.stringContaining('more than 1000 bytes'),
      ])
    }
  })
})

describe('a file', () => {
  it('is not found by another principal, altered, or as another seal', async () => {
    const file = await run((ctx) => ctx.file('a', 'secret'), as('file-owner'))
    const url = await file.url()
    const missing = {
      code: -32602,
      message: 'Resource not found',
      data: { uri: expect.any(String) },
    }
    expect((await read(as('file-owner'), file.uri)).text).toBe('secret')
    expect(await read(as('another'), file.uri)).toEqual(missing)
    expect(await read(new TaskClient(), file.uri)).toEqual(missing)
    const [, seal = ''] = file.uri.split(':')
    const secret = url.slice(url.lastIndexOf('/') + 1)
    const positions = seal.split('').map((_, index) => index)
    const altered = positions
      .filter((index) => index % 7 === 0 || index < 6 || index > seal.length - 4)
      .map(
        (index) => seal.slice(0, index) + (seal[index] === 'A' ? 'B' : 'A') + seal.slice(index + 1),
      )
      .filter((text) => text !== seal)
    for (const text of [...altered, secret, '', 'x'.repeat(5000)]) {
      const found = await read(as('file-owner'), `edgeway-file:${text}`)
      expect([text, found.text]).toEqual([text, undefined])
    }
  })

  it('expires, and its URL with it', async () => {
    const file = await run((ctx) => ctx.file('a', 'a', { ttlMs: 50 }))
    const url = await file.url()
    const client = new TaskClient()
    await vi.waitFor(async () =>
      expect((await read(client, file.uri)).message).toBe('Resource not found'),
    )
    expect((await client.app.fetch(new Request(url))).status).toBe(410)
    await expect(file.bytes()).rejects.toThrow('does not exist any more')
  })

  it.each([
    ['files({ ttlMs })', 3_600_000, 3_600_000],
    ['89 days, for which the keys of its URI are kept', 400 * 86_400_000, 89 * 86_400_000],
  ])('lives at most %s, also when its tool asks for longer', async (_, ttlMs, longest) => {
    const app = openApp(taskServer, { featureLimits: { files: { ttlMs } } }, env)
    const before = Date.now()
    const store = (ctx: FullContext) => ctx.file('a', 'a', { ttlMs: 400 * 86_400_000 })
    const { expiresAt } = await run(store, new TaskClient(app))
    expect(expiresAt).toBeGreaterThanOrEqual(before + longest)
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + longest)
  })

  it.each([
    ['a path', '../etc/passwd'],
    ['a path of Windows', 'C:\\a.txt'],
    ['line breaks', 'a\r\nset-cookie: a.txt'],
    ['a direction character', 'gpj\u202eexe.txt'],
    ['256 bytes', 'é'.repeat(128)],
    ['an unpaired surrogate', 'a\ud800.txt'],
    ['a dot at its end', 'a.txt.'],
    ['nothing', ''],
  ])('refuses a name with %s, and says which one is valid', async (_, name) => {
    const failure = await run((ctx) => ctx.file(name, 'a').catch((error: unknown) => error))
    expect(failure).toBeInstanceOf(ToolError)
    expect(failure).toMatchObject({
      reason: 'invalid-name',
      message: expect.stringContaining('such as "'),
    })
  })

  it.each([
    'a "quoted".txt',
    "it's.txt",
    '👩‍👩‍👧 family.txt',
    `${'x'.repeat(251)}.txt`,
    'a;b=c%20.txt',
  ])('has the name %s', async (name) => {
    expect((await run((ctx) => ctx.file(name, 'a'))).name).toBe(name)
  })

  it.each([
    '',
    'text',
    'text/',
    'text/html\r\nx: y',
    'text/html; a',
    'a/b c',
    `a/${'b'.repeat(300)}`,
  ])('refuses the media type %j', async (mimeType) => {
    const failure = await run((ctx) => ctx.file('a', 'a', { mimeType }).catch((e: unknown) => e))
    expect(failure).toBeInstanceOf(TypeError)
  })

  it('needs the feature files() of the app', async () => {
    const declared = new FullServer({ name: 'declared', version: '1.0.0' })
    declared.registerTool('store', { files: true }, (ctx) => ctx.file('a', 'a'))
    expect(() => createEdgeway(declared)).toThrow(
      new TypeError('Tool "store" with files: true needs features: [files()]'),
    )
  })

  it.each(['/files/x', '/uploads/x'])('has no URL %s without the feature files()', async (path) => {
    const plain = createEdgeway(new FullServer({ name: 'plain', version: '1.0.0' }))
    const request = new Request(`http://localhost:8787${path}`)
    const response = await plain.fetch(request, env, createExecutionContext())
    expect(await response.json()).toMatchObject({ error: 'not_found' })
  })

  it.each([
    ['page', (ctx: FullContext) => ctx.page('a')],
    ['upload', (ctx: FullContext) => ctx.upload({ message: 'a' })],
  ])('needs the feature files() for ctx.%s', async (name, use) => {
    const errors: unknown[] = []
    const server = new FullServer({ name: 'undeclared', version: '1.0.0' })
    server.registerTool('use', {}, async (ctx) => JSON.stringify(await use(ctx)))
    const app = connectApp(createEdgeway(server, { telemetry: (event) => errors.push(event) }), env)
    expect((await app.modern('tools/call', { name: 'use' })).body.result.isError).toBe(true)
    expect(errors).toMatchObject([
      {
        error: new TypeError(
          `ctx.${name} needs files(): add it to uses of createServer, or to features`,
        ),
      },
    ])
  })

  it('needs a tool that declares files', async () => {
    const server = new FullServer({ name: 'undeclared', version: '1.0.0' })
    server.registerTool('store', {}, (ctx) => ctx.file('a', 'a'))
    const app = openApp(server, {}, env as never)
    expect((await app.modern('tools/call', { name: 'store' })).body.result.isError).toBe(true)
    expect(app.events).toMatchObject([
      { error: new TypeError('ctx.file needs files: true in the config of its tool') },
    ])
  })

  it('is counted: the caller has at most files({ perPrincipal, bytesPerPrincipal })', async () => {
    const server = new FullServer({ name: 'counted', version: '1.0.0' })
    const inputSchema = z.object({ size: z.number() })
    server.registerTool('store', { inputSchema, files: true }, ({ size }, ctx) =>
      ctx.file('a', new Uint8Array(size)),
    )
    const featureLimits = { files: { perPrincipal: 3, bytesPerPrincipal: 100 } }
    const app = openApp(server, { featureLimits }, env as never)
    // Anonymous callers are counted by network.
    const headers = { 'cf-connecting-ip': '203.0.113.77' }
    const store = async (size: number) =>
      (await app.modern('tools/call', { name: 'store', arguments: { size } }, { headers })).body
        .result
    expect((await store(60)).isError).toBeUndefined()
    expect((await store(41)).content[0].text).toMatch(/more than 100 bytes/)
    expect((await store(40)).isError).toBeUndefined()
    expect((await store(0)).isError).toBeUndefined()
    expect((await store(0)).content[0].text).toMatch(/as many files as it may have/)
  })
})

describe('a file of a handler that runs again', () => {
  const ask = { key: 'go', message: 'Go on?', schema: z.object({ ok: z.boolean() }) }

  it('is the file of its first run, and a stream of the second one is cancelled', async () => {
    const uris: string[] = []
    let cancelled = 0
    const client = new TaskClient()
    const script = keepHandler(async (ctx) => {
      const isFirst = uris.length === 0
      const open = new ReadableStream<Uint8Array>({
        start: (controller) => {
          controller.enqueue(new Uint8Array(10))
          if (isFirst) controller.close()
        },
        cancel: () => {
          cancelled += 1
        },
      })
      const file = await ctx.file('a', open)
      uris.push(file.uri)
      await ctx.elicit(ask)
      return file
    })
    const call = (round: object = {}) =>
      client.send('tools/call', { name: 'plain', arguments: script, ...round })
    const { requestState } = (await call()).body.result
    const { body } = await call({ requestState, inputResponses: { go: accept({ ok: true }) } })
    expect(body.result.content[0]).toMatchObject({ uri: uris[0], size: 10 })
    expect(uris[1]).toBe(uris[0])
    expect(cancelled).toBe(1)
  })

  it('in a session is stored once, also after a kill of the session object', async () => {
    const keys = async () => (await bucket.list()).objects.map(({ key }) => key)
    const before = new Set(await keys())
    const session = await openSession({ capabilities: CAN_ALL })
    const stream = await session.stream(async (ctx) => {
      const file = await ctx.file('once.txt', 'once')
      await ctx.elicit(ask)
      return `${file.uri} ${await file.text()}`
    })
    const question = await stream.message()
    if (question === undefined) throw new Error('The handler did not ask')
    await kill(session)
    await session.answer(question, accept({ ok: true }))
    const answered = await stream.message()
    expect(answered && textOf(answered)).toMatch(/^edgeway-file:\S+ once$/)
    expect((await keys()).filter((key) => !before.has(key))).toHaveLength(1)
  })
})

describe('resources/read of a file that is larger than a result', () => {
  it.each(['text/plain', 'application/zip'])(
    'of %s is an error with a URL that downloads it',
    async (mimeType) => {
      const server = new FullServer({ name: 'large', version: '1.0.0' })
      server.registerTool('store', { files: true }, (ctx) =>
        ctx.file('a', 'x'.repeat(20_000), { mimeType }),
      )
      const app = openApp(server, { limits: { resultBytes: 20_000 } }, env as never)
      const stored = await app.modern('tools/call', { name: 'store' })
      const { uri } = stored.body.result.content[0]
      const { body } = await app.modern('resources/read', { uri })
      expect(body.error).toMatchObject({
        code: -32603,
        message: expect.stringContaining('too large for a result'),
      })
      const response = await app.fetch(new Request(body.error.data.url))
      expect((await response.text()).length).toBe(20_000)
    },
  )

  it('of text whose escapes make it too long is the same error', async () => {
    const server = new FullServer({ name: 'escaped', version: '1.0.0' })
    server.registerTool('store', { files: true }, (ctx) => ctx.file('a', '\u0001'.repeat(9000)))
    const app = openApp(server, { limits: { resultBytes: 20_000 } }, env as never)
    const { uri } = (await app.modern('tools/call', { name: 'store' })).body.result.content[0]
    expect((await app.modern('resources/read', { uri })).body.error.data.url).toMatch(/\/files\//)
  })
})

describe('a server without files', () => {
  it('declares no resources', async () => {
    const server = new FullServer({ name: 'none', version: '1.0.0' })
    server.registerTool('a', {}, () => 'a')
    const { body } = await openApp(server).modern('server/discover')
    expect(body.result.capabilities.resources).toBeUndefined()
  })

  it('declares resources when a tool has files', async () => {
    const server = new FullServer({ name: 'some', version: '1.0.0' })
    server.registerTool('a', { files: true }, () => 'a')
    const { body } = await openApp(server).modern('server/discover')
    expect(body.result.capabilities.resources).toEqual({})
    expect((await openApp(server).modern('resources/list')).body.result.resources).toEqual([])
  })
})
