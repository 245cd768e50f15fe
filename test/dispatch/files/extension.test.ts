/** `io.modelcontextprotocol/files` through the public entrance: which clients see it, and files that are sent and saved. */
// features: files, tasks, search
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { file } from '../../../src/features/files/index.ts'
import { jsonSchema } from '../../../src/index.ts'
import { FullServer } from '../../support/full-server.ts'
import { type Handler, keepHandler } from '../../support/session-server.ts'
import { TASKS } from '../../support/task-server.ts'
import {
  asked,
  begin,
  extended,
  FILES,
  openExtended,
  SAVES,
  SENDS,
  SENT,
  searched,
  send,
  sent,
} from './sending.ts'
import { app, call, taken } from './taking.ts'

const meta = (capabilities: object) => ({
  'io.modelcontextprotocol/clientCapabilities': capabilities,
})

describe('the files extension', () => {
  const listFor = async (capabilities: object, to = extended) => {
    const { body } = await to.modern('tools/list', {}, { meta: meta(capabilities) })
    const { tools, cacheScope } = body.result
    return { cacheScope, tool: tools.find(({ name }: { name: string }) => name === 'take_image') }
  }

  it('is declared to clients of 2026-07-28 alone, and only by files({ experimental: true })', async () => {
    const declared = async (to = extended) =>
      (await to.modern('server/discover')).body.result.capabilities.extensions?.[FILES]
    expect(await declared()).toEqual({ upload: {}, download: {} })
    expect(await declared(app)).toBeUndefined()
    const params = { protocolVersion: '2025-11-25', capabilities: { extensions: { [FILES]: {} } } }
    const clientInfo = { name: 'test', version: '1' }
    const { body } = await extended.session('initialize', { ...params, clientInfo })
    expect(body.result.capabilities.extensions?.[FILES]).toBeUndefined()
  })

  it('marks the argument with x-mcp-file in the list of a client that declares upload', async () => {
    const { tool, cacheScope } = await listFor(SENDS)
    const { image } = tool.inputSchema.properties
    expect(image).toMatchObject({
      type: 'object',
      required: ['id', 'name', 'mimeType', 'size', 'digest'],
      'x-mcp-file': { accept: ['image/*', 'text/csv'], maxSize: 10 },
    })
    expect([tool._meta, cacheScope]).toEqual([{}, 'private'])
    const accepts = new Ajv({ strict: true, keywords: ['x-mcp-file'] }).compile(tool.inputSchema)
    expect(accepts({ image: await sent() })).toBe(true)
  })

  it('leaves the list of any other client as it is', async () => {
    const plain = (await listFor({}, app)).tool
    for (const capabilities of [{}, SAVES, { fileInputs: {} }]) {
      expect((await listFor(capabilities)).tool).toEqual(plain)
    }
    expect((await listFor(SENDS, app)).tool).toEqual(plain)
  })
})

