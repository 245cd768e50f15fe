import {
  EXTENSION_ID,
  RESOURCE_MIME_TYPE,
  RESOURCE_URI_META_KEY,
  registerAppTool,
} from '@modelcontextprotocol/ext-apps/server'
import { describe, expect, it } from 'vitest'
import { type ViewOptions, view } from '../../src/features/apps/index.ts'
import { McpServer } from '../../src/index.ts'
import { openSession, textOf } from '../support/session-client.ts'
import { openApp, type TestApp } from '../support/test-app.ts'
import { verifies } from '../support/verifies.ts'

const HTML = '<!doctype html><title>Note</title>'
const SETTINGS = {
  csp: { connectDomains: ['https://api.example.com', 'wss://live.example.com'], frameDomains: [] },
  permissions: { camera: {}, clipboardWrite: {} },
  domain: 'a904.example.com',
  prefersBorder: false,
}
/** `_meta` of the resource and of its contents. The earliest revisions have no other `_meta` than that of the extension. */
const metaIn = (version: string) => ({
  ui: { ...SETTINGS, csp: { ...SETTINGS.csp, resourceDomains: [] } },
  ...(version >= '2025-06-18' && { 'openai/widgetDescription': 'Shows a note.' }),
})
const VIEW: ViewOptions = {
  uri: 'ui://notes/view',
  html: HTML,
  title: 'Note',
  description: 'Shows a note.',
  ...SETTINGS,
  permissions: ['camera', 'clipboardWrite'],
}

const server = (ui: ViewOptions = VIEW, config: object = {}) =>
  new McpServer({ name: 's', version: '1' }).registerTool(
    'note',
    { ...config, ui: view(ui) },
    ({ client }) => (client.showsViews ? 'shown' : 'as text'),
  )
const open = (ui?: ViewOptions, config?: object) => openApp(server(ui, config))

const ERAS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

async function request(
  app: TestApp,
  version: string,
  method: string,
  params?: Record<string, unknown>,
) {
  const isModern = version === '2026-07-28'
  const { body } = await (isModern
    ? app.modern(method, params)
    : app.session(method, params, version))
  return body.result ?? body.error
}

