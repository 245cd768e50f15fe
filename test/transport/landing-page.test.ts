/** `GET /`: the page for people, through the app's `fetch`. */
// features: landing-page

import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ListToolsRequestSchema, McpServer as SdkServer } from '../../packages/sdk/src/index.ts'
import { external, fromContext, verifier } from '../../src/auth/index.ts'
import { ResourceTemplate } from '../../src/index.ts'
import { createFullEdgeway, type FullOptions } from '../support/full-app.ts'
import { FullServer } from '../support/full-server.ts'
import { openApp, openFactoryApp, type TestApp } from '../support/test-app.ts'

const ROOT = 'http://localhost:8787/'
const INFO = { name: 'weather', version: '2.0.1' }
const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(1)> ' & \u202e`

function createServer(): FullServer {
  const server = new FullServer(
    {
      ...INFO,
      title: 'Weather',
      description: 'Forecasts for any place',
      websiteUrl: 'https://w.example/',
    },
    { instructions: 'Prefer the hourly forecast.' },
  )
  server.registerTool(
    'forecast',
    {
      title: 'Forecast',
      description: 'The forecast of a place',
      inputSchema: z.object({
        place: z.string().describe('The name of a place'),
        days: z.number().optional(),
      }),
      annotations: { readOnlyHint: true, openWorldHint: true },
      scopes: ['read'],
    },
    () => 'sun',
  )
  server.registerTool('secret', { visible: (auth) => auth !== undefined }, () => '')
  server.registerResource(
    'stations',
    'weather://stations',
    { description: 'All stations' },
    () => '',
  )
  server.registerResource(
    'station',
    new ResourceTemplate('weather://stations/{id}', { list: undefined }),
    {},
    () => '',
  )
  server.registerPrompt('packing', { argsSchema: z.object({ trip: z.string() }) }, () => 'pack')
  return server
}

const get = (app: TestApp, headers: Record<string, string> = {}, method = 'GET') =>
  app.fetch(new Request(ROOT, { method, headers }))
const html = async (app: TestApp) => (await get(app, { accept: 'text/html' })).text()
// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the wire form
const json = async (app: TestApp): Promise<any> =>
  (await get(app, { accept: 'application/json' })).json()
const open = (options?: FullOptions) => openApp(createServer(), options)

const TOKENS = verifier(() => undefined)