describe('a file that the client sends', () => {
  it('reaches the tool under its name and type', async () => {
    const { url, again } = await begin()
    expect(await send(url)).toEqual([201, expect.stringMatching(/[^.]\. Make the call again with/)])
    expect((await again()).content[0].text).toBe(await taken())
    // The client that has lost the answer repeats the call.
    expect((await again()).content[0].text).toBe(await taken())
  })

  it('reaches a tool that is called through call_tool', async () => {
    const args = { name: 'take', arguments: { note: 'n', data: await sent() } }
    const by = { capabilities: SENDS, to: searched }
    const { urls, requestState } = asked(await call('call_tool', args, by))
    await send(urls['file-1'])
    const { content } = await call('call_tool', args, by, { requestState })
    expect(content[0].text).toBe(await taken())
  })

  it('is sent before a task begins', async () => {
    const { extensions } = TASKS['io.modelcontextprotocol/clientCapabilities']
    const capabilities = { extensions: { ...extensions, ...SENDS.extensions } }
    const { url, again } = await begin({ capabilities })
    await send(url)
    const { taskId, resultType } = await again()
    expect(resultType).toBe('task')
    const read = async () =>
      (await extended.modern('tasks/get', { taskId }, { meta: TASKS })).body.result
    await expect.poll(async () => (await read()).status).toBe('completed')
    expect((await read()).result.content[0].text).toBe(await taken())
  })

  it('is sent before the tool asks, and kept while it does', async () => {
    const server = new FullServer({ name: 'tasks', version: '1' })
    server.registerTool(
      'compare',
      { files: { one: file(), two: file(), none: file() }, singleUse: true },
      async ({ files: { one, two, none }, elicit }) => {
        const { action } = await elicit({
          key: 'sure',
          message: 'Sure?',
          schema: jsonSchema({ type: 'object', properties: {} }),
        })
        return `${action} ${await one.text()} ${await two.text()} ${none.size} ${none.name}`
      },
    )
    const to = openExtended(server)
    const by = { to, capabilities: { ...SENDS, elicitation: {} } }
    const [one, two, none] = await Promise.all(
      ['one', 'two', ''].map((text, index) =>
        sent(new TextEncoder().encode(text), { id: `file-${index}`, name: text || 'none' }),
      ),
    )
    const args = { one, two, none }
    const { urls, requestState } = asked(await call('compare', args, by), ['file-0', 'file-1'])
    await send(urls['file-1'], 'two', to)
    const early = await call('compare', args, by, { requestState })
    expect([early.isError, early.content[0].text]).toEqual([
      true,
      expect.stringContaining('"one" has not arrived. Send its bytes'),
    ])
    await send(urls['file-0'], 'one', to)
    // A state that can be repeated answers no question.
    const answers = { inputResponses: { sure: { action: 'accept', content: {} } } }
    const guessed = await call('compare', args, by, { requestState, ...answers })
    expect(guessed.message).toContain('params.requestState is not valid')
    const second = await call('compare', args, by, { requestState })
    expect(second.resultType).toBe('input_required')
    const round = { requestState: second.requestState, ...answers }
    const { content } = await call('compare', args, by, round)
    expect(content[0].text).toBe('accept one two 0 none')
    expect((await call('compare', args, by, round)).message).toContain('has been used')
  })

  it('waits for a ticket of another file', async () => {
    const server = new FullServer({ name: 'tasks', version: '1' })
    server.registerTool('two', { files: { one: file(), two: file() } }, () => 'ran')
    const by = { to: openExtended(server), capabilities: SENDS }
    const { _meta } = await call('two', { one: await sent() }, by)
    expect(_meta['dev.edgeway/uploads']).toMatchObject([{ argument: 'two' }])
  })
})

describe('a file of a result', () => {
  const given = async (capabilities: object, to = extended) => {
    const handler: Handler = async (ctx) =>
      (await ctx.file('a.csv', SENT, { mimeType: 'text/csv' })).content()
    const { content } = await call('plain', keepHandler(handler), { capabilities, to })
    return content[0]
  }

  it('has a target for a client that declares download, from which it is saved once', async () => {
    const { type, _meta } = await given(SAVES)
    const [target, ...others] = _meta[FILES].downloads
    expect([type, others]).toEqual(['resource_link', []])
    expect(target).toEqual({
      name: 'a.csv',
      mimeType: 'text/csv',
      size: 8,
      url: expect.stringMatching(/^http:\/\/localhost:8787\/files\/[\w.-]+$/),
      credentials: 'omit',
      expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    const get = (method: string, headers = {}) =>
      extended.fetch(new Request(target.url, { method, headers }))
    expect((await get('HEAD')).status).toBe(200)
    const saved = await get('GET', { range: 'bytes=0-1' })
    expect([saved.status, await saved.text()]).toEqual([200, 'a,b\n1,2\n'])
    const again = await get('GET')
    expect([again.status, await again.json()]).toEqual([
      410,
      { error: expect.stringContaining('read it as a resource, or call the tool again') },
    ])
  })

  it('has none for any other client, and without the option', async () => {
    expect((await given({}))._meta).toBeUndefined()
    expect((await given(SENDS))._meta).toBeUndefined()
    expect((await given(SAVES, app))._meta).toBeUndefined()
  })
})
