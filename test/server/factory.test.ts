// features: sessions, rate-limits
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { McpServer, type ServerFactory } from '../../src/index.ts'
import type { FullFactoryOptions } from '../support/full-app.ts'
import { openFactoryApp } from '../support/test-app.ts'

const INFO = { name: 'factory', version: '1' }

/** A tool that is named after the org, and closes over everything. */
const orgServer: ServerFactory<{ readonly KEY: string }> = ({ env, params }) =>
  new McpServer({ name: 'x', version: '0' }, { instructions: `for ${params.org}` })
    .registerTool(
      `list_${params.org ?? 'all'}`,
      { inputSchema: { a: z.string().optional() } },
      () => [env.KEY, params.project, 'readonly' in params].join(' '),
    )
    .registerResource('r', 'note://a', { cacheScope: 'public', ttlMs: 5000 }, () => 'x')

const ORGS: Partial<FullFactoryOptions> = {
  path: '/mcp/{org}/{project}',
  otherPaths: ['/mcp'],
  queryParams: ['readonly'],
}

const open = (
  factory: ServerFactory<{ readonly KEY: string }>,
  options: Partial<FullFactoryOptions> = {},
) => openFactoryApp(factory, { info: INFO, ...options }, { KEY: 'key' })

describe('a definition from a factory', () => {
  it('depends on the path, the query and the environment', async () => {
    const app = open(orgServer, ORGS)
    const names = async (path: string) => {
      const { body } = await app.at(path).modern('tools/list')
      return body.result.tools.map(({ name }: { name: string }) => name)
    }
    expect(await names('/mcp/acme/one')).toEqual(['list_acme'])
    expect(await names('/mcp/other/one/')).toEqual(['list_other'])
    expect(await names('/mcp')).toEqual(['list_all'])
    const call = async (path: string) =>
      (await app.at(path).modern('tools/call', { name: 'list_acme' })).body.result?.content[0].text
    expect(await call('/mcp/acme/one')).toBe('key one false')
    expect(await call('/mcp/acme/t%C3%A9%20x?readonly')).toBe('key té x true')
    expect(await call('/mcp/other/one')).toBeUndefined()
  })

  it('has the static name, and the instructions of the caller', async () => {
    const { body } = await open(orgServer, ORGS).at('/mcp/acme/one').modern('server/discover')
    expect(body.result._meta['io.modelcontextprotocol/serverInfo']).toEqual(INFO)
    expect(body.result.instructions).toBe('for acme')
  })

  it('has the name of the server of its caller when the options name only the audience', async () => {
    const named = ({ params }: { readonly params: Record<string, string> }) =>
      new McpServer({ name: `server of ${params.org}`, version: '7' }).registerTool(
        't',
        {},
        () => 'x',
      )
    const app = openFactoryApp(named, { ...ORGS, audience: 'orgs' })
    for (const org of ['acme', 'other']) {
      const at = app.at(`/mcp/${org}/one`)
      const info = { name: `server of ${org}`, version: '7' }
      const { body } = await at.modern('tools/call', { name: 't' })
      expect(body.result._meta['io.modelcontextprotocol/serverInfo']).toEqual(info)
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info }
      expect((await at.session('initialize', params)).body.result.serverInfo).toEqual(info)
    }
  })

  it('belongs to one request when it belongs to sessions and the request has none', async () => {
    let built = 0
    const classes = { slow: { limit: 1000, periodSeconds: 60 } } as const
    const app = open(
      (context) => {
        built++
        return orgServer(context)
      },
      { ...ORGS, definitionPer: 'session', rateLimits: { classes } },
    ).at('/mcp/acme/one')
    for (let count = 0; count < 3; count++) await app.modern('tools/call', { name: 'list_acme' })
    expect(built).toBe(3)
    const call = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'list_acme' } }
    const batch = [1, 2, 3].map((id) => ({ ...call, id }))
    const answers = await app.post(batch, { 'mcp-protocol-version': '2025-03-26' })
    expect(await answers.json()).toHaveLength(3)
    expect(built).toBe(4)
  })

  it('is private to its caller, also where the author declares it public', async () => {
    const app = open(orgServer, ORGS).at('/mcp/acme/one')
    for (const [method, params] of [
      ['server/discover', {}],
      ['tools/list', {}],
      ['resources/list', {}],
      ['resources/read', { uri: 'note://a' }],
    ] as const) {
      expect((await app.modern(method, params)).body.result, method).toMatchObject({
        cacheScope: 'private',
      })
    }
  })

  it('is built once for the same caller and params, and again when it is too old', async () => {
    const built: string[] = []
    const app = open(
      (context) => {
        built.push(JSON.stringify(context.params))
        return orgServer(context)
      },
      { ...ORGS, limits: { definitionMaxAgeMs: 3_000 } },
    )
    const list = () => app.at('/mcp/acme/one').modern('tools/list')
    await Promise.all([list(), list(), list()])
    expect(built).toHaveLength(1)
    await app.at('/mcp/acme/two').modern('tools/list')
    expect(built).toHaveLength(2)
    await new Promise((resolve) => setTimeout(resolve, 3_100))
    await list()
    expect(built).toHaveLength(3)
  })

  it('is dropped beyond the number that an isolate keeps', async () => {
    let built = 0
    const app = open(
      (context) => {
        built++
        return orgServer(context)
      },
      { ...ORGS, limits: { definitionsPerIsolate: 2 } },
    )
    for (const org of ['a', 'b', 'c', 'a']) await app.at(`/mcp/${org}/x`).modern('tools/list')
    expect(built).toBe(4)
  })

  it.each([
    ['throws', () => Promise.reject(new Error('secret'))],
    ['throws at once', () => JSON.parse('{')],
    ['returns no server', () => ({}) as never],
    ['hangs', () => new Promise<never>(() => undefined)],
  ])('answers 500 with a reference when the factory %s, and tries again', async (_, fail) => {
    let fails = true
    const factory: typeof orgServer = (context) => (fails ? fail() : orgServer(context))
    const app = open(factory, { limits: { factoryTimeoutMs: 100 } })
    for (const answer of [await app.modern('tools/list'), await app.session('tools/list')]) {
      expect(answer.status).toBe(500)
      expect(answer.body.error).toMatchObject({ code: -32603 })
      expect(answer.body.error.message).toMatch(
        /^This server could not build its definition for you \(reference [0-9a-f]{8}\)/,
      )
    }
    const subjects = app.events.flatMap((event) => ('subject' in event ? [event.subject] : []))
    expect(subjects).toEqual(['The factory', 'The factory'])
    fails = false
    expect((await app.modern('tools/list')).status).toBe(200)
  })

  it('does not wait for the factory of another caller', async () => {
    const app = open(
      async (context) => {
        if (context.params.org === 'slow') await new Promise(() => undefined)
        return orgServer(context)
      },
      { ...ORGS, limits: { factoryTimeoutMs: 500 } },
    )
    const slow = app.at('/mcp/slow/x').modern('tools/list')
    expect((await app.at('/mcp/quick/x').modern('tools/list')).status).toBe(200)
    expect((await slow).status).toBe(500)
  })

  it.each([
    ['/mcp/acme', 'a missing segment'],
    ['/mcp//one', 'an empty segment'],
    ['/mcp/acme/one/two', 'a segment too many'],
    ['/mcp/acme/%FF', 'an invalid percent-encoding'],
    ['/mcp/acme/a%2Fb', 'an encoded slash'],
    ['/mcp/acme/a%5Cb', 'an encoded backslash'],
    ['/mcp/acme/..%2F', 'an encoded path'],
    ['/mcp/acme/%00', 'NUL'],
    ['/mcp/acme/a%0Ab', 'a line break'],
    ['/mcp/acme/a%252Fb', 'a slash that is encoded twice'],
    ['/mcp/acme/%252e%252E', 'dots that are encoded twice'],
    ['/mcp/acme/a%3Fadmin', 'the begin of a query'],
    ['/mcp/acme/a%23', 'the begin of a fragment'],
    ['/mcp/acme/a%7F', 'the control character DEL'],
    ['/mcp/acme/a%C2%85', 'a control character of two bytes'],
    ['/mcp/acme/%C0%AE%C0%AE', 'an overlong encoding'],
    ['/mcp/acme/%ED%A0%80', 'a lone surrogate'],
    ['/mcp/acme/%', 'an incomplete percent-encoding'],
    [`/mcp/acme/${'a'.repeat(201)}`, 'a segment that is too long'],
  ])('is not found at %s: %s', async (path) => {
    expect((await open(orgServer, ORGS).at(path).modern('tools/list')).status).toBe(404)
  })

  it.each([
    ['of 200 characters of three bytes', `/mcp/acme/${'%E6%97%A5'.repeat(200)}`],
    ['with a percent sign', '/mcp/acme/100%25'],
    ['of three dots', '/mcp/acme/...'],
    ['with a semicolon', '/mcp/acme/a;b=c'],
    ['with a plus sign', '/mcp/acme/a+b'],
    ['with the name of a member of objects', '/mcp/acme/__proto__'],
  ])('has a segment %s', async (_, path) => {
    expect((await open(orgServer, ORGS).at(path).modern('tools/list')).status).toBe(200)
  })

  it.each([
    ['/mcp/acme/one/..', 404],
    ['/mcp/acme/one/%2e%2e', 404],
    ['/mcp/acme/one/../two', 200],
    ['/mcp/acme/./one', 200],
  ])('is looked for after dot segments are removed from the path: %s', async (path, expected) => {
    expect((await open(orgServer, ORGS).at(path).modern('tools/list')).status).toBe(expected)
  })

  it.each([
    ['too long', 'a'.repeat(201)],
    ['with NUL', '%00'],
    ['with a line break', 'a%0D%0Ab'],
  ])('is refused for a query parameter %s', async (_, value) => {
    const path = `/mcp/acme/one?readonly=${value}`
    const { status, body } = await open(orgServer, ORGS).at(path).modern('tools/list')
    expect(status).toBe(400)
    expect(body.error.message).toMatch(/longer than 200 characters or has control characters/)
  })

  it('is the same for each order of the query, and for parameters that are not named', async () => {
    let built = 0
    const app = open(
      (context) => {
        built++
        return orgServer(context)
      },
      { queryParams: ['a', 'b'] },
    )
    for (const query of [
      '?a=1&b=2',
      '?b=2&a=1',
      '?b=2&a=1&other=3&A=4&__proto__=5',
      '?a=1&a=9&b=2',
      '?%61=1&b=2',
    ]) {
      await app.at(`/mcp${query}`).modern('tools/list')
    }
    expect(built).toBe(1)
  })
})

