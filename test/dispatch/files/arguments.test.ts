/** Files that tools take: every way in, what is refused, and what clients see. */
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { file, files } from '../../../src/features/files/index.ts'
import { jsonSchema, McpServer } from '../../../src/index.ts'
import { sha256 } from '../../../src/platform/digest.ts'
import { connect } from '../../../src/testing/index.ts'
import { interceptOutbound } from '../../auth/server/support/outbound.ts'
import { kill } from '../../durable-objects/session/lifetime.ts'
import { MAX_TAKEN_BYTES } from '../../support/features/files.ts'
import { openSession, textOf } from '../../support/session-client.ts'
import { SseReader } from '../../support/sse-reader.ts'
import { openAuthorizedTaskApp, TASKS } from '../../support/task-server.ts'
import type { TestApp } from '../../support/test-app.ts'
import { clientOf, pattern, storeFile, streamOf } from './storage.ts'

const { app } = clientOf('bucket')

interface Caller {
  readonly capabilities?: object
  readonly to?: TestApp
  readonly subject?: string
}

/** A modern call; `round` has the answers of its asks. */
async function call(
  name: string,
  args: object,
  { capabilities = {}, to = app, subject }: Caller = {},
  round: object = {},
) {
  const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities }
  const headers = { authorization: subject === undefined ? null : `Bearer ${subject}` }
  const { body } = await to.modern(
    'tools/call',
    { name, arguments: args, ...round },
    { meta, headers },
  )
  return body.result ?? body.error
}

const take = (data: unknown, caller?: Caller) => call('take', { note: 'n', data }, caller)

const takeImage = async (image: unknown, caller?: Caller) => {
  const { content, isError = false } = await call('take_image', { image }, caller)
  return [isError, content[0].text]
}

const BYTES = new TextEncoder().encode('a,b\n1,2\n')
const DIGEST = async (bytes = BYTES) => (await sha256(bytes)).toHex()
const taken = async (name = 'list.csv', mimeType = 'text/csv', bytes = BYTES) =>
  JSON.stringify([name, mimeType, bytes.byteLength, await DIGEST(bytes), 'n'])

const DATA_URI = `data:text/csv;name=list.csv;base64,${BYTES.toBase64()}`
const REFERENCE = {
  download_url: 'https://files.example.com/f/123?sig=a%20b',
  file_id: 'file_1',
  mime_type: 'text/csv',
  file_name: 'list.csv',
}
const put = (url: string, init: RequestInit, to: TestApp = app) =>
  to.fetch(new Request(url, { method: 'PUT', ...init }))
const CSV = { body: BYTES, headers: { 'content-type': 'text/csv' } }

/** A call that ends with a ticket. */
async function ticketOf(caller?: Caller, tool = 'take', argument = 'data') {
  const result = await call(
    tool,
    tool === 'take' ? { note: 'n' } : { [argument]: 'upload' },
    caller,
  )
  const [upload] = result._meta['dev.edgeway/uploads']
  expect(upload.argument).toBe(argument)
  return { result, ...upload } as {
    // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the wire form
    readonly result: any
    readonly page: string
    readonly handle: string
    readonly expiresAt: number
  }
}

const BY_URL = { elicitation: { url: {} } }

/** The page of the URL that a call asks to open, and the call after the answer. */
async function askedBy(caller: Caller) {
  const first = await call('take', { note: 'n' }, caller)
  const [[key, { params }]] = Object.entries(first.inputRequests) as [
    [string, { params: { url: string; message: string } }],
  ]
  return {
    key,
    params,
    answer: (action = 'accept') =>
      call('take', { note: 'n' }, caller, {
        requestState: first.requestState,
        inputResponses: { [key]: { action } },
      }),
  }
}