describe('the landing page', () => {
  it('says what the server offers, with arguments, hints and scopes', async () => {
    const page = await html(open())
    for (const text of [
      '<h1><bdi>Weather</bdi></h1>',
      'Forecasts for any place',
      'http://localhost:8787/mcp',
      'Tools (1)',
      'The forecast of a place',
      '<span>reads only</span> <span>reaches other services</span> <span>needs read</span>',
      '2 arguments',
      'The name of a place',
      'string, required',
      'number, optional',
      'Resources (1)',
      'weather://stations',
      'Resource templates (1)',
      'weather://stations/{id}',
      'Prompts (1)',
      'packing',
      'https://w.example/',
    ]) {
      expect(page).toContain(text)
    }
    expect(page).not.toContain('secret')
    expect(page).not.toContain('Prefer the hourly')
  })

  it('shows the owner by the host of the site, and an icon that is in the definition', async () => {
    const page = await html(open())
    expect(page).toContain('By <a href="https://w.example/" rel="noreferrer">')
    expect(page).toContain('<span class="letter" aria-hidden="true">W</span>')
    const src = 'data:image/png;base64,iVBORw0KGgo='
    const icons = [{ src: 'https://w.example/icon.png' }, { src }]
    const shown = await html(openApp(new FullServer({ ...INFO, icons })))
    expect(shown.match(/<img [^>]*>/g)).toEqual([
      `<img src="${src}" alt="" width="64" height="64">`,
    ])
    expect(shown).not.toContain('class="letter"')
    expect(shown).not.toContain('By <a')
  })

  it.each([
    ['Émile', 'É'],
    ['  ¿qué?', 'Q'],
    ['天気', '天'],
    ['<b>', 'B'],
    ['…', ''],
  ])('without an icon shows the first letter of %s', async (title, letter) => {
    const page = await html(openApp(new FullServer({ ...INFO, title })))
    expect(page).toContain(`<span class="letter" aria-hidden="true">${letter}</span>`)
  })

  it('has a machine-readable form', async () => {
    const body = await json(open({ landingPage: { instructions: true } }))
    expect(body).toMatchObject({
      ...INFO,
      title: 'Weather',
      instructions: 'Prefer the hourly forecast.',
      endpoints: [{ url: 'http://localhost:8787/mcp', parameters: [] }],
      authorization: { required: false, scopes: [] },
      lists: {
        tools: {
          total: 1,
          items: [
            {
              name: 'forecast',
              annotations: { readOnlyHint: true },
              arguments: [
                { name: 'place', type: 'string', required: true },
                { name: 'days', type: 'number', required: false },
              ],
              scopes: ['read'],
            },
          ],
        },
        resources: { total: 1, items: [{ uri: 'weather://stations' }] },
        resourceTemplates: { total: 1, items: [{ uri: 'weather://stations/{id}' }] },
        prompts: { total: 1, items: [{ arguments: [{ name: 'trip', required: true }] }] },
      },
    })
  })

  it('gives each client a command or a link with the URL of the endpoint', async () => {
    const app = open()
    const url = 'https://weather.example/mcp'
    const response = await app.fetch(
      new Request('https://weather.example/', { headers: { accept: 'application/json' } }),
    )
    const { clients } = (await response.json()) as { clients: { client: string }[] }
    const config = { name: 'weather', type: 'http', url }
    expect(clients).toEqual([
      { client: 'Claude', steps: expect.stringContaining('Connectors') },
      { client: 'Claude Code', command: `claude mcp add --transport http weather ${url}` },
      { client: 'ChatGPT', steps: expect.stringContaining('developer mode') },
      {
        client: 'VS Code',
        command: `code --add-mcp "{\\"name\\":\\"weather\\",\\"type\\":\\"http\\",\\"url\\":\\"${url}\\"}"`,
        link: `vscode:mcp/install?${encodeURIComponent(JSON.stringify(config))}`,
      },
      {
        client: 'Cursor',
        link: `cursor://anysphere.cursor-deeplink/mcp/install?name=weather&config=${encodeURIComponent(btoa(JSON.stringify({ url })))}`,
      },
      { client: 'Codex', command: `codex mcp add weather --url ${url}` },
      { client: 'Gemini CLI', command: `gemini mcp add --transport http weather ${url}` },
      { client: 'Copilot CLI', command: `copilot mcp add --transport http weather ${url}` },
    ])
  })

  it.each([
    ['--help; rm -rf ~', 'help-rm-rf'],
    ['$(id)`id`', 'id-id'],
    ['Ünïcödé', 'n-c-d'],
    ['天気', 'mcp-server'],
  ])('makes the name %j safe for a shell', async (name, id) => {
    const { clients } = await json(openApp(new FullServer({ name, version: '1' })))
    expect(clients[1].command).toBe(`claude mcp add --transport http ${id} ${ROOT}mcp`)
  })

  it('gives no command where the host has characters that a shell interprets', async () => {
    const response = await open().fetch(
      new Request('https://a$(id)b.example/', { headers: { accept: 'application/json' } }),
    )
    const { clients } = (await response.json()) as { clients: object[] }
    expect(clients.filter((client) => 'command' in client || 'link' in client)).toEqual([])
  })

  it('shows hostile names, descriptions and URIs as text alone', async () => {
    const server = new FullServer({
      name: HOSTILE,
      version: HOSTILE,
      title: HOSTILE,
      description: HOSTILE,
      websiteUrl: 'javascript:alert(1)',
      icons: [{ src: `data:image/svg+xml,"><script>alert(1)</script>` }],
    } as never)
    server.registerTool(
      'x',
      {
        title: HOSTILE,
        description: HOSTILE,
        inputSchema: z.object({ [HOSTILE]: z.string().describe(HOSTILE) }),
      },
      () => '',
    )
    server.registerResource('r', 'x:%22%3E%3Cscript%3E', { title: HOSTILE }, () => '')
    const page = await html(openApp(server, { landingPage: { instructions: true } }))
    expect(page).not.toMatch(/<script|<img src=x|javascript:|\u202e/)
    expect(page.match(/<img /g)).toHaveLength(1)
  })

  it('stays below 30 KB with 300 tools, and says how many are not shown', async () => {
    const server = new FullServer({ ...INFO, description: '天'.repeat(2000) })
    for (let n = 0; n < 300; n++) {
      const name = `tool_${n}`
      const description = `&"<>天気`.repeat(100)
      server.registerTool(name, { description, inputSchema: z.object({ a: z.string() }) }, () => '')
      server.registerPrompt(`prompt_${n}`, { description }, () => '')
      server.registerResource(`r${n}`, `x://${n}`, { description }, () => '')
    }
    const app = openApp(server)
    const page = await html(app)
    expect(new TextEncoder().encode(page).byteLength).toBeLessThan(30_000)
    expect(page).toContain('Tools (300)')
    expect(page).toContain('Prompts (300)')
    expect(page.match(/\d+ more are not shown here/g)).toHaveLength(3)
    const { lists } = await json(app)
    expect([lists.tools.total, lists.tools.items.length]).toEqual([300, 300])
  })

  it('stays below 30 KB with 300 scopes and long texts everywhere', async () => {
    const long = `&"<>天気`.repeat(500)
    const server = new FullServer(
      { ...INFO, title: long, description: long },
      { instructions: long },
    )
    server.registerTool('x', { title: long, description: long }, () => '')
    const scopes = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`scope-${n}`, long]))
    const issuers = [{ issuer: 'https://issuer.example' }]
    const app = openApp(server, {
      auth: external({ issuers, scopes, origin: 'http://localhost:8787' }),
      landingPage: { lists: 'everyone', instructions: true },
    })
    const page = await html(app)
    expect(new TextEncoder().encode(page).byteLength).toBeLessThan(30_000)
    expect(page).toContain('Permissions (300)')
    expect(page).toContain('Tools (1)')
    expect((await json(app)).authorization.scopes).toHaveLength(300)
  })

  it('lists each path, and names the params of the first', async () => {
    const app = openFactoryApp(() => createServer(), {
      info: INFO,
      path: '/mcp/{org}',
      otherPaths: ['/public'],
      queryParams: ['readonly'],
    })
    const { endpoints, queryParameters, clients } = await json(app)
    expect(endpoints).toEqual([
      { url: `${ROOT}mcp/{org}`, parameters: ['org'] },
      { url: `${ROOT}public`, parameters: [] },
    ])
    expect(queryParameters).toEqual(['readonly'])
    expect(clients[1].command).toBe(`claude mcp add --transport http weather "${ROOT}mcp/{org}"`)
    expect(clients.filter((client: object) => 'link' in client)).toEqual([])
    const page = await html(app)
    expect(page).toContain('{org}')
    expect(page).toContain(`${ROOT}public`)
    expect(page).toContain('readonly')
  })

  it('says that the lists depend on the URL where every path has params', async () => {
    const app = openFactoryApp(() => createServer(), { info: INFO, path: '/mcp/{org}' })
    expect((await json(app)).hidden).toBe('parameters')
    expect(await html(app)).not.toContain('forecast')
  })

  it('shows what the factory builds for an anonymous caller', async () => {
    const seen: unknown[] = []
    const app = openFactoryApp(
      ({ auth, params }) => {
        seen.push([auth, params])
        return createServer()
      },
      { info: INFO },
    )
    expect(await html(app)).toContain('forecast')
    expect(seen).toEqual([[undefined, {}]])
  })

  it('says that the lists are unavailable when the factory fails, without its error', async () => {
    const app = openFactoryApp(
      () => {
        throw new Error('database password')
      },
      { info: INFO },
    )
    const page = await html(app)
    expect(page).toContain('cannot be shown at the moment')
    expect(page).not.toContain('password')
    expect(app.events.map(({ type }) => type)).toContain('handler-error')
  })

  it('omits a list that a method of the author answers', async () => {
    const server = new SdkServer(INFO)
    server.registerTool('hidden', {}, async () => ({ content: [] }))
    server.server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [] }))
    const { lists } = await json(openApp(server))
    expect(Object.keys(lists)).toEqual(['resources', 'resourceTemplates', 'prompts'])
  })

  it.each([
    ['without authorization', undefined, undefined, true],
    ['without authorization, not at all', undefined, { lists: 'none' }, false],
    ['behind authorization', TOKENS, undefined, false],
    ['behind authorization, for everyone', TOKENS, { lists: 'everyone' }, true],
    ['with anonymous callers', fromContext({ anonymous: true }), undefined, true],
    [
      'with anonymous callers, for people who are signed in',
      fromContext({ anonymous: true }),
      { lists: 'signed-in' },
      false,
    ],
  ] as const)('shows the lists %s as the owner says', async (_, auth, landingPage, isShown) => {
    const app = open({
      ...(auth !== undefined && { auth }),
      ...(landingPage !== undefined && { landingPage }),
    })
    const body = await json(app)
    expect('lists' in body).toBe(isShown)
    expect((await html(app)).includes('forecast')).toBe(isShown)
    expect(JSON.stringify(body)).not.toContain('secret')
  })

  it('shows the person whom the code in front has authenticated their own lists, to no cache', async () => {
    const edgeway = createFullEdgeway(
      ({ auth }) => {
        const server = new FullServer(INFO)
        server.registerTool(`tool_of_${auth?.subject ?? 'stranger'}`, {}, () => '')
        return server
      },
      { info: INFO, auth: fromContext({ subject: ({ user }) => String(user) }) },
    )
    const as = async (props: object) => {
      const ctx = { waitUntil: () => undefined, passThroughOnException: () => undefined, props }
      const response = await edgeway.fetch(new Request(ROOT), {}, ctx as never)
      return { headers: response.headers, page: await response.text() }
    }
    const ada = await as({ user: 'ada' })
    expect(ada.page).toContain('tool_of_ada')
    expect(ada.headers.get('cache-control')).toBe('no-store')
    expect(ada.headers.get('etag')).toBeNull()
    expect(ada.headers.get('vary')).toBe('accept, cookie')
    const stranger = await as({})
    expect(stranger.page).not.toContain('tool_of')
    expect(stranger.page).toContain('people who have signed in')
  })

  it('shows the person whose cookie the verifier accepts their own lists', async () => {
    const app = open({
      auth: verifier(
        (request) =>
          /user=ada/.test(request.headers.get('cookie') ?? '') ? { subject: 'ada' } : undefined,
        {
          credentials: { cookie: 'user' },
        },
      ),
    })
    expect(await (await get(app, { cookie: 'user=ada' })).text()).toContain('secret')
    for (const cookie of ['user=eve', 'other=ada']) {
      expect(await (await get(app, { cookie })).text()).not.toContain('forecast')
    }
    expect(app.events.filter(({ type }) => type === 'refusal')).toHaveLength(1)
  })

  it('is not served where the owner has switched it off', async () => {
    const response = await get(open({ landingPage: false }))
    expect([response.status, await response.json()]).toEqual([
      404,
      { error: 'not_found', message: 'The MCP endpoint is /mcp' },
    ])
  })

  it('gives way to a route of the author', async () => {
    const edgeway = createFullEdgeway(createServer())
    edgeway.app.get('/', (c) => c.text('my page'))
    const fetch = (path: string) => edgeway.fetch(new Request(`${ROOT}${path}`), {}, {} as never)
    expect(await (await fetch('')).text()).toBe('my page')
    const site = new Hono()
    site.get('/', (c) => c.text('my site'))
    site.route('/', createFullEdgeway(createServer()).app)
    expect(await (await site.request(ROOT)).text()).toBe('my site')
  })

  it('is served in another Hono app that has no page at /', async () => {
    const site = new Hono()
    site.route('/', createFullEdgeway(createServer()).app)
    expect(await (await site.request(ROOT)).text()).toContain('<h1><bdi>Weather</bdi></h1>')
  })

  it.each([
    [null, 'landingPage must be false or an object'],
    [true, 'landingPage must be false or an object'],
    [{ lists: 'all' }, 'landingPage.lists must be'],
    [{ instructions: 'yes' }, 'landingPage.instructions must be'],
    [{ path: '/' }, 'landingPage.path does not exist'],
  ])('refuses the option %j', (landingPage, message) => {
    expect(() => createFullEdgeway(createServer(), { landingPage: landingPage as never })).toThrow(
      message,
    )
  })
})
