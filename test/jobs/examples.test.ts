/** Tests the examples whose work runs elsewhere: a Workflow, and a service with an HTTP API. */
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import transcriber from '../../examples/external-job/worker.ts'
import pages from '../../examples/workflow/worker.ts'
import { TaskClient, until } from '../durable-objects/task/task-client.ts'
import { connectApp } from '../support/test-app.ts'

describe('the Workflow example', () => {
  const bindings = { ...env }
  const client = new TaskClient(connectApp(pages, bindings))

  const approve = (taskId: string, headers: HeadersInit = { authorization: 'Bearer editor' }) =>
    pages.fetch(
      new Request('http://localhost:8787/approvals', {
        method: 'POST',
        headers,
        body: JSON.stringify({ taskId, by: 'Ada' }),
      }),
      bindings,
      createExecutionContext(),
    )

  it('publishes a page when the editor has approved it, and not before', async () => {
    const draft = { slug: 'hello', text: 'One <b>\n\nTwo' }
    const { body } = await client.send('tools/call', { name: 'publish_page', arguments: draft })
    const { taskId } = body.result
    expect((await approve(taskId, {})).status).toBe(401)
    expect(await env.PAGES.get('hello')).toBeNull()
    expect((await client.get(taskId)).status).toBe('working')
    expect((await approve(taskId)).status).toBe(202)
    expect((await approve(taskId)).status).toBe(409)
    const { result } = await client.reaches(taskId, 'completed')
    expect(result.structuredContent).toEqual({ path: '/pages/hello', approvedBy: 'Ada' })
    expect(await env.PAGES.get('hello')).toBe('<p>One &lt;b></p>\n<p>Two</p>')
    expect((await approve(taskId)).status).toBe(409)
  })
})

describe('the example of an external job', () => {
  const bindings = { ...env }
  const client = new TaskClient(connectApp(transcriber, bindings))
  const requests: { readonly line: string; readonly key: string | null; readonly body: string }[] =
    []
  let job: object = { status: 'queued' }
  let callback = ''

  beforeEach(() => {
    requests.length = 0
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const request = new Request(input, init)
      const { pathname } = new URL(request.url)
      const body = await request.text()
      const key = request.headers.get('idempotency-key')
      requests.push({ line: `${request.method} ${pathname}`, key, body })
      if (request.method === 'POST') {
        callback = JSON.parse(body).callback
        return Response.json({ id: 'job/1' }, { status: 201 })
      }
      return request.method === 'DELETE' ? new Response(null) : Response.json(job)
    })
  })

  afterEach(() => {
    vi.restoreAllMocks()
  })

  async function transcribe(): Promise<string> {
    const args = { recording: 'https://example.com/talk.mp3' }
    const { body } = await client.send('tools/call', { name: 'transcribe', arguments: args })
    await until(() => requests.length > 0)
    return body.result.taskId
  }

  it('returns the text as soon as the service calls back, and shows its progress before', async () => {
    job = { status: 'running', percent: 40 }
    const taskId = await transcribe()
    await expect.poll(async () => (await client.get(taskId)).statusMessage).toBe('40 % transcribed')
    job = { status: 'done', text: 'Good evening.' }
    const headers = { 'content-type': 'application/json' }
    const called = await client.app.fetch(
      new Request(callback, { method: 'POST', headers, body: '{}' }),
    )
    expect(called.status).toBe(202)
    const { result } = await client.reaches(taskId, 'completed')
    expect(result.content[0].text).toBe('Good evening.')
    expect(requests[0]?.line).toBe('POST /jobs')
    expect(requests[0]?.key).toMatch(/^task-/)
    expect(new Set(requests.slice(1).map(({ line }) => line))).toEqual(
      new Set(['GET /jobs/job%2F1']),
    )
  })

  it('deletes the job of a task that is cancelled', async () => {
    job = { status: 'queued' }
    const taskId = await transcribe()
    await until(() => requests.some(({ line }) => line.startsWith('GET')))
    await client.send('tasks/cancel', { taskId })
    await until(() => requests.some(({ line }) => line === 'DELETE /jobs/job%2F1'))
  })
})
