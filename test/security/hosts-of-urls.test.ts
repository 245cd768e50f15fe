/** The URLs that a server makes, for requests with every kind of `Host`. */
// features: sessions, files, landing-page

import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { fromContext, verifier } from '../../src/auth/index.ts'
import { createHostCheck } from '../../src/security/host.ts'
import { createServerOrigins } from '../../src/security/server-origins.ts'
import type { TelemetryEvent } from '../../src/telemetry/index.ts'
import { run } from '../durable-objects/state/run.ts'
import { TaskClient } from '../durable-objects/task/task-client.ts'
import { createFullEdgeway, type FullOptions } from '../support/full-app.ts'
import { HttpSession, initialize } from '../support/http-session.ts'
import { keepHandler } from '../support/session-server.ts'
import { TASKS, taskServer } from '../support/task-server.ts'
import { connectApp, type TestApp } from '../support/test-app.ts'
import { trusting } from '../support/trusting.ts'

const ORIGIN = 'https://mcp.example.com'
const OTHER = 'https://mcp.example.org:8443'

const HOSTS = [
  'https://attacker.example',
  'https://mcp.example.com.attacker.example',
  'https://mcp.example.com.',
  'https://mcp.example.com:8443',
  'https://mcp.example.org',
  'https://[::ffff:127.0.0.1]',
  'http://localhost:8787',
  'http://127.1',
]

/** What a proxy, or a client that imitates one, says of the host. */
const FORWARDED = {
  'x-forwarded-host': 'attacker.example',
  'x-forwarded-proto': 'http',
  'x-forwarded-port': '81',
  'x-original-host': 'attacker.example',
  forwarded: 'host=attacker.example;proto=http',
}

const events: TelemetryEvent[] = []

function open(variable: string | undefined, options: FullOptions = {}) {
  const edgeway = createFullEdgeway(taskServer, {
    telemetry: (event) => events.push(event),
    limits: { streamAfterMs: 2000 },
    ...options,
  })
  const bindings = { ...env, ...(variable !== undefined && { EDGEWAY_ORIGIN: variable }) }
  const fetch = async (request: Request) => {
    const headers = new Headers(request.headers)
    headers.set('authorization', 'Bearer token')
    for (const [name, value] of Object.entries(FORWARDED)) headers.set(name, value)
    return connectApp(edgeway, bindings).fetch(new Request(request, { headers }))
  }
  return (host: string): TestApp => connectApp({ fetch }, bindings).at(`${host}/mcp`)
}

const originOf = (url: string) => new URL(url).origin

