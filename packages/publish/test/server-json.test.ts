/** The `server.json` of a Server Card, the file of an author, and the origin of a deployment. */
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import schema from '../../../test/discovery/schemas/server.schema.json' with { type: 'json' }
import type { DescribedApp, DescribedCard } from '../../doctor/src/config/inspector.ts'
import type { WranglerConfig } from '../../doctor/src/config/wrangler.ts'
import { deploymentOrigin } from '../src/server-json/deployment-origin.ts'
import { findCard } from '../src/server-json/find-card.ts'
import { mergeServerJson } from '../src/server-json/merge.ts'
import { serverJsonOf } from '../src/server-json/server-json.ts'

const ajv = new Ajv({ strict: false, schemaId: '$id' })
ajv.addFormat('uri', (text) => URL.canParse(text))
const validate = ajv.compile(schema)
const faultsOf = (value: unknown) => (validate(value) ? [] : validate.errors)

const CARD: DescribedCard = {
  name: 'com.example/notes',
  version: '1.4.0',
  description: 'Search and read your notes.',
  remotes: [{ type: 'streamable-http', url: '/mcp', supportedProtocolVersions: ['2026-07-28'] }],
}

const ORIGIN = 'https://mcp.example.com'

describe('the server.json of a Server Card', () => {
  it('has its values, and no member that the registry does not take', () => {
    const value = serverJsonOf(
      {
        ...CARD,
        title: 'Notes',
        websiteUrl: 'https://example.com',
        repository: { url: 'https://github.com/example/notes', source: 'github' },
        icons: [
          { src: 'https://example.com/a.png', mimeType: 'image/png', sizes: ['48x48'] },
          { src: 'data:image/png;base64,AAAA' },
          { src: `https://example.com/${'a'.repeat(240)}.png` },
          { src: 'https://example.com/a.gif', mimeType: 'image/gif' },
          { src: 'https://example.com/a.png', sizes: ['large'] },
        ],
        remotes: [
          {
            type: 'streamable-http',
            url: '/mcp/{org}',
            headers: [{ name: 'X-Key', isSecret: true }],
            variables: { org: { isRequired: true } },
            supportedProtocolVersions: ['2026-07-28'],
          },
        ],
      },
      ORIGIN,
    )
    expect(faultsOf(value)).toEqual([])
    expect(value).toEqual({
      $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
      name: 'com.example/notes',
      title: 'Notes',
      description: 'Search and read your notes.',
      version: '1.4.0',
      websiteUrl: 'https://example.com',
      repository: { url: 'https://github.com/example/notes', source: 'github' },
      icons: [{ src: 'https://example.com/a.png', mimeType: 'image/png', sizes: ['48x48'] }],
      remotes: [
        {
          type: 'streamable-http',
          url: `${ORIGIN}/mcp/{org}`,
          headers: [{ name: 'X-Key', isSecret: true }],
          variables: { org: { isRequired: true } },
        },
      ],
    })
  })

  it('has no empty members', () => {
    const value = serverJsonOf(CARD, ORIGIN)
    expect(Object.keys(value)).toEqual(['$schema', 'name', 'description', 'version', 'remotes'])
    expect(faultsOf(value)).toEqual([])
  })
})

describe('a server.json that an author has changed', () => {
  const computed = serverJsonOf(CARD, ORIGIN)

  it('keeps the members that do not come from the card, in their order', () => {
    const existing = {
      _meta: { 'io.modelcontextprotocol.registry/publisher-provided': { tool: 'ci' } },
      packages: [{ registryType: 'npm' }],
      websiteUrl: 'https://example.com/by-hand',
      ...computed,
    }
    const { value, changes } = mergeServerJson(existing, computed)
    expect(changes).toEqual([])
    expect(JSON.stringify(value)).toBe(JSON.stringify(existing))
  })

  it('says which of its members change, with both values', () => {
    const existing = {
      ...computed,
      version: '1.3.0',
      title: 'Notes',
      remotes: [{ type: 'streamable-http', url: 'https://old.example.com/mcp' }],
    }
    const { value, changes } = mergeServerJson(existing, computed)
    expect(value).toEqual({ ...computed, title: 'Notes' })
    expect(changes).toEqual([
      'version is "1.3.0", and becomes "1.4.0"',
      'the remote "https://old.example.com/mcp" is removed',
      'the remote "https://mcp.example.com/mcp" is added',
    ])
  })

  it('keeps what was added to a remote', () => {
    const headers = [{ name: 'X-Region' }]
    const existing = {
      ...computed,
      remotes: [{ headers, type: 'streamable-http', url: `${ORIGIN}/mcp` }],
    }
    expect(mergeServerJson(existing, computed)).toEqual({ value: existing, changes: [] })
  })

  it.each([
    ['remotes', 'none'],
    ['remotes', [null]],
    ['version', 7],
    ['name', null],
  ])('is corrected where %s is %j', (member, wrong) => {
    const { value, changes } = mergeServerJson({ ...computed, [member]: wrong }, computed)
    expect(value).toEqual(computed)
    expect(changes.length).toBeGreaterThan(0)
  })
})

