/** What is refused for a file that a tool takes: malformed values, downloads, tickets. */
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { connect } from '../../../packages/testing/src/index.ts'
import { file, files } from '../../../src/features/files/index.ts'
import { jsonSchema } from '../../../src/index.ts'
import { interceptOutbound } from '../../auth/server/support/outbound.ts'
import { MAX_TAKEN_BYTES, registerTake } from '../../support/features/files.ts'
import { FullServer } from '../../support/full-server.ts'
import { openAuthorizedTaskApp } from '../../support/task-server.ts'
import { openApp } from '../../support/test-app.ts'
import { storeFile, streamOf } from './storage.ts'
import {
  app,
  askedBy,
  BY_URL,
  CSV,
  call,
  DATA_URI,
  put,
  REFERENCE,
  take,
  takeImage,
  ticketOf,
} from './taking.ts'

describe('a file argument', () => {
  it('that is optional is absent, unless the model asks for an upload', async () => {
    expect(await takeImage(undefined)).toEqual([false, 'none'])
    const { page, handle } = await ticketOf({}, 'take_image', 'image')
    await put(`${page}?name=a.csv`, { body: 'a,b', headers: { 'content-type': 'text/csv' } })
    expect(await takeImage(handle)).toEqual([false, 'a.csv text/csv a,b'])
  })

  it('with the name of a member of every object is missing when it is not passed', async () => {
    const server = new FullServer({ name: 'tasks', version: '1' })
    server.registerTool('take', { files: { constructor: file() } }, () => 'ran')
    const client = await connect(server, { features: [files()], env, capabilities: {} })
    expect((await client.callTool('take')).text).toContain('needs a file for "constructor"')
  })

  it('that cannot be stored is a failure of the server, which telemetry receives', async () => {
    interceptOutbound(() => new Response(streamOf(8_000_000)))
    // Without tasks, so that the handler runs in its request, with this environment.
    const plain = new FullServer({ name: 'plain', version: '1.0.0' })
    registerTake(plain)
    const broken = openApp(
      plain,
      {},
      {
        ...env,
        MCP_FILES: { createMultipartUpload: () => Promise.reject(new Error('no bucket')) },
      },
    )
    const { isError, content } = await take(REFERENCE, { to: broken })
    expect([isError, content[0].text]).toEqual([true, expect.stringMatching(/^Tool take failed/)])
    expect(broken.events).toContainEqual(
      expect.objectContaining({ type: 'handler-error', error: new Error('no bucket') }),
    )
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

  it('that names a file which has expired says so', async () => {
    const { uri } = await storeFile('bucket', 'a.csv', 'a', { ttlMs: 1 })
    await expect
      .poll(async () => (await take(uri)).content[0].text)
      .toContain('The file that was passed for "data" has expired')
  })

  it('makes names safe', async () => {
    const passed = { text: 'a', file_name: '../../gpj\u202eexe.csv' }
    expect((await take(passed)).content[0].text).toMatch(/^\["gpjexe\.csv","text\/csv",1/)
    const uri = 'data:text/csv;name=..%2F..%2Fa.csv,a'
    expect((await take(uri)).content[0].text).toMatch(/^\["a\.csv"/)
    interceptOutbound(() => new Response('a'))
    const download_url = 'https://files.example.com/f/..%2Fmy%20list.csv'
    const named = await take({ download_url, file_id: 'file_1' })
    expect(named.content[0].text).toMatch(/^\["my list\.csv",/)
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
    'https://localhost../a',
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
    [
      'an encoding that the platform does not decode',
      () => new Response('a', { headers: { 'content-encoding': 'zstd' } }),
      'an unknown Content-Encoding',
    ],
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
    const unknown = 'application/octet-stream'
    for (const named of [{ file_name: 'a.csv' }, { file_name: 'a.csv', mime_type: unknown }]) {
      expect(await takeImage({ ...rest, ...named })).toEqual([false, 'a.csv text/csv a'])
    }
    const uri = `data:${unknown};name=a.csv,a`
    expect(await takeImage(uri)).toEqual([false, 'a.csv text/csv a'])
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
    const server = new FullServer({ name: 'tasks', version: '1' })
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