/** The URLs that a server makes for a request. */
const URLS: Readonly<Record<string, (app: TestApp, host: string) => Promise<string>>> = {
  'a file': (app) => run(async (ctx) => (await ctx.file('a.txt', 'a')).url(), new TaskClient(app)),
  'a file in a session': async (app, host) => {
    const endpoint = { url: `${host}/mcp`, fetch: app.fetch }
    const session = new HttpSession(endpoint, await initialize(endpoint, {}), '2025-11-25')
    const answer = await session.callTool(
      'plain',
      keepHandler(async (ctx) => (await ctx.file('a.txt', 'a')).url()),
    )
    const [, url = ''] = /(https?:[^"\\]*\/files\/)/.exec(await answer.text()) ?? []
    return url
  },
  'a file in a task': async (app) => {
    const { promise, resolve } = Promise.withResolvers<string>()
    await new TaskClient(app).start(async (ctx) => {
      // After a sleep, the task resumes without a request.
      await ctx.sleep('nap', 1)
      resolve(await (await ctx.file('a.txt', 'a')).url())
      return 'done'
    })
    return promise
  },
  'an upload': async (app) => {
    const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } } }
    const script = keepHandler(async (ctx) => (await ctx.upload({ message: 'A file' })).action)
    const params = { name: 'plain', arguments: script }
    const { body } = await app.modern('tools/call', params, { meta })
    const [request] = Object.values(body.result.inputRequests) as { params: { url: string } }[]
    return request?.params.url ?? ''
  },
  'a webhook of a task': async (app) => {
    const { promise, resolve } = Promise.withResolvers<string>()
    await new TaskClient(app).start(async (ctx) => {
      resolve(await ctx.webhook('paid'))
      return 'done'
    })
    return promise
  },
  'a webhook of a session': async (app, host) => {
    const endpoint = { url: `${host}/mcp`, fetch: app.fetch }
    const session = new HttpSession(endpoint, await initialize(endpoint, {}), '2025-11-25')
    const answer = await session.callTool(
      'plain',
      keepHandler((ctx) => ctx.webhook('paid')),
    )
    const [, url = ''] = /(https?:[^"\\]*\/webhooks\/)/.exec(await answer.text()) ?? []
    return url
  },
  'the page at /': async (app, host) => {
    const headers = { accept: 'application/json' }
    const page = await app.fetch(new Request(`${host}/`, { headers }))
    const { endpoints } = (await page.json()) as { endpoints: { url: string }[] }
    return endpoints[0]?.url ?? ''
  },
}

const KINDS: Readonly<Record<string, FullOptions>> = {
  'without authorization': {},
  'with verifier()': { auth: verifier(() => ({ subject: 'ada' })) },
  'with fromContext() and anonymous callers': { auth: fromContext({ anonymous: true }) },
}

describe.each(Object.keys(KINDS))('a server %s and a configured origin', (kind) => {
  it.each(Object.keys(URLS))('has it in the URL of %s at every host', async (name) => {
    const at = open(ORIGIN, KINDS[kind])
    for (const host of HOSTS) {
      const url = await URLS[name]?.(at(host), host)
      expect([host, originOf(url ?? '')]).toEqual([host, ORIGIN])
    }
  })
})

describe('a server whose authorization has the option origins', () => {
  it.each(Object.keys(URLS))('has the first one in the URL of %s', async (name) => {
    const auth = { ...trusting(ORIGIN), origins: [ORIGIN, OTHER] }
    const at = open('https://variable.example', { auth })
    for (const host of HOSTS) {
      const url = await URLS[name]?.(at(host), host)
      expect([host, originOf(url ?? '')]).toEqual([host, ORIGIN])
    }
  })
})

describe('a server with several configured origins', () => {
  it.each(Object.keys(URLS))(
    'has the one of the host in the URL of %s, and the first one for any other host',
    async (name) => {
      const at = open(`${ORIGIN} ${OTHER}`)
      // Behind a proxy that ends TLS, the scheme is another one.
      for (const [host, expected] of [
        [OTHER, OTHER],
        [OTHER.toUpperCase().replace('HTTPS', 'https'), OTHER],
        [ORIGIN, ORIGIN],
        ...HOSTS.map((unlisted) => [unlisted, ORIGIN]),
      ] as const) {
        const url = await URLS[name]?.(at(host ?? ''), host ?? '')
        expect([host, originOf(url ?? '')]).toEqual([host, expected])
      }
    },
  )
})

describe('a server without a configured origin', () => {
  it.each(Object.keys(URLS))(
    'has the origin of the request in the URL of %s, and nothing of forwarding headers',
    async (name) => {
      for (const variable of [undefined, '', 'development']) {
        const at = open(variable)
        for (const host of [ORIGIN, 'http://localhost:8787']) {
          const url = await URLS[name]?.(at(host), host)
          expect([host, originOf(url ?? '')]).toEqual([host, host])
        }
      }
    },
  )

  it.each([
    ['http://LOCALHOST', 'http://localhost'],
    ['http://127.1', 'http://127.0.0.1'],
    ['https://MCP.example.com:443', ORIGIN],
  ])('has the origin of a request to %s in its normal form', async (host, expected) => {
    const { ofRequest } = createServerOrigins({
      listed: [],
      audience: 'tasks',
      checkHost: createHostCheck({ allowedHosts: [] }),
    })
    // A raw runtime keeps the text of the header in the URL, which `Request` would normalise.
    expect(ofRequest({ url: `${host}/mcp` }, {})).toBe(expected)
  })
})

describe('a server whose configured origin is invalid', () => {
  it('makes no URL of a file, and reports the variable', async () => {
    const at = open('mcp.example.com/')
    const script = keepHandler(async (ctx) => (await ctx.file('a.txt', 'a')).url())
    const { body } = await at(ORIGIN).modern(
      'tools/call',
      { name: 'plain', arguments: script },
      { meta: TASKS },
    )
    expect(JSON.stringify(body)).not.toContain('/files/')
    expect(
      JSON.stringify(events.map((event) => 'error' in event && String(event.error))),
    ).toContain('The origin \\"mcp.example.com/\\" must be like https://mcp.example.com')
  })

  it('shows its page to its operator all the same', async () => {
    const at = open('mcp.example.com/')
    const page = await at(ORIGIN).fetch(new Request(`${ORIGIN}/`))
    expect(page.status).toBe(200)
  })
})