describe('the list of tools has a file argument', () => {
  const listFor = async (capabilities: object) => {
    const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities }
    const { body } = await app.modern('tools/list', {}, { meta })
    const { tools, cacheScope } = body.result
    return { cacheScope, tool: tools.find(({ name }: { name: string }) => name === 'take_image') }
  }

  it('as an object that ChatGPT fills, for every client', async () => {
    const { tool, cacheScope } = await listFor({})
    expect(tool._meta).toEqual({ 'openai/fileParams': ['image'] })
    const { image } = tool.inputSchema.properties
    expect(image).toMatchObject({ type: 'object', required: ['download_url', 'file_id'] })
    expect(Object.keys(image.properties)).toEqual([
      'download_url',
      'file_id',
      'mime_type',
      'file_name',
      'text',
    ])
    expect(image.description).toContain('of at most 10 bytes and of type image/* or text/csv')
    expect(tool.inputSchema.required).toBeUndefined()
    expect(cacheScope).toBe('private')
    expect((await listFor({ elicitation: { url: {} } })).tool).toEqual(tool)
  })

  it('as a string with x-mcp-file, for a client that declares fileInputs', async () => {
    const { tool } = await listFor({ fileInputs: {} })
    expect(tool._meta).toEqual({})
    expect(tool.inputSchema.properties.image).toMatchObject({
      type: 'string',
      format: 'uri',
      'x-mcp-file': { accept: ['image/*', 'text/csv'], maxSize: 10 },
    })
  })
})

