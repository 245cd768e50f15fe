import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { interceptOutbound } from '../../auth/server/support/outbound.ts'
import { kill } from '../../durable-objects/session/lifetime.ts'
import { openSession, textOf } from '../../support/session-client.ts'
import { SseReader } from '../../support/sse-reader.ts'
import { openAuthorizedTaskApp, TASKS } from '../../support/task-server.ts'
import { storeFile, streamOf } from './storage.ts'
import {
  app,
  askedBy,
  BY_URL,
  BYTES,
  CSV,
  DATA_URI,
  put,
  REFERENCE,
  take,
  taken,
  ticketOf,
} from './taking.ts'

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
    const reference = { required: ['download_url', 'file_id'] }
    expect(image).toMatchObject({ type: 'object', anyOf: [reference, { required: ['text'] }] })
    const accepts = new Ajv({ strict: true }).compile(tool.inputSchema)
    for (const passed of [
      {},
      { image: { text: 'a,b' } },
      { image: { download_url: '', file_id: 'upload' } },
      { image: { download_url: 'data:text/csv,a', file_id: '' } },
    ]) {
      expect([passed, accepts(passed)]).toEqual([passed, true])
    }
    expect(accepts({ image: {} })).toBe(false)
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
})

describe('a tool receives the same bytes', () => {
  it.each([
    ['a data: URI with base64', DATA_URI],
    ['a data: URI with percent-encoding', 'data:text/csv;name=list.csv,a%2Cb%0A1%2C2%0A'],
    ['a data: URI whose base64 is percent-encoded', DATA_URI.replace(/=$/, '%3D')],
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
    expect(params.message).toBe('Upload the file for "data" (at most 30 MB)')
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
    // Ten seconds of processor time, which a busy machine has in minutes.
  }, 300_000)
})