describe('a tool with a user interface', () => {
  it.each(ERAS)('is listed in %s as the official package registers it', async (version) => {
    const { tools } = await request(open(), version, 'tools/list')
    let expected: unknown
    registerAppTool(
      {
        registerTool: (_: string, { _meta }: { _meta?: unknown }) => {
          expected = _meta
          return {} as never
        },
      } as never,
      'note',
      { _meta: { ui: { resourceUri: 'ui://notes/view' } } },
      () => ({ content: [] }),
    )
    expect(tools[0]._meta).toEqual(expected)
    expect(tools[0]._meta[RESOURCE_URI_META_KEY]).toBe('ui://notes/view')
  })

  it.each(ERAS)('has its view among the resources of %s, with its settings', async (version) => {
    const { resources } = await request(open(), version, 'resources/list')
    expect(resources).toEqual([
      expect.objectContaining({
        uri: 'ui://notes/view',
        name: 'note',
        description: 'Shows a note.',
        mimeType: RESOURCE_MIME_TYPE,
        _meta: metaIn(version),
      }),
    ])
  })

  it.each(ERAS)('has a view that is read in %s with its settings', async (version) => {
    verifies('apps/type-of-a-view', 'apps/content-of-a-view')
    const { contents } = await request(open(), version, 'resources/read', { uri: VIEW.uri })
    expect(contents).toEqual([
      { uri: VIEW.uri, mimeType: RESOURCE_MIME_TYPE, text: HTML, _meta: metaIn(version) },
    ])
  })

  it.each(ERAS)('is called in %s as any other tool', async (version) => {
    verifies('apps/result-has-content')
    const { content } = await request(open(), version, 'tools/call', { name: 'note' })
    expect(content).toEqual([{ type: 'text', text: 'as text' }])
  })

  it.each(ERAS)(
    'sends the data of its view as text too in %s, so that content is never empty',
    async (version) => {
      verifies('apps/result-has-content')
      const data = new McpServer({ name: 's', version: '1' }).registerTool(
        'note',
        { ui: view(VIEW) },
        () => ({ content: [], structuredContent: { title: 'Soup' } }),
      )
      const { content } = await request(openApp(data), version, 'tools/call', { name: 'note' })
      expect(content).toEqual([{ type: 'text', text: '{"title":"Soup"}' }])
    },
  )

  it('has a view with the empty policy where it has no settings', async () => {
    const app = open({ uri: 'ui://notes/view', html: HTML })
    const { contents } = await request(app, '2026-07-28', 'resources/read', { uri: VIEW.uri })
    const _meta = { ui: { csp: { connectDomains: [], resourceDomains: [] } } }
    expect(contents).toEqual([{ uri: VIEW.uri, mimeType: RESOURCE_MIME_TYPE, text: HTML, _meta }])
    const { resources } = await request(app, '2026-07-28', 'resources/list')
    expect(resources[0]._meta).toEqual(_meta)
  })

  it('has the keys of ChatGPT for what the standard has no member for', async () => {
    const invocation = { invoking: 'Searching…', invoked: 'Found' }
    const app = open(
      { ...VIEW, csp: { redirectDomains: ['https://shop.example.com'] }, invocation },
      { _meta: { 'openai/toolInvocation/invoked': 'Own' } },
    )
    const { tools } = await request(app, '2026-07-28', 'tools/list')
    expect(tools[0]._meta).toMatchObject({
      'openai/toolInvocation/invoking': 'Searching…',
      'openai/toolInvocation/invoked': 'Own',
    })
    const { contents } = await request(app, '2026-07-28', 'resources/read', { uri: VIEW.uri })
    expect(contents[0]._meta).toMatchObject({
      ui: { csp: { connectDomains: [], resourceDomains: [] } },
      'openai/widgetCSP': { redirect_domains: ['https://shop.example.com'] },
    })
    expect(contents[0]._meta.ui.csp.redirectDomains).toBeUndefined()
  })

  it.each([
    ['ChatGPT', 'mcp.example.com.oaiusercontent.com'],
    ['other', undefined],
  ])('has the domain that its function returns for the host %s', async (name, domain) => {
    const app = open({
      ...VIEW,
      domain: async ({ client }) =>
        client.info?.name === 'ChatGPT' ? 'mcp.example.com.oaiusercontent.com' : undefined,
    })
    const meta = { 'io.modelcontextprotocol/clientInfo': { name, version: '1' } }
    const { body } = await app.modern('resources/read', { uri: VIEW.uri }, { meta })
    expect(body.result.contents[0]._meta.ui.domain).toBe(domain)
    const { resources } = await request(app, '2026-07-28', 'resources/list')
    expect(resources[0]._meta.ui.domain).toBeUndefined()
  })

  it('is not read where its function returns an invalid domain', async () => {
    const app = open({ ...VIEW, domain: () => 'a b' })
    const error = await request(app, '2026-07-28', 'resources/read', { uri: VIEW.uri })
    expect(error.code).toBe(-32603)
  })

  it('declares the extension in the modern revision', async () => {
    const { capabilities } = await request(open(), '2026-07-28', 'server/discover')
    expect(capabilities.extensions).toEqual({ [EXTENSION_ID]: {} })
    expect(capabilities.resources).toBeDefined()
  })

  it('names in its _meta who may call it, and is listed in any case', async () => {
    const app = open({ ...VIEW, visibility: ['app'] }, { _meta: { 'example.com/x': 1 } })
    const { tools } = await request(app, '2026-07-28', 'tools/list')
    expect(tools[0]._meta).toEqual({
      'example.com/x': 1,
      ui: { resourceUri: VIEW.uri, visibility: ['app'] },
      [RESOURCE_URI_META_KEY]: VIEW.uri,
    })
  })

  it('has no address where it has no view', async () => {
    const { tools } = await request(open({ visibility: ['app'] }), '2026-07-28', 'tools/list')
    expect(tools[0]._meta).toEqual({ ui: { visibility: ['app'] } })
  })

  it('has a view that is visible only with the tool', async () => {
    const app = open(VIEW, { visible: () => false })
    const { resources } = await request(app, '2026-07-28', 'resources/list')
    expect(resources).toEqual([])
    const error = await request(app, '2026-07-28', 'resources/read', { uri: VIEW.uri })
    expect(error.code).toBe(-32602)
  })

  it('names a view that its caller may not see where the tool that has the view is hidden', async () => {
    const shared = server(VIEW, { visible: () => false }).registerTool(
      'refresh',
      { ui: view({ uri: 'ui://notes/view' }) },
      () => '',
    )
    const app = openApp(shared)
    const { tools } = await request(app, '2026-07-28', 'tools/list')
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['refresh'])
    const error = await request(app, '2026-07-28', 'resources/read', { uri: VIEW.uri })
    expect(error.code).toBe(-32602)
  })

  it('has a view that requires the scopes of the tool', async () => {
    const app = open(VIEW, { scopes: ['write'] })
    const { status } = await app.modern('resources/read', { uri: VIEW.uri })
    expect(status).toBe(403)
  })

  it('keeps the settings that it was registered with', async () => {
    const origins = ['https://api.example.com']
    const app = open({ ...VIEW, csp: { connectDomains: origins } })
    origins.push('https://evil.example.com')
    const { contents } = await request(app, '2026-07-28', 'resources/read', { uri: VIEW.uri })
    expect(contents[0]._meta.ui.csp.connectDomains).toEqual(['https://api.example.com'])
  })
})