describe('createEdgeway with a factory', () => {
  it.each([
    ['no info', { info: undefined as never }, /factory: options\.info needs \{ name, version \}/],
    ['a malformed path', { path: '/mcp/{org' }, /path "\/mcp\/\{org" must start with/],
    ['a param without a name', { path: '/mcp/{}' }, /must start with/],
    ['a wildcard', { path: '/mcp/*' }, /must start with/],
    ['a doubled name', { path: '/{a}/{a}' }, /must not name a parameter twice/],
    [
      'a name of path and query',
      { path: '/{a}', queryParams: ['a'] },
      /must not name a parameter twice/,
    ],
    ['a malformed query name', { queryParams: ['a=b'] }, /"a=b" is not a name/],
    [
      'different params of stream and messages',
      { httpSse: { path: '/sse/{a}' } },
      /httpSse\.path and httpSse\.messagesPath must have the same params/,
    ],
    [
      'a stream without the params that every path has',
      { path: '/mcp/{org}', httpSse: { path: '/sse', messagesPath: '/messages' } },
      /httpSse\.path must have params/,
    ],
    [
      'a stream with a param of the query',
      {
        httpSse: { path: '/sse/{a}', messagesPath: '/messages/{a}' },
        queryParams: ['a'],
      },
      /must not name a parameter twice/,
    ],
    ['a limit that is no number', { limits: { factoryTimeoutMs: 0 } }, /must be a number above 0/],
  ])('throws for %s', (_, options, message) => {
    expect(() => open(orgServer, options)).toThrow(message)
  })

  it('throws for a path with params and a server', async () => {
    const { createEdgeway } = await import('../../src/index.ts')
    expect(() => createEdgeway(new McpServer(INFO), { path: '/mcp/{org}' })).toThrow(
      /A path with params needs a factory/,
    )
  })
})