describe('a tool receives the same bytes', () => {
  it.each([
    ['a data: URI with base64', DATA_URI],
    ['a data: URI with percent-encoding', 'data:text/csv;name=list.csv,a%2Cb%0A1%2C2%0A'],
    ['a reference with a data: URI', { download_url: DATA_URI, file_id: '' }],
    [
      'text of the model',
      { text: 'a,b\n1,2\n', file_name: 'list.csv', download_url: '', file_id: '' },
    ],
  ])('from %s', async (_, data) => {
    expect((await take(data)).content[0].text).toBe(await taken())
  })

  it('from the URL of ChatGPT, which is asked once and without credentials', async () => {
    const headers: (HeadersInit | undefined)[] = []
    const asked = interceptOutbound((_, init) => {
      headers.push(init.headers)
      expect(init.redirect).toBe('manual')
      return new Response(BYTES)
    })
    expect((await take(REFERENCE, { subject: 'ann' })).content[0].text).toBe(await taken())
    expect(asked).toEqual([REFERENCE.download_url])
    expect(headers).toEqual([{ accept: '*/*', 'user-agent': 'Edgeway' }])
  })

  it('from the page that the person opens', async () => {
    const { params, answer } = await askedBy({ capabilities: BY_URL })
    expect(params.message).toBe(`Upload the file for "data", of at most ${MAX_TAKEN_BYTES} bytes`)
    expect((await put(`${params.url}?name=list.csv`, CSV)).status).toBe(201)
    expect((await answer()).content[0].text).toBe(await taken())
  })

  it('from the page of a ticket, whose handle is passed as text and as a reference', async () => {
    const { page, handle, result } = await ticketOf()
    expect(result.isError).toBeUndefined()
    expect(result.content[0].text).toContain(`page: ${page}\nhandle: ${handle}\n`)
    expect((await put(`${page}?name=list.csv`, CSV)).status).toBe(201)
    for (const data of [handle, { download_url: page, file_id: handle }]) {
      expect((await take(data)).content[0].text).toBe(await taken())
    }
  })

  it('from the URI of another file of the caller', async () => {
    const { uri } = await storeFile('bucket', 'list.csv', BYTES, { mimeType: 'text/csv' })
    expect((await take(uri)).content[0].text).toBe(await taken())
  })

  it('in a session, in which the handler is killed while the person uploads', async () => {
    const session = await openSession({ capabilities: BY_URL })
    const stream = new SseReader(await session.callTool('take', { note: 'n' }))
    const question = await stream.message()
    if (question === undefined) throw new Error('The tool did not ask')
    await session.answer(question, { action: 'accept' })
    await kill(session)
    const sent = await put(`${question.params.url}?name=list.csv`, CSV, session.app)
    expect(sent.status).toBe(201)
    const answered = await stream.message()
    expect(answered && textOf(answered)).toBe(await taken())
  })

  it('in a session of a client that cannot be asked', async () => {
    const session = await openSession({ capabilities: {} })
    const first = (await (await session.callTool('take', { note: 'n' })).json()) as {
      result: { _meta: Record<string, [{ page: string; handle: string }]> }
    }
    const [{ page, handle }] = first.result._meta['dev.edgeway/uploads'] ?? [
      { page: '', handle: '' },
    ]
    expect((await put(`${page}?name=list.csv`, CSV, session.app)).status).toBe(201)
    const again = await session.callTool('take', { note: 'n', data: handle })
    expect(textOf((await again.json()) as Parameters<typeof textOf>[0])).toBe(await taken())
  })

  it('in a call of 2025-03-26 without a session', async () => {
    const { body } = await app.session(
      'tools/call',
      { name: 'take', arguments: { note: 'n', data: DATA_URI } },
      '2025-03-26',
    )
    expect(body.result.content[0].text).toBe(await taken())
  })

  it('in a task', async () => {
    const tasks = openAuthorizedTaskApp()
    const request = async (method: string, params: Record<string, unknown>) =>
      (
        await tasks.modern(method, params, {
          meta: TASKS,
          headers: { authorization: 'Bearer taker' },
        })
      ).body.result
    const run = async (data?: unknown) => {
      const { taskId } = await request('tools/call', {
        name: 'take',
        arguments: { note: 'n', data },
      })
      await expect
        .poll(async () => (await request('tasks/get', { taskId })).status)
        .toBe('completed')
      return (await request('tasks/get', { taskId })).result
    }
    expect((await run(DATA_URI)).content[0].text).toBe(await taken())
    const [{ page, handle }] = (await run())._meta['dev.edgeway/uploads']
    expect((await put(`${page}?name=list.csv`, CSV, tasks)).status).toBe(201)
    expect((await run(handle)).content[0].text).toBe(await taken())
  })

  it('of 25 MB, by a download and by a page', async () => {
    const size = 25_000_000
    const digest = new crypto.DigestStream('SHA-256')
    await streamOf(size).pipeTo(digest)
    const hex = new Uint8Array(await digest.digest).toHex()
    const text = JSON.stringify(['big.bin', 'application/x-big', size, hex, 'n'])
    interceptOutbound(() => new Response(streamOf(size)))
    const big = { ...REFERENCE, mime_type: 'application/x-big', file_name: 'big.bin' }
    expect((await take(big)).content[0].text).toBe(text)
    const { page, handle } = await ticketOf()
    const headers = { 'content-type': 'application/x-big' }
    await put(`${page}?name=big.bin`, { body: streamOf(size), headers })
    expect((await take(handle)).content[0].text).toBe(text)
  })
})