describe('a view that a function builds', () => {
  const read = (app: TestApp) => request(app, '2026-07-28', 'resources/read', { uri: VIEW.uri })

  it('is built for each read, with the context', async () => {
    const html: ViewOptions['html'] = async ({ client }) => `${HTML}<p>${client.protocolVersion}`
    const { contents, ttlMs, cacheScope } = await read(open({ ...VIEW, html }))
    expect(contents[0].text).toBe(`${HTML}<p>2026-07-28`)
    expect({ ttlMs, cacheScope }).toEqual({ ttlMs: 0, cacheScope: 'private' })
  })

  it.each<[string, unknown]>([
    ['a fragment', '<p>Note'],
    ['empty', ''],
    ['nothing', undefined],
    ['null', null],
    ['a String object', new String(HTML)],
    ['half of a character', `${HTML}\udfff`],
    ['a list of texts', [HTML]],
    ['more than 4 MiB', HTML + ' '.repeat(4 * 1024 * 1024)],
  ])('is not served where it is %s, and telemetry has the reason', async (_, html) => {
    verifies('apps/view-is-a-document')
    const app = open({ ...VIEW, html: () => html as string })
    expect((await read(app)).code).toBe(-32603)
    expect(app.events).toContainEqual(
      expect.objectContaining({
        type: 'handler-error',
        error: expect.objectContaining({
          message: expect.stringContaining('Tool "note": ui.html'),
        }),
      }),
    )
  })
})

describe('a function of a view', () => {
  const fault = new Error('The template of the customer Smith is missing')

  it.each<[string, ViewOptions['html']]>([
    [
      'throws',
      () => {
        throw fault
      },
    ],
    ['returns a promise that is rejected', () => Promise.reject(fault)],
  ])(
    'that %s is an error without details for the client, and telemetry has it',
    async (_, html) => {
      const app = open({ ...VIEW, html })
      const error = await request(app, '2026-07-28', 'resources/read', { uri: VIEW.uri })
      expect(error.code).toBe(-32603)
      expect(JSON.stringify(error)).not.toContain('Smith')
      expect(app.events).toContainEqual(
        expect.objectContaining({ type: 'handler-error', error: fault }),
      )
      // The tool itself is not affected.
      const { content } = await request(app, '2026-07-28', 'tools/call', { name: 'note' })
      expect(content).toEqual([{ type: 'text', text: 'as text' }])
    },
  )
})

describe('ctx.client.showsViews', () => {
  const declares = (mimeTypes: unknown) => ({ extensions: { [EXTENSION_ID]: { mimeTypes } } })

  it.each([
    ['no extension', {}, 'as text'],
    ['the extension', declares([RESOURCE_MIME_TYPE]), 'shown'],
    ['other types of views', declares(['text/uri-list']), 'as text'],
    ['no list of types', declares(RESOURCE_MIME_TYPE), 'as text'],
    ['a malformed extension', { extensions: { [EXTENSION_ID]: null } }, 'as text'],
    ['malformed extensions', { extensions: [RESOURCE_MIME_TYPE] }, 'as text'],
  ])('is what a modern client with %s declares', async (_, capabilities, text) => {
    verifies('apps/client-names-its-types')
    const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities }
    const { body } = await open().modern('tools/call', { name: 'note' }, { meta })
    expect(body.result.content[0].text).toBe(text)
  })

  it('is kept of a client whose capabilities are too long to keep', async () => {
    const capabilities = {
      ...declares([RESOURCE_MIME_TYPE]),
      experimental: { x: { text: 'x'.repeat(3000) } },
    }
    const session = await openSession({ capabilities })
    const called = await session.call(({ client }) => `${client.showsViews}`)
    expect(textOf(await called.json())).toBe('true')
  })
})
