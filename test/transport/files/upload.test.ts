import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { UploadRequest } from '../../../src/features/files/index.ts'
import { UPLOAD_STYLE_SOURCE } from '../../../src/features/files/upload-page.ts'
import { pattern, streamOf } from '../../dispatch/files/storage.ts'
import { kill } from '../../durable-objects/session/lifetime.ts'
import { openSession, textOf } from '../../support/session-client.ts'
import { keepHandler } from '../../support/session-server.ts'
import type { WireMessage } from '../../support/sse-reader.ts'
import { openAuthorizedTaskApp } from '../../support/task-server.ts'
import {
  ACCEPT,
  app,
  askForFile,
  BY_URL,
  FORM,
  formWith,
  META,
  receive,
  send,
} from './uploading.ts'

describe('ctx.upload of a modern client', () => {
  it('asks to open a URL, whose page has a form and runs no script', async () => {
    const { method, params, url } = await askForFile({
      maxBytes: 1_500_000,
      mimeTypes: ['text/csv', 'image/*'],
    })
    expect(method).toBe('elicitation/create')
    expect(params).toMatchObject({ mode: 'url', message: 'Your list, please' })
    expect(url).toMatch(/^http:\/\/localhost:8787\/uploads\/[\w.-]+$/)
    const page = await send(url, { method: 'GET' })
    expect(page.status).toBe(200)
    expect(page.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src ${UPLOAD_STYLE_SOURCE}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
    )
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    const html = await page.text()
    expect(html).toContain('<form method="post" enctype="multipart/form-data">')
    expect(html).toContain('accept="text/csv, image/*"')
    expect(html).toContain('CSV or image, at most 1.5 MB')
    expect(html).toContain('Your list, please')
  })

  it('receives the file of the form', async () => {
    const { url, answer } = await askForFile()
    const page = await send(url, formWith(FORM))
    expect([page.status, page.headers.get('content-type')]).toEqual([
      201,
      'text/html; charset=utf-8',
    ])
    expect(await page.text()).toContain('“list.csv” was received.')
    const { body } = await answer()
    expect(body.result.content[0].text).toBe('["list.csv","text/csv",8,100,true]')
  })

  it('receives the bytes of a PUT, with the name of its address', async () => {
    const { url, answer } = await askForFile()
    const body = streamOf(9_000_000)
    const stored = await send(`${url}?name=big%20file.bin`, {
      body,
      headers: { 'content-type': 'application/x-big' },
    })
    expect([stored.status, await stored.json()]).toEqual([201, { message: expect.any(String) }])
    const last = pattern(8_999_999, 1)[0]
    expect((await answer()).body.result.content[0].text).toBe(
      `["big file.bin","application/x-big",9000000,${last},true]`,
    )
  })

  it('waits for a file that arrives after the answer', async () => {
    const { url, answer } = await askForFile()
    const answered = answer()
    await send(url, { body: 'late' })
    expect((await answered).body.result.content[0].text).toMatch(/^\["file","[^"]*",4/)
  })

  it.each(['decline', 'cancel'])('returns that the person chose to %s', async (action) => {
    const { answer } = await askForFile()
    expect((await answer({ action })).body.result.content[0].text).toBe(action)
  })

  it('refuses a client that cannot open URLs', async () => {
    const script = keepHandler(receive({}))
    const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
    const { body } = await app.modern('tools/call', { name: 'plain', arguments: script }, { meta })
    expect(body.error).toMatchObject({ code: -32021, data: { requiredCapabilities: BY_URL } })
  })

  it.each([
    ['message', { message: 7 }],
    ['maxBytes', { maxBytes: 0 }],
    ['mimeTypes', { mimeTypes: [] }],
    ['mimeTypes', { mimeTypes: ['text'] }],
    ['mimeTypes', { mimeTypes: ['text/csv"><script>'] }],
    ['ttlMs', { timeoutMs: -1 }],
  ])('refuses a malformed %s', async (name, request) => {
    const failures: unknown[] = []
    const script = keepHandler(async (ctx) => {
      await ctx
        .upload({ message: 'a', ...request } as UploadRequest)
        .catch((e: unknown) => failures.push(e))
      return 'done'
    })
    await app.modern('tools/call', { name: 'plain', arguments: script }, { meta: META })
    expect(failures[0]).toBeInstanceOf(TypeError)
    expect((failures[0] as Error).message).toContain(name)
  })
})

describe('ctx.upload where the call is suspended', () => {
  it('in a session resumes the handler when the file arrives, also after a kill', async () => {
    const session = await openSession({ capabilities: BY_URL })
    const stream = await session.stream(receive({}))
    const question = await stream.message()
    if (question === undefined) throw new Error('The handler did not ask')
    await session.answer(question, ACCEPT)
    await kill(session)
    expect((await send(question.params.url, { body: 'in a session' }, session.app)).status).toBe(
      201,
    )
    const answered = await stream.message()
    expect(answered && textOf(answered)).toMatch(/^\["file","[^"]*",12/)
  })

  it.each(['decline', 'cancel'])('in a session ends the URL on %s', async (action) => {
    const session = await openSession({ capabilities: BY_URL })
    const stream = await session.stream(receive({}))
    const question = await stream.message()
    if (question === undefined) throw new Error('The handler did not ask')
    await session.answer(question, { action })
    await stream.message()
    expect((await send(question.params.url, { body: 'late' }, session.app)).status).toBe(410)
  })

  it('in a session ends the URL when the call continues after a decline', async () => {
    const session = await openSession({ capabilities: { elicitation: { form: {}, url: {} } } })
    const stream = await session.stream(async (ctx) => {
      const { action } = await ctx.upload({ message: 'a' })
      await ctx.elicit({ key: 'next', message: action, schema: { ok: z.boolean() } })
      return 'done'
    })
    const question = await stream.message()
    if (question === undefined) throw new Error('The handler did not ask')
    await session.answer(question, { action: 'decline' })
    expect((await stream.message())?.params.message).toBe('decline')
    expect((await send(question.params.url, { body: 'late' }, session.app)).status).toBe(410)
  })

  it('in a session ends the URL when the client cancels the call', async () => {
    const session = await openSession({ capabilities: BY_URL })
    const stream = await session.stream(receive({}), { id: 71 })
    const question = await stream.message()
    if (question === undefined) throw new Error('The handler did not ask')
    expect((await send(question.params.url, { method: 'GET' }, session.app)).status).toBe(200)
    await session.notify('notifications/cancelled', { requestId: 71 })
    expect((await send(question.params.url, { body: 'late' }, session.app)).status).toBe(410)
    expect((await send(question.params.url, { method: 'GET' }, session.app)).status).toBe(410)
  })

  it('in a session without elicitation by URL is a tool error', async () => {
    const session = await openSession({ capabilities: { elicitation: {} } })
    const response = await session.call(receive({}))
    const answered = (await response.json()) as WireMessage
    expect(answered.result.isError).toBe(true)
    expect(textOf(answered)).toContain('cannot answer elicitation/create')
  })

  /** A task that asks for a file. */
  async function startTask() {
    const tasks = openAuthorizedTaskApp()
    const meta = {
      'io.modelcontextprotocol/clientCapabilities': {
        ...BY_URL,
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
    }
    const headers = { authorization: 'Bearer uploader' }
    const request = (method: string, params: Record<string, unknown>) =>
      tasks.modern(method, params, { meta, headers })
    const script = keepHandler(receive({}))
    const { body } = await request('tools/call', { name: 'required', arguments: script })
    const { taskId } = body.result
    const task = async () => (await request('tasks/get', { taskId })).body.result
    await expect.poll(async () => (await task()).status).toBe('input_required')
    const [[key, { params }]] = Object.entries((await task()).inputRequests) as [
      [string, { params: { url: string } }],
    ]
    return { tasks, request, taskId, task, key, params }
  }

  it('in a task ends the URL when the task is cancelled', async () => {
    const { tasks, request, taskId, params } = await startTask()
    expect((await send(params.url, { method: 'GET' }, tasks)).status).toBe(200)
    await request('tasks/cancel', { taskId })
    expect((await send(params.url, { body: 'late' }, tasks)).status).toBe(410)
  })

  it('in a task resumes the handler when the file arrives, also before the answer', async () => {
    const { tasks, request, taskId, task, key, params } = await startTask()
    expect((await send(params.url, { body: 'early' }, tasks)).status).toBe(201)
    await request('tasks/update', { taskId, inputResponses: { [key]: ACCEPT } })
    await expect.poll(async () => (await task()).status).toBe('completed')
    expect((await task()).result.content[0].text).toMatch(/^\["file","[^"]*",5/)
  })
})