describe('a file argument', () => {
  it('that is optional is absent, unless the model asks for an upload', async () => {
    expect(await takeImage(undefined)).toEqual([false, 'none'])
    const { page, handle } = await ticketOf({}, 'take_image', 'image')
    await put(`${page}?name=a.csv`, { body: 'a,b', headers: { 'content-type': 'text/csv' } })
    expect(await takeImage(handle)).toEqual([false, 'a.csv text/csv a,b'])
  })

  it('leaves the other arguments to the schema of the tool', async () => {
    const { isError, content } = await call('take', { data: DATA_URI, other: 1 })
    expect(isError).toBe(true)
    expect(content[0].text).toContain('Invalid arguments for take')
  })

  it.each([
    ['a number', 7, 'is no file'],
    ['a list', [DATA_URI], 'is no file'],
    ['an empty text', '', 'is no file'],
    ['any text', 'a,b', 'is no file'],
    ['a path of the person', '/home/ann/list.csv', 'is no file'],
    ['a URL as text', 'https://files.example.com/a.csv', 'is no file'],
    ['an empty object', {}, 'is no file'],
    [
      'a reference with members that are no texts',
      { download_url: 7, file_id: 'a' },
      'has a download_url that is no text',
    ],
    ['a reference with an id alone', { download_url: '', file_id: 'file_1' }, 'is no file'],
    [
      'a malformed mime_type',
      { ...REFERENCE, mime_type: 'image' },
      'has a mime_type that is no media type',
    ],
    [
      'a type that is not accepted',
      { ...REFERENCE, mime_type: 'text/html' },
      'is a file of type text/html, and its type must be image/* or text/csv',
    ],
    [
      'text of a type that is no text',
      { text: 'a', mime_type: 'image/png' },
      'is text, and its type image/png is not',
    ],
    ['text that is too long', { text: 'é'.repeat(6) }, 'is a file of more than 10 bytes'],
    ['a data: URI without data', 'data:text/csv', 'is a malformed data: URI'],
    ['a data: URI of malformed base64', 'data:text/csv;base64,a*b', 'is a malformed data: URI'],
    ['a data: URI of malformed percent-encoding', 'data:text/csv,%4', 'is a malformed data: URI'],
    ['a data: URI of a malformed type', 'data:text,a', 'is a malformed data: URI'],
    [
      'a data: URI that is too long',
      `data:text/csv,${'a'.repeat(11)}`,
      'is a file of more than 10 bytes',
    ],
    ['a data: URI of another type', 'data:text/html,a', 'is a file of type text/html'],
    ['an altered handle', 'upload.1abc', 'There is no file of this caller and tool'],
    ['an altered URI', 'edgeway-file:1abc', 'There is no file of this caller and tool'],
  ])('refuses %s', async (_, image, fault) => {
    const asked = interceptOutbound(() => new Response('a'))
    const [isError, text] = await takeImage(image)
    expect([isError, text]).toEqual([true, expect.stringContaining(fault)])
    expect(asked).toEqual([])
  })

  it('makes names safe', async () => {
    const passed = { text: 'a', file_name: '../../gpj\u202eexe.csv' }
    expect((await take(passed)).content[0].text).toMatch(/^\["gpjexe\.csv","text\/csv",1/)
    const uri = 'data:text/csv;name=..%2F..%2Fa.csv,a'
    expect((await take(uri)).content[0].text).toMatch(/^\["a\.csv"/)
  })

  it('is declined by the person', async () => {
    const { answer, params } = await askedBy({ capabilities: BY_URL })
    const { isError, content } = await answer('decline')
    expect([isError, content[0].text]).toEqual([true, expect.stringContaining('(decline)')])
    expect((await put(params.url, CSV)).status).toBe(410)
  })
})

describe('the download of a file argument', () => {
  it.each([
    'http://files.example.com/a',
    'https://ann@files.example.com/a',
    'https://files.example.com:8443/a',
    'https://10.0.0.1/a',
    'https://0x7f.1/a',
    'https://[::1]/a',
    'https://[2606:4700::1111]/a',
    'https://localhost/a',
    'https://db.internal./a',
    'https://metadata/a',
    'http://localhost:8787/mcp',
    'https://',
    `https://files.example.com/${'a'.repeat(9000)}`,
  ])('is refused for %s, without a request', async (download_url) => {
    const asked = interceptOutbound(() => new Response('a'))
    const { isError, content } = await take({ ...REFERENCE, download_url })
    expect([isError, content[0].text]).toEqual([
      true,
      expect.stringContaining('is not an https URL of a public host'),
    ])
    expect(asked).toEqual([])
  })

  const failing = () =>
    new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(100)),
      pull: (controller) => controller.error(new Error('The connection broke')),
    })

  it.each<[string, () => Response, string]>([
    ['a redirect', () => Response.redirect('https://a.example/', 302), 'a redirect'],
    ['an error', () => new Response('secret', { status: 403 }), 'its host answered 403'],
    ['no content', () => new Response(null, { status: 204 }), 'its host answered 204'],
    ['a body that breaks off', () => new Response(failing()), 'it broke off'],
    [
      'a declared length above the bound',
      () => new Response('a', { headers: { 'content-length': String(MAX_TAKEN_BYTES + 1) } }),
      `more than ${MAX_TAKEN_BYTES} bytes`,
    ],
    [
      'more bytes than the bound',
      () => new Response(streamOf(MAX_TAKEN_BYTES + 1, 1_000_000)),
      `more than ${MAX_TAKEN_BYTES} bytes`,
    ],
  ])('is refused when the host answers with %s', async (_, respond, fault) => {
    interceptOutbound(respond)
    const { isError, content } = await take(REFERENCE)
    expect([isError, content[0].text]).toEqual([true, expect.stringContaining(fault)])
    expect(content[0].text).not.toContain('secret')
  })

  it('is refused when the host cannot be reached', async () => {
    vi.spyOn(globalThis, 'fetch').mockRejectedValueOnce(new TypeError('no route to canary'))
    const { isError, content } = await take(REFERENCE)
    expect([isError, content[0].text]).toEqual([
      true,
      expect.stringContaining('its host cannot be reached'),
    ])
    expect(content[0].text).not.toContain('canary')
  })

  it('has the type of the host where the client says none', async () => {
    interceptOutbound(() => new Response('a', { headers: { 'content-type': 'image/png' } }))
    const { mime_type: _, file_name: __, ...rest } = REFERENCE
    expect(await takeImage(rest)).toEqual([false, '123 image/png a'])
    interceptOutbound(() => new Response('a', { headers: { 'content-type': 'text/html' } }))
    expect(await takeImage(rest)).toEqual([true, expect.stringContaining('of type text/html')])
    interceptOutbound(
      () => new Response('a', { headers: { 'content-type': 'application/octet-stream' } }),
    )
    const named = { ...rest, file_name: 'a.csv' }
    expect(await takeImage(named)).toEqual([false, 'a.csv text/csv a'])
  })
})

