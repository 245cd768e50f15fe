/** `GET /inspect/state.json` of a person with state of every kind: through the endpoint, and with real objects. */
// features: sessions, changes, tasks
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { passphrase } from '../../../../src/auth/index.ts'
import { Browser } from '../../../../test/auth/server/support/browser.ts'
import { AuthClient } from '../../../../test/auth/server/support/client.ts'
import {
  createBindings,
  type Deployment,
  GUEST_PASSPHRASE,
  openDeployment,
  PASSPHRASE,
  RESOURCE,
} from '../../../../test/auth/server/support/deployment.ts'
import { HttpSession } from '../../../../test/support/http-session.ts'
import { keepHandler } from '../../../../test/support/session-server.ts'
import { SseReader } from '../../../../test/support/sse-reader.ts'
import { recordedTaskEvents, TASKS, taskServer } from '../../../../test/support/task-server.ts'
import { MODERN } from '../../../../test/support/test-app.ts'
import type { InspectedState } from '../../src/inspector/describe-state.ts'
import { inspector } from '../../src/inspector/index.ts'

const OWNER = 'state-owner'
const GUEST = 'state-guest'

/** Sessions and tasks write to the objects of principals, so those are the same for the deployment. */
const bindings = createBindings({}, ['account', 'throttle', 'documents', 'timeline', 'traffic'])

beforeEach(() => {
  // The keyring is that of other files, so time must not run ahead.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
})
afterEach(() => {
  vi.useRealTimers()
})

const open = () =>
  openDeployment(
    { login: passphrase({ people: { [OWNER]: PASSPHRASE, [GUEST]: GUEST_PASSPHRASE } }) },
    {
      bindings,
      server: taskServer,
      app: {
        inspector: inspector({ owners: [OWNER] }),
        telemetry: { spans: true, record: (event) => recordedTaskEvents.push(event) },
      },
    },
  )

/** Sends requests with the token of a person. */
async function connect(server: Deployment, secret?: string) {
  const client = await AuthClient.register(server, { client_name: 'Notebook' })
  const { access } = await client.tokens({}, secret)
  const send = (request: Request) => {
    const headers = new Headers(request.headers)
    headers.set('authorization', `Bearer ${access}`)
    const { url, method, body } = request
    return server.fetch(url, { method, headers, ...(body && { body, duplex: 'half' }) })
  }
  const post = (method: string, params: object, name?: string) =>
    send(
      new Request(RESOURCE, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': MODERN,
          'mcp-method': method,
          ...(name !== undefined && { 'mcp-name': name }),
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method,
          params: {
            ...params,
            _meta: {
              'io.modelcontextprotocol/protocolVersion': MODERN,
              'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
              ...TASKS,
            },
          },
        }),
      }),
    )
  return {
    access,
    openSession: () => HttpSession.open({ url: RESOURCE, fetch: send }),
    async createTask(handler: Parameters<typeof keepHandler>[0]) {
      const call = { name: 'required', arguments: keepHandler(handler) }
      const answer = await post('tools/call', call, 'required')
      const { result } = await answer.json<{ result: { taskId: string } }>()
      return result.taskId
    },
    async listen() {
      const notifications = { toolsListChanged: true }
      const stream = new SseReader(await post('subscriptions/listen', { notifications }))
      expect(await stream.message()).toMatchObject({
        method: 'notifications/subscriptions/acknowledged',
      })
      return stream
    },
  }
}

/** What the owner sees in a signed-in browser. */
async function watch(server: Deployment) {
  const browser = new Browser(server)
  await browser.signIn()
  return async (query = '') => {
    const { status, html } = await browser.get(`/inspect/state.json${query}`)
    expect(status).toBe(200)
    return { text: html, state: JSON.parse(html) as InspectedState }
  }
}

describe('GET /inspect/state.json', () => {
  it('has the sessions, tasks, grants and listeners of the person, by the keys of the traffic', async () => {
    const server = open()
    const read = await watch(server)
    const client = await connect(server)
    const session = await client.openSession()
    const logging = keepHandler(async (ctx) => {
      await ctx.log('info', 'stored')
      return 'done'
    })
    await (await session.streamTool('plain', logging)).rest()
    const standalone = await session.listen()
    const listener = await client.listen()
    recordedTaskEvents.length = 0
    const waiting = await client.createTask(async (ctx) => {
      await ctx.progress(1, 2, 'half of it')
      await ctx.waitFor('event')
      return 'never'
    })
    const ended = await client.createTask(() => 'done')
    await expect
      .poll(async () => (await read()).state.tasks?.map(({ status }) => status).sort())
      .toEqual(['completed', 'working'])
    const { state, text } = await read()
    expect(state).toEqual({
      subject: OWNER,
      sessions: [
        {
          session: expect.stringMatching(/^[0-9a-f]{16}$/),
          usedAt: expect.any(Number),
          expiresAt: expect.any(Number),
        },
      ],
      tasks: expect.arrayContaining([
        {
          task: expect.stringMatching(/^[0-9a-f]{16}$/),
          status: 'working',
          statusMessage: 'half of it',
          createdAt: expect.any(Number),
          lastUpdatedAt: expect.any(Number),
          expiresAt: expect.any(Number),
        },
      ]),
      grants: [
        {
          client: { id: expect.any(String), name: 'Notebook' },
          resource: RESOURCE,
          scopes: ['read', 'write'],
          createdAt: expect.any(Number),
          lastUsedAt: expect.any(Number),
        },
      ],
      listeners: { open: 2 },
    })
    const reported = recordedTaskEvents.flatMap((event) =>
      event.type === 'task' ? [event.task] : [],
    )
    expect(new Set(reported)).toEqual(new Set(state.tasks?.map(({ task }) => task)))
    for (const secret of [session.id, waiting, ended, client.access]) {
      expect(text).not.toContain(secret)
    }
    expect((await read(`?subject=${GUEST}`)).state).toEqual({
      subject: GUEST,
      sessions: [],
      tasks: [],
      grants: [],
      listeners: { open: 0 },
    })
    await listener.leave()
    await standalone.leave()
    await expect.poll(async () => (await read()).state.listeners).toEqual({ open: 0 })
  })

  it('has the state of another person whom the owner names, and never to that person', async () => {
    const server = open()
    const read = await watch(server)
    const client = await connect(server, GUEST_PASSPHRASE)
    await client.createTask(() => 'done')
    const { state } = await read(`?subject=${GUEST}`)
    expect(state).toMatchObject({ subject: GUEST, tasks: [{ statusMessage: null }] })
    expect(state.grants).toHaveLength(1)
    const guest = new Browser(server)
    await guest.signIn(GUEST_PASSPHRASE)
    for (const query of ['', `?subject=${GUEST}`, `?subject=${OWNER}`]) {
      expect((await guest.get(`/inspect/state.json${query}`)).status).toBe(404)
    }
  })
})
