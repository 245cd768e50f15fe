/** The callers of `verifier()` and `fromContext()` at several hosts of one server. */
// features: sessions, files

import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type AuthConfig, fromContext, verifier } from '../../src/auth/index.ts'
import { jsonSchema } from '../../src/index.ts'
import { run } from '../durable-objects/state/run.ts'
import { TaskClient } from '../durable-objects/task/task-client.ts'
import { createFullEdgeway } from '../support/full-app.ts'
import { HttpSession, initialize } from '../support/http-session.ts'
import { keepHandler } from '../support/session-server.ts'
import { taskServer } from '../support/task-server.ts'
import { connectApp, type TestApp } from '../support/test-app.ts'
import { trusting } from '../support/trusting.ts'

/** All of them are served, and lead to the same Worker. */
const HOSTS = [
  'https://mcp.example.com',
  'https://MCP.example.com:8443',
  'https://mcp.example.com.',
  'https://preview-mcp.example.workers.dev',
  'https://[::ffff:127.0.0.1]',
  'https://203.0.113.9',
  'http://localhost:8787',
  'http://127.1:1',
  'http://[::1]:8787',
]

interface Opened {
  readonly subject: string
  /** The server at a host. */
  readonly at: (host: string) => TestApp
  readonly client: (host: string) => TaskClient
}

interface Setting {
  readonly audience?: string
  readonly origin?: string
  readonly options?: Parameters<typeof createFullEdgeway>[1]
}

const KINDS: Readonly<Record<string, () => AuthConfig>> = {
  'verifier()': () => verifier(({ headers }) => subjectOf(headers)),
  'verifier() with a configured issuer': () =>
    verifier(({ headers }) => subjectOf(headers), { issuer: 'https://keys.example' }),
  'fromContext()': () => fromContext(),
  'fromContext() without a user id': () => fromContext(),
}

const subjectOf = (headers: Headers) => ({
  subject: (headers.get('authorization') ?? '').replace('Bearer ', ''),
})

function open(kind: string, { audience, origin, options }: Setting = {}, person?: string): Opened {
  const subject = person ?? crypto.randomUUID()
  const auth = KINDS[kind]?.()
  const edgeway = createFullEdgeway(taskServer, {
    telemetry: () => undefined,
    limits: { streamAfterMs: 2000 },
    ...options,
    ...(audience !== undefined && { audience }),
    ...(auth && { auth }),
  })
  const bindings = { ...env, ...(origin !== undefined && { EDGEWAY_ORIGIN: origin }) }
  // What the code in front says of its caller.
  const front = kind.endsWith('user id')
    ? { props: { login: subject } }
    : { props: { login: subject }, auth: { userId: subject } }
  const fetch = async (request: Request) => {
    const context = Object.assign(Object.create(createExecutionContext()), front)
    const headers = new Headers(request.headers)
    headers.set('authorization', `Bearer ${subject}`)
    return edgeway.fetch(new Request(request, { headers }), bindings, context)
  }
  const at = (host: string) => connectApp({ fetch }).at(`${host}/mcp`)
  return { subject, at, client: (host) => new TaskClient(at(host)) }
}

