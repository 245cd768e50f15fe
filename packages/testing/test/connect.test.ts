/** The options of `connect`: callers, factories, headers, errors of the author of a test. */
// features: asks

import { afterEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { asks, createEdgeway } from '../../../src/index.ts'
import { consoleSink } from '../../../src/telemetry/index.ts'
import { FullServer } from '../../../test/support/full-server.ts'
import { createSampleServer } from '../../../test/support/sample-server.ts'
import { createMcpHandler, McpServer as SdkServer } from '../../sdk/src/index.ts'
import { accept, connect, createClock } from '../src/index.ts'

describe('connect', () => {
  it('gives a definition the caller with its scopes and props', async () => {
    const server = new FullServer({ name: 'x', version: '1' })
    server.registerTool('who', {}, ({ auth }) => JSON.stringify(auth ?? 'nobody'))
    const caller = { subject: 'ann', clientId: 'claude', scopes: ['read'], props: { team: 'blue' } }
    const { text } = await (await connect(server, { caller })).callTool('who')
    expect(JSON.parse(text)).toMatchObject(caller)
    expect((await (await connect(server)).callTool('who')).text).toBe('"nobody"')
  })

  it('gives a factory the params of the path and of the query, and the environment', async () => {
    const client = await connect(
      ({ params, env }: { params: object; env: { readonly API: string } }) =>
        new FullServer({ name: 'x', version: '1' }).registerTool('where', {}, () =>
          JSON.stringify([params, env.API]),
        ),
      {
        env: { API: 'https://api.example' },
        url: '/mcp/acme?readonly',
        options: { path: '/mcp/{org}', queryParams: ['readonly'] },
      },
    )
    const { text } = await client.callTool('where')
    expect(JSON.parse(text)).toEqual([{ org: 'acme', readonly: '' }, 'https://api.example'])
  })

  it('sends the headers that the schema of a tool asks for', async () => {
    const client = await connect(createSampleServer())
    const args = { region: 'Zürich', level: 3, dry: false, target: { zone: 'a b' } }
    expect(JSON.parse((await client.callTool('routed', args)).text)).toEqual(args)
  })

  it('a client without capabilities is not asked', async () => {
    const server = new FullServer({ name: 'x', version: '1' })
    server.registerTool('ask', {}, async (ctx) => {
      if (!ctx.client.can('elicit')) return 'cannot'
      return (await ctx.elicit({ message: '?', schema: { ok: z.boolean() } })).action
    })
    expect((await (await connect(server, { capabilities: {} })).callTool('ask')).text).toBe(
      'cannot',
    )
    const client = await connect(server, {
      features: [asks()],
      elicit: () => accept({ ok: true }),
    })
    expect((await client.callTool('ask')).text).toBe('accept')
  })

  it('the text of a result is no member of the wire form', async () => {
    const result = await (await connect(createSampleServer())).callTool('echo', { text: 'tea' })
    expect(Object.keys(result)).not.toContain('text')
    expect(JSON.stringify(result)).not.toContain('"text":"tea","text"')
  })

  it('waits for what handlers pass to waitUntil', async () => {
    let done = false
    const server = new FullServer({ name: 'x', version: '1' })
    server.registerTool('later', {}, (ctx) => {
      ctx.waitUntil(new Promise((resolve) => setTimeout(resolve, 20)).then(() => (done = true)))
      return 'now'
    })
    const client = await connect(server)
    await client.callTool('later')
    expect(done).toBe(false)
    await client.settled()
    expect(done).toBe(true)
  })

  it('reports what was rejected before settled was called', async () => {
    const server = new FullServer({ name: 'x', version: '1' })
    server.registerTool('later', {}, (ctx) => {
      ctx.waitUntil(Promise.reject(new Error('The mail was not sent')))
      return 'now'
    })
    const client = await connect(server)
    await client.callTool('later')
    await expect(client.settled()).rejects.toThrow('The mail was not sent')
    await client.settled()
  })

  it.each([
    ['a server of edgeway/sdk', (server: SdkServer) => connect(server)],
    ['its factory', (server: SdkServer) => connect(() => server)],
    [
      'a handler of createMcpHandler',
      (server: SdkServer) => connect(createMcpHandler(() => server)),
    ],
  ])('connects to %s', async (_, open) => {
    const server = new SdkServer({ name: 'x', version: '1' })
    server.registerTool('hi', {}, () => ({ content: [{ type: 'text', text: 'hello' }] }))
    expect((await (await open(server)).callTool('hi')).text).toBe('hello')
  })

  it.each([undefined, null, 'http://localhost/mcp', { name: 'x', version: '1' }])(
    'rejects %j and names what a test connects to',
    async (target) => {
      await expect(connect(target as never)).rejects.toThrow(
        'a test connects to a server, to a factory, or to an app, which has fetch(request, env, ctx)',
      )
    },
  )

  it('rejects a revision that does not exist and names those that do', async () => {
    // @ts-expect-error no such revision
    const connecting = connect(createSampleServer(), { revision: '2025-12-12' })
    await expect(connecting).rejects.toThrow(/^revision must be one of 2026-07-28, .*2025-12-12$/)
  })

  it('rejects a caller for an app, which has its own authorization', async () => {
    // @ts-expect-error an app takes no caller
    const connecting = connect({ fetch: () => new Response() }, { caller: { subject: 'ann' } })
    await expect(connecting).rejects.toThrow(/An app has its own: sign in with signIn/)
  })

  it('explains that signIn needs an app that issues tokens', async () => {
    const app = { fetch: () => new Response(null, { status: 404 }) }
    await expect(connect(app, { signIn: true })).rejects.toThrow(/needs an app with embedded\(\)/)
  })
})

describe('connect to a definition without the features that it uses', () => {
  it('rejects with an error that names the option of connect', async () => {
    const server = new FullServer({ name: 'x', version: '1' })
    server.registerTool('photo', { files: true }, () => 'a photo')
    await expect(connect(server)).rejects.toThrow(
      'Tool "photo" with files: true needs features: [files()] in the options of connect',
    )
  })
})

describe('an error of a handler under edgeway/testing', () => {
  afterEach(() => vi.restoreAllMocks())

  function recordConsole() {
    const lines: string[] = []
    for (const level of ['error', 'warn', 'info'] as const) {
      vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(line))
    }
    return lines
  }

  const createServer = () => {
    const server = new FullServer({ name: 'x', version: '1' })
    server.registerTool('add', {}, () => {
      throw new TypeError('publish needs a binding')
    })
    return server
  }

  it('is written with its message as text', async () => {
    const lines = recordConsole()
    await (await connect(createServer())).callTool('add')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^\[edgeway\] handler-error .*\nTypeError: publish needs a binding\n/)
  })

  it('is written for an app that was created before the test connected', async () => {
    const app = createEdgeway(createServer())
    const lines = recordConsole()
    await (await connect(app)).callTool('add')
    expect(lines[0]).toContain('TypeError: publish needs a binding')
  })

  it('is the only line: warnings are written where the app has a consoleSink', async () => {
    const server = createServer()
    server.registerTool('notify', {}, async ({ notify }) => {
      await notify.toolsChanged()
      return 'done'
    })
    const lines = recordConsole()
    await (await connect(server)).callTool('notify')
    expect(lines).toEqual([])
    const options = { telemetry: consoleSink({ format: 'text' }) }
    await (await connect(server, { options })).callTool('notify')
    expect(lines).toEqual([expect.stringContaining('[edgeway] definition-warning')])
  })
})

describe('createClock', () => {
  it('moves the time until it is restored', () => {
    const before = Date.now()
    const clock = createClock('2030-01-01T00:00:00Z')
    expect(new Date().getFullYear()).toBe(2030)
    clock.advance(86_400_000)
    expect(new Date().toISOString()).toMatch(/^2030-01-02T00:00:00/)
    expect(new Date(0).toISOString()).toBe('1970-01-01T00:00:00.000Z')
    expect(new Date() instanceof Date).toBe(true)
    clock.restore()
    expect(Date.now() - before).toBeLessThan(60_000)
  })

  it('lets the state of an ask expire without waiting', async () => {
    const server = new FullServer({ name: 'x', version: '1' })
    server.registerTool('ask', {}, async (ctx) => {
      return (await ctx.elicit({ message: '?', schema: { ok: z.boolean() } })).action
    })
    const clock = createClock()
    try {
      const client = await connect(server, {
        features: [asks()],
        elicit: () => {
          clock.advance(11 * 60_000)
          return accept({ ok: true })
        },
      })
      await expect(client.callTool('ask')).rejects.toMatchObject({ code: -32602 })
    } finally {
      clock.restore()
    }
  })
})
