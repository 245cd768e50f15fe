/** One Worker with a public server and one with authorization, mounted as the guide says, with every kind of object. */
// features: files, landing-page, health
import { describe, expect, it } from 'vitest'
import { AuthClient } from '../auth/server/support/client.ts'
import { ORIGIN } from '../auth/server/support/deployment.ts'
import { HttpSession } from '../support/http-session.ts'
import { type Handler, keepHandler } from '../support/session-server.ts'
import { SseReader } from '../support/sse-reader.ts'
import { TASKS } from '../support/task-server.ts'
import { modernRequest, read } from '../support/test-app.ts'
import { deployed, serverEvents } from '../support/two-servers.ts'

const SERVERS = [
  ['docs', '/docs', 'docs nobody'],
  ['notes', '/mcp', 'notes owner'],
] as const

/** The files of a project share their modules, so the events of other tests may come first. */
const eventsBefore = serverEvents.length

/** The token of a person at `/mcp`, whose grant is in the account. */
const token = (async () => {
  const client = await AuthClient.register(deployed)
  return (await client.tokens()).access
})()

async function send({ url, method, headers: sent, body }: Request): Promise<Response> {
  const headers = new Headers(sent)
  if (new URL(url).pathname === '/mcp') headers.set('authorization', `Bearer ${await token}`)
  return deployed.fetch(url, { method, headers, ...(body && { body, duplex: 'half' }) })
}

async function modern(path: string, method: string, params = {}, meta = {}) {
  const { headers, body } = modernRequest(method, params, { meta })
  const all = {
    ...(headers as Record<string, string>),
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const init = { method: 'POST', headers: all, body: JSON.stringify(body) }
  return send(new Request(`${ORIGIN}${path}`, init))
}

async function run(path: string, handler: Handler): Promise<string> {
  const params = { name: 'run', arguments: keepHandler(handler) }
  const { result } = (await read(await modern(path, 'tools/call', params))).body
  return result.content[0].text
}

const textOf = (message: { result?: { content: readonly { text: string }[] } } | undefined) =>
  message?.result?.content[0]?.text

describe.each(SERVERS)('the server %s of a Worker with two servers', (_, path, own) => {
  it('serves its sessions', async () => {
    const session = await HttpSession.open({ url: `${ORIGIN}${path}`, fetch: send })
    expect(textOf(await session.request('tools/call', { name: 'name' }))).toBe(own)
    expect((await session.end()).status).toBe(204)
  })

  it('resumes a run of a session by its webhook', async () => {
    const session = await HttpSession.open({ url: `${ORIGIN}${path}`, fetch: send })
    let url = ''
    const { script } = keepHandler(async (ctx) => {
      url = await ctx.webhook('paid')
      return `paid ${JSON.stringify(await ctx.waitFor('paid'))}`
    })
    const stream = new SseReader(await session.callTool('run', { script }))
    expect(await deliver(url)).toBe(202)
    expect(textOf(await stream.message())).toBe('paid 7')
  })

  it('completes its tasks, with a webhook', async () => {
    let url = ''
    const handler = keepHandler(async (ctx) => {
      url = await ctx.webhook('paid')
      return `paid ${JSON.stringify(await ctx.waitFor('paid'))} by ${ctx.auth?.subject}`
    })
    const params = { name: 'work', arguments: handler }
    const { taskId } = (await read(await modern(path, 'tools/call', params, TASKS))).body.result
    await expect.poll(() => url).not.toBe('')
    expect(await deliver(url)).toBe(202)
    const get = async () =>
      (await read(await modern(path, 'tasks/get', { taskId }, TASKS))).body.result
    await expect.poll(async () => (await get()).status).toBe('completed')
    const person = own === 'docs nobody' ? 'undefined' : 'owner'
    expect((await get()).result.content[0].text).toBe(`paid 7 by ${person}`)
  })

  it('keeps its states and files', async () => {
    const handle = await run(path, ({ state }) => state.create({ of: own }))
    const value = await run(path, async ({ state }) => JSON.stringify(await state.get(handle)))
    expect(value).toBe(JSON.stringify({ of: own }))
    const url = await run(path, async ({ file }) => (await file('a.txt', own)).url())
    expect(await (await deployed.fetch(url)).text()).toBe(own)
  })

  it('notifies its listeners', async () => {
    const notifications = { resourceSubscriptions: ['note://a'] }
    const stream = new SseReader(await modern(path, 'subscriptions/listen', { notifications }))
    await stream.message()
    await run(path, async ({ notify }) => {
      await notify.resourceUpdated('note://a')
      return 'published'
    })
    expect((await stream.message())?.method).toBe('notifications/resources/updated')
    await stream.leave()
  })
})

describe('a Worker with two servers', () => {
  it('keeps the authorization of one server to its own path', async () => {
    const response = await deployed.fetch(`${ORIGIN}/mcp`, { method: 'POST', body: '{}' })
    expect(response.status).toBe(401)
    const found = await deployed.fetch(`${ORIGIN}/.well-known/oauth-protected-resource/mcp`)
    expect(await found.json()).toMatchObject({ resource: `${ORIGIN}/mcp` })
  })

  it('has the page and the health of the app that was mounted last', async () => {
    const page = await deployed.fetch(`${ORIGIN}/`, { headers: { accept: 'application/json' } })
    expect(await page.json()).toMatchObject({ name: 'notes' })
    expect((await deployed.fetch(`${ORIGIN}/health`)).status).toBe(200)
  })

  it('answers a secret URL of neither server with 404', async () => {
    for (const path of ['/webhooks/invented', '/files/invented', '/uploads/invented']) {
      const response = await deployed.fetch(`${ORIGIN}${path}`, { method: 'POST', body: '7' })
      expect([path, response.status]).toEqual([path, path.startsWith('/files') ? 405 : 404])
    }
  })

  it('reports nothing to telemetry', () => {
    const warnings = serverEvents
      .slice(eventsBefore)
      .filter(({ type }) => ['definition-warning', 'internal-error'].includes(type))
    expect(warnings).toEqual([])
  })
})

async function deliver(url: string): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  return (await deployed.fetch(url, { method: 'POST', headers, body: '7' })).status
}