describe('the page and the handle of a ticket', () => {
  it('are refused before the upload, and the page after it', async () => {
    const { page, handle } = await ticketOf()
    const early = await take(handle)
    expect([early.isError, early.content[0].text]).toEqual([
      true,
      expect.stringContaining('is not uploaded yet'),
    ])
    expect((await put(page, CSV)).status).toBe(201)
    const again = await put(page, CSV)
    expect([again.status, await again.json()]).toEqual([
      410,
      { error: 'A file was uploaded here before' },
    ])
  })

  it('are refused after their time', async () => {
    const { page, handle, expiresAt } = await ticketOf()
    vi.useFakeTimers({ now: expiresAt + 1, toFake: ['Date'] })
    try {
      const late = await put(page, CSV)
      expect([late.status, await late.json()]).toEqual([
        410,
        { error: 'The time to upload has ended' },
      ])
      const { isError, content } = await take(handle)
      expect([isError, content[0].text]).toEqual([
        true,
        expect.stringContaining('The time to upload the file for "data" has ended'),
      ])
    } finally {
      vi.useRealTimers()
    }
  })

  it('enforce the bounds of the argument', async () => {
    const { page } = await ticketOf({}, 'take_image', 'image')
    const send = (body: string, type: string) =>
      put(page, { body, headers: { 'content-type': type } })
    expect((await send('a', 'text/html')).status).toBe(415)
    expect((await send('a'.repeat(11), 'text/csv')).status).toBe(413)
    expect((await send('a', 'text/csv')).status).toBe(201)
  })

  it('are bound to the caller, the tool and the argument', async () => {
    const tasks = openAuthorizedTaskApp()
    const ann = { to: tasks, subject: 'ann' }
    const { page, handle } = await ticketOf(ann)
    expect((await put(page, CSV, tasks)).status).toBe(201)
    for (const caller of [{ to: tasks, subject: 'ben' }, { to: app }]) {
      const { isError, content } = await take(handle, caller)
      expect([isError, content[0].text]).toEqual([
        true,
        expect.stringContaining('There is no file of this caller and tool'),
      ])
    }
    expect((await call('take_image', { image: handle }, ann)).isError).toBe(true)
    expect((await take(handle, ann)).content[0].text).toContain('"text/csv"')
  })

  it('of the client that cannot be asked are an error where the tool has an output schema', async () => {
    const server = new McpServer({ name: 'tasks', version: '1' })
    server.registerTool(
      'measure',
      {
        files: { photo: file(), other: file() },
        outputSchema: jsonSchema({ type: 'object' }),
      },
      ({ files }) => ({ size: files.photo.size }),
    )
    const client = await connect(server, { features: [files()], env, capabilities: {} })
    const { isError, _meta } = await client.callTool('measure')
    expect(isError).toBe(true)
    expect(_meta?.['dev.edgeway/uploads']).toHaveLength(2)
  })
})

