/** What one server of a Worker has sealed opens nothing at another, although both have the same keys and objects. */
// features: files
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { HttpSession } from '../support/http-session.ts'
import { type Handler, keepHandler } from '../support/session-server.ts'
import { TASKS } from '../support/task-server.ts'
import type { TestApp } from '../support/test-app.ts'
import { openDocs } from '../support/two-servers.ts'

const ASKS = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } }

/** Two public servers with one environment: only their names and paths differ. */
const environment = { ...env }
const one = openDocs({}, environment)
const other = openDocs({ path: '/other', otherPaths: [] }, environment, 'other')

async function run(app: TestApp, handler: Handler, meta = {}) {
  const params = { name: 'run', arguments: keepHandler(handler) }
  return (await app.modern('tools/call', params, { meta })).body
}

const textOf = async (app: TestApp, handler: Handler): Promise<string> => {
  const { result } = await run(app, handler)
  return result.content[0].text
}

/** Sends a request with a secret URL to the app, as the Worker would without the other server. */
async function request(app: TestApp, url: string, init?: RequestInit): Promise<number> {
  const response = await app.fetch(new Request(url, init))
  await response.body?.cancel()
  return response.status
}

describe('what one server has sealed for an anonymous caller', () => {
  it('a state handle opens its value at this server alone', async () => {
    const handle = await textOf(one, ({ state }) => state.create({ secret: 1 }))
    const read: Handler = async ({ state }) => JSON.stringify(await state.get(handle))
    expect(await textOf(one, read)).toBe('{"secret":1}')
    expect((await run(other, read)).result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('There is no state with this handle') }],
    })
  })

  it('the URI of a file is read at this server alone', async () => {
    const uri = await textOf(one, async ({ file }) => (await file('a.txt', 'secret')).uri)
    const read = async (app: TestApp) => (await app.modern('resources/read', { uri })).body
    expect((await read(one)).result.contents[0].text).toBe('secret')
    expect((await read(other)).error).toBeDefined()
  })

  it('the URL of a file is answered by this server alone', async () => {
    const url = await textOf(one, async ({ file }) => (await file('a.txt', 'secret')).url())
    expect([await request(one, url), await request(other, url)]).toEqual([200, 404])
  })

  it('the URL of a webhook delivers to this server alone', async () => {
    let url = ''
    const handler: Handler = async (ctx) => {
      url = await ctx.webhook('paid')
      return JSON.stringify(await ctx.waitFor('paid'))
    }
    const params = { name: 'work', arguments: keepHandler(handler) }
    await one.modern('tools/call', params, { meta: TASKS })
    await expect.poll(() => url).not.toBe('')
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: '1' }
    expect([await request(other, url, init), await request(one, url, init)]).toEqual([404, 202])
  })

  it('a task id names a task of this server alone', async () => {
    const params = { name: 'work', arguments: keepHandler(naps) }
    const { taskId } = (await one.modern('tools/call', params, { meta: TASKS })).body.result
    const read = async (app: TestApp) =>
      (await app.modern('tasks/get', { taskId }, { meta: TASKS })).body
    expect((await read(one)).result.status).toBe('working')
    expect((await read(other)).error.message).toBe(
      'Task not found: it does not exist, or it has expired',
    )
  })

  it('a request state resumes a call of this server alone', async () => {
    const schema = z.object({ ok: z.boolean() })
    const params = {
      name: 'run',
      arguments: keepHandler(async ({ elicit }) => {
        const { content } = await elicit({ key: 'sure', message: 'Sure?', schema })
        return `${content?.ok}`
      }),
    }
    const { result } = (await one.modern('tools/call', params, { meta: ASKS })).body
    const inputResponses = { sure: { action: 'accept', content: { ok: true } } }
    const answered = { ...params, requestState: result.requestState, inputResponses }
    const send = async (app: TestApp) =>
      (await app.modern('tools/call', answered, { meta: ASKS })).body
    expect((await send(other)).error).toBeDefined()
    expect((await send(one)).result.content[0].text).toBe('true')
  })

  it('a session id and an event id continue a session of this server alone', async () => {
    const session = await HttpSession.open({ url: urlOf('/docs'), fetch: one.fetch })
    const stream = await session.listen()
    while (stream.lastId === '') await stream.next()
    await stream.leave()
    const elsewhere = { url: urlOf('/other'), fetch: other.fetch }
    const foreign = new HttpSession(elsewhere, session.id, session.version)
    expect((await foreign.send('ping')).status).toBe(404)
    const own = await HttpSession.open(elsewhere)
    expect((await own.get(stream.lastId)).status).toBe(400)
  })
})

const naps: Handler = async (ctx) => {
  await ctx.sleep('nap', 3_600_000)
  return 'awake'
}

const urlOf = (path: string) => `http://localhost:8787${path}`