describe('the origin of a deployment', () => {
  const config = (members: object) => ({ vars: {}, ...members }) as unknown as WranglerConfig
  const protectedApp = { auth: { type: 'embedded', origins: ['https://auth.example.com'] } }
  const all = config({
    vars: { EDGEWAY_ORIGIN: 'https://a.example.com, https://b.example.com' },
    routes: [{ pattern: 'route.example.com', custom_domain: true }],
  })

  it.each([
    [
      'the command line',
      'https://given.example.com',
      protectedApp,
      all,
      'https://given.example.com',
    ],
    ['the command line with a slash', `${ORIGIN}/`, {}, all, ORIGIN],
    ['the options of auth', undefined, protectedApp, all, 'https://auth.example.com'],
    ['the variable', undefined, {}, all, 'https://a.example.com'],
    [
      'a custom domain',
      undefined,
      {},
      config({ routes: [{ pattern: 'route.example.com', custom_domain: true }] }),
      'https://route.example.com',
    ],
    [
      'a route that leads to the path',
      undefined,
      {},
      config({ routes: ['*.example.com/*', 'www.example.com/api/*', 'mcp.example.com/mcp*'] }),
      ORIGIN,
    ],
  ] as const)('is that of %s', (_, given, app, configuration, origin) => {
    expect(deploymentOrigin(given, app, configuration, '/mcp')).toBe(origin)
  })

  it.each([
    ['http://mcp.example.com', /^--origin is "http:\/\/mcp\.example\.com"\. The registry lists/],
    ['https://localhost:8787', /public origin/],
    ['https://10.0.0.1', /public origin/],
    ['https://mcp.example.com/mcp', /public origin/],
    ['mcp.example.com', /public origin/],
    ['https://user@mcp.example.com', /public origin/],
  ])('is refused when it is %s', (given, message) => {
    expect(() => deploymentOrigin(given, {}, all, '/mcp')).toThrow(message)
  })

  it('is refused when the variable is development, and missing without any', () => {
    const development = config({ vars: { EDGEWAY_ORIGIN: 'development' } })
    expect(() => deploymentOrigin(undefined, {}, development, '/mcp')).toThrow(
      /^EDGEWAY_ORIGIN is "development"/,
    )
    const wildcard = config({ routes: ['*.example.com/*'] })
    expect(() => deploymentOrigin(undefined, {}, wildcard, '/mcp')).toThrow(
      /does not say the origin of the deployment\. Set EDGEWAY_ORIGIN/,
    )
  })
})

describe('the server that a server.json is for', () => {
  const app = (name?: string): DescribedApp => ({
    paths: ['/mcp'],
    audience: 'notes',
    kinds: [],
    required: [],
    scoped: [],
    ...(name !== undefined && { serverCard: { ...CARD, name } }),
  })
  const several = [app(), app('com.example/docs'), app('com.example/notes')]

  it('is the one that has a card, or the named one', () => {
    expect(findCard([app(), app('com.example/docs')], undefined).card.name).toBe('com.example/docs')
    expect(findCard(several, 'com.example/notes').app).toBe(several[2])
  })

  it.each([
    [
      [app()],
      undefined,
      /^No server of the main module has a Server Card\. Add the feature: import/,
    ],
    [
      several,
      undefined,
      /several servers: pass --name with one of com\.example\/docs, com\.example\/notes/,
    ],
    [
      several,
      'com.example/other',
      /No server has the name com\.example\/other: the main module has/,
    ],
  ])('is unknown with the wrong choice', (apps, name, message) => {
    expect(() => findCard(apps, name)).toThrow(message)
  })
})