describe('file()', () => {
  const register = (files: unknown, inputSchema?: object) => () =>
    new McpServer({ name: 'x', version: '1' }).registerTool(
      'a',
      { files, inputSchema } as never,
      () => '',
    )

  it.each([
    ['maxBytes', { maxBytes: 0 }],
    ['maxBytes', { maxBytes: 1.5 }],
    ['types', { types: [] }],
    ['types', { types: ['image'] }],
    ['description', { description: 7 }],
    ['required', { required: 'yes' }],
    ['ttlMs', { ttlMs: -1 }],
  ])('refuses a malformed %s', (name, options) => {
    expect(() => file(options as never)).toThrow(new RegExp(name))
  })

  it.each([
    ['no file', {}, /files must be true, or \{ name: file/],
    ['another value', { a: {} }, /files must be true/],
    ['another value beside a file', { a: file(), b: {} }, /files\.b must be the value of file/],
    ['a name with other characters', { 'a-b': file() }, /files\.a-b: use 1 to 32/],
    [
      'too many files',
      Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`f${i}`, file()])),
      /at most 8 files/,
    ],
  ])('a tool with %s is refused', (_, files, message) => {
    expect(register(files)).toThrow(message as RegExp)
  })

  it('a tool whose schema has the same property is refused', async () => {
    expect(register({ a: file() }, z.object({ a: z.string() }))).toThrow(
      /files\.a is a property of inputSchema too/,
    )
  })
})

describe('file.content()', () => {
  it('hands out a file in the form that is asked for', async () => {
    const csv = await storeFile('bucket', 'a.csv', 'a,b')
    const png = await storeFile('bucket', 'a.png', pattern(0, 9))
    const large = await storeFile('bucket', 'l.png', pattern(0, 1024 * 1024 + 1))
    const kinds = async (...[stored, as]: [typeof csv, ('link' | 'embedded' | 'url')?]) =>
      (await stored.content(as === undefined ? {} : { as })).map(({ type }) => type)
    expect(await kinds(csv)).toEqual(['resource_link', 'text'])
    expect(await kinds(csv, 'link')).toEqual(['resource_link'])
    expect(await kinds(csv, 'url')).toEqual(['text'])
    expect(await csv.content({ as: 'embedded' })).toEqual([
      { type: 'resource', resource: { uri: csv.uri, mimeType: 'text/csv', text: 'a,b' } },
    ])
    expect(await kinds(png)).toEqual(['image', 'resource_link', 'text'])
    expect(await kinds(png, 'embedded')).toEqual(['image'])
    expect(await kinds(large)).toEqual(['resource_link', 'text'])
    expect(await kinds(large, 'embedded')).toEqual(['resource_link', 'text'])
    await expect(csv.content({ as: 'inline' as never })).rejects.toThrow(TypeError)
  })
})