describe.each(Object.keys(KINDS))('a caller of %s at several hosts', (kind) => {
  it('has one rate limit', async () => {
    // On a busy machine, the bucket would have another token before the last request.
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { at } = open(kind, {
      options: { rateLimits: { classes: { principal: { limit: 20 } } } },
    })
    const statuses: number[] = []
    for (let count = 0; count < 120; count++) {
      const host = HOSTS[count] ?? `https://host-${count}.example`
      statuses.push((await at(host).modern('tools/list')).status)
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(20)
    expect(statuses.filter((status) => status === 429)).toHaveLength(100)
  })

  it('has one quota of files', async () => {
    const { client } = open(kind, { options: { featureLimits: { files: { perPrincipal: 3 } } } })
    const stored: boolean[] = []
    for (let count = 0; count < 12; count++) {
      const host = HOSTS[count] ?? `https://host-${count}.example`
      const { body } = await client(host).call('plain', (ctx) => ctx.file('a.txt', 'a'))
      stored.push(body.result.isError !== true)
    }
    expect(stored).toEqual([true, true, true, ...Array(9).fill(false)])
  })

  it('has one quota of state', async () => {
    const { client } = open(kind, { options: { featureLimits: { state: { perPrincipal: 3 } } } })
    const stored: boolean[] = []
    for (const [index, host] of HOSTS.entries()) {
      const { body } = await client(host).call('plain', async (ctx) => {
        await ctx.state.principal.set(`key-${index}`, index)
        return 'stored'
      })
      stored.push(body.result.isError !== true)
    }
    expect(stored).toEqual([true, true, true, ...Array(6).fill(false)])
  })

  it('reads its state, its state handles and its files', async () => {
    const { client } = open(kind)
    const [first = ''] = HOSTS
    const { handle, uri } = await run(async (ctx) => {
      await ctx.state.principal.set('color', 'red')
      const { uri } = await ctx.file('a.txt', 'the text')
      return { handle: await ctx.state.create({ count: 1 }), uri }
    }, client(first))
    for (const host of HOSTS) {
      const read = await run(
        async (ctx) => [await ctx.state.principal.get('color'), await ctx.state.get(handle)],
        client(host),
      )
      expect([host, ...read]).toEqual([host, 'red', { count: 1 }])
      const { body } = await client(host).send('resources/read', { uri })
      expect([host, body.result?.contents[0].text]).toEqual([host, 'the text'])
    }
  })

  it('finds its task', async () => {
    const { client } = open(kind)
    const taskId = await client('https://mcp.example.com').start(async (ctx) => {
      await ctx.waitFor('never', { schema: jsonSchema({ type: 'object' }) })
      return 'done'
    })
    for (const host of HOSTS) {
      const { status, code } = await client(host).get(taskId)
      expect([host, status, code]).toEqual([host, 'working', undefined])
    }
    const other = open(kind).client('https://mcp.example.com')
    expect(await other.get(taskId)).toMatchObject({ code: -32602 })
  })

  it('uses its session', async () => {
    const { at } = open(kind)
    const endpoint = (host: string) => ({ url: `${host}/mcp`, fetch: at(host).fetch })
    const id = await initialize(endpoint('https://mcp.example.com'), {})
    for (const host of HOSTS) {
      const session = new HttpSession(endpoint(host), id, '2025-11-25')
      const answer = await session.callTool(
        'plain',
        keepHandler((ctx) => ctx.auth?.subject ?? ''),
      )
      expect([host, answer.status]).toEqual([host, 200])
      await answer.text()
    }
  })

  it('is not that of a server with another audience', async () => {
    const [host = ''] = HOSTS
    const one = open(kind, { audience: 'one' })
    const two = open(kind, { audience: 'two' }, one.subject)
    await run((ctx) => ctx.state.principal.set('color', 'red'), one.client(host))
    const read = () => run((ctx) => ctx.state.principal.get('color'), two.client(host))
    expect(await read()).toBe(undefined)
  })
})

describe('the callers of a server with a configured origin', () => {
  const ORIGIN = 'https://mcp.example.com'

  it.each(['verifier()', 'fromContext()'])(
    'of %s keep the state that they had at that origin, at every host',
    async (kind) => {
      const { subject, client } = open(kind, { origin: `${ORIGIN}, https://other.example` })
      // The principal of the release before: issuer and resource were those of the host.
      const before = connectApp(
        createFullEdgeway(taskServer, {
          telemetry: () => undefined,
          auth: trusting(ORIGIN),
        }),
        env,
      )
      const atOrigin = new TaskClient(before, subject)
      await run((ctx) => ctx.state.principal.set('color', 'red'), atOrigin)
      for (const host of [ORIGIN, 'https://other.example', ...HOSTS]) {
        const read = await run((ctx) => ctx.state.principal.get('color'), client(host))
        expect([host, read]).toEqual([host, 'red'])
      }
    },
  )

  it('are refused with 503 when the configured origin is invalid', async () => {
    for (const kind of ['verifier()', 'fromContext()']) {
      const { at } = open(kind, { origin: 'mcp.example.com' })
      expect((await at(ORIGIN).modern('tools/list')).status).toBe(503)
    }
  })
})
