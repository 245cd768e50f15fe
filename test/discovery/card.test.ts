/** The Server Card: its content, and its agreement with what a connected client reads. */
// features: sessions

import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { external } from '../../src/auth/index.ts'
import type { FeatureOption } from '../../src/feature/feature.ts'
import { sessions } from '../../src/features/sessions/index.ts'
import type { EdgewayOptions } from '../../src/index.ts'
import { faultsOf, INFO, jsonOf, NAME, ORIGIN, open, openFactory } from './discovered.ts'

const CARD = '/mcp/server-card'
const OLDER = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
const bindings = () => ({ ...env })

describe('the Server Card', () => {
  it('has the values of the definition, and no other member', async () => {
    expect(await jsonOf(open(), CARD)).toEqual({
      $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
      name: NAME,
      version: INFO.version,
      title: INFO.title,
      description: INFO.description,
      websiteUrl: INFO.websiteUrl,
      icons: INFO.icons,
      remotes: [
        {
          type: 'streamable-http',
          url: `${ORIGIN}/mcp`,
          supportedProtocolVersions: ['2026-07-28', ...OLDER],
        },
      ],
    })
  })

  it('fits the published schema with every option', async () => {
    const app = openFactory(['/mcp', '/mcp/{org}'], {
      card: {
        description: 'Notes of a team.',
        repository: {
          url: 'https://github.com/example/notes',
          source: 'github',
          subfolder: 'servers/notes',
          id: '1',
        },
        variables: { org: { description: 'The team', format: 'string', choices: ['a', 'b'] } },
        headers: [
          {
            name: 'X-Api-Key',
            description: 'The key',
            isRequired: true,
            value: 'Bearer {key}',
            variables: { key: { isSecret: true } },
          },
          { name: 'X-Region', default: 'eu', choices: ['eu', 'us'] },
        ],
        _meta: { 'com.example/plan': { free: true } },
      },
    })
    const card = await jsonOf(app, CARD)
    expect(faultsOf(card)).toEqual([])
    expect(card).toMatchObject({
      description: 'Notes of a team.',
      repository: { source: 'github', subfolder: 'servers/notes' },
      _meta: { 'com.example/plan': { free: true } },
    })
    const headers = [{ name: 'X-Api-Key' }, { name: 'X-Region' }]
    expect(card.remotes).toMatchObject([{ headers }, { headers }])
  })

  it('of a server with sessions() names no revision of 2024-11-05 without the binding', async () => {
    const card = await jsonOf(open({ features: [sessions()], env: {} }), CARD)
    expect(card.remotes).toEqual([
      {
        type: 'streamable-http',
        url: `${ORIGIN}/mcp`,
        supportedProtocolVersions: ['2026-07-28', ...OLDER],
      },
    ])
  })

  it.each([
    ['without sessions', {}, [], ['2026-07-28', ...OLDER], undefined],
    ['with sessions()', {}, [sessions()], ['2026-07-28', ...OLDER], `${ORIGIN}/sse`],
    [
      'with httpSse: false',
      {},
      [sessions({ httpSse: false })],
      ['2026-07-28', ...OLDER],
      undefined,
    ],
    ['with sessions({ only: true })', {}, [sessions({ only: true })], OLDER, `${ORIGIN}/sse`],
    ['with modernOnly', { modernOnly: true }, [], ['2026-07-28'], undefined],
    [
      'with modernOnly and sessions()',
      { modernOnly: true },
      [sessions()],
      ['2026-07-28'],
      undefined,
    ],
  ] as readonly [string, EdgewayOptions, readonly FeatureOption[], string[], string | undefined][])(
    'of a server %s names the revisions that the endpoint serves',
    async (_, options, features, versions, sse) => {
      const app = open({ options, features, env: bindings() })
      const card = await jsonOf(app, CARD)
      expect(faultsOf(card)).toEqual([])
      const [remote, ...others] = card.remotes
      expect(remote).toMatchObject({ type: 'streamable-http', url: `${ORIGIN}/mcp` })
      expect(remote.supportedProtocolVersions).toEqual(versions)
      expect(others).toEqual(
        sse === undefined
          ? []
          : [{ type: 'sse', url: sse, supportedProtocolVersions: ['2024-11-05'] }],
      )
      // Each of them, and no other, is what a connected client finds.
      const discovered = await app.modern('server/discover')
      const isModern = versions.includes('2026-07-28')
      if (isModern) {
        const { supportedVersions, _meta } = discovered.body.result
        expect(supportedVersions).toEqual(versions.filter((version) => version >= '2026'))
        const { version, title, description, websiteUrl, icons } = card
        expect(_meta['io.modelcontextprotocol/serverInfo']).toEqual({
          name: INFO.name,
          version,
          title,
          description,
          websiteUrl,
          icons,
        })
      } else {
        expect(discovered.body.error.data.supported).toEqual(versions)
      }
      for (const protocolVersion of OLDER) {
        const clientInfo = { name: 'c', version: '1' }
        const params = { protocolVersion, capabilities: {}, clientInfo }
        const { body } = await app.session('initialize', params)
        expect(body.result?.protocolVersion).toBe(
          versions.includes(protocolVersion) ? protocolVersion : undefined,
        )
      }
    },
  )

  it('names the origin that was asked, of those that are configured', async () => {
    const issuers = [{ issuer: 'https://login.example.com' }]
    const origins = [ORIGIN, 'https://mcp.example.org']
    const auth = external({ issuers, origins, scopes: { read: 'Read' } })
    const app = open({ options: { auth } })
    const urlAt = async (origin: string) => (await jsonOf(app, CARD, { origin })).remotes[0].url
    expect(await urlAt(ORIGIN)).toBe(`${ORIGIN}/mcp`)
    expect(await urlAt('https://mcp.example.org')).toBe('https://mcp.example.org/mcp')
    expect(await urlAt('https://evil.example')).toBe(`${ORIGIN}/mcp`)
  })

  it('names the origin of the variable EDGEWAY_ORIGIN for every host', async () => {
    const app = open({ env: { EDGEWAY_ORIGIN: 'https://a.example, https://b.example' } })
    const urlAt = async (origin: string) => (await jsonOf(app, CARD, { origin })).remotes[0].url
    expect(await urlAt('https://b.example')).toBe('https://b.example/mcp')
    expect(await urlAt('https://other.example')).toBe('https://a.example/mcp')
  })

  it('answers 500 and reports the cause when EDGEWAY_ORIGIN is invalid', async () => {
    const app = open({ env: { EDGEWAY_ORIGIN: 'mcp.example.com' } })
    const response = await app.fetch(new Request(`${ORIGIN}${CARD}`))
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('mcp.example.com')
    expect(app.events).toMatchObject([{ type: 'internal-error' }])
  })

  it('has plain http for this machine alone', async () => {
    const app = open({ options: { allowedHosts: ['box.local'] } })
    const urlAt = async (origin: string) => (await jsonOf(app, CARD, { origin })).remotes[0].url
    expect(await urlAt('http://127.0.0.1:8787')).toBe('http://127.0.0.1:8787/mcp')
    expect(await urlAt('http://localhost:8787')).toBe('http://localhost:8787/mcp')
    expect(await urlAt('http://box.local')).toBe('https://box.local/mcp')
    const refused = await app.fetch(new Request(`http://evil.example${CARD}`))
    expect(refused.status).toBe(403)
    expect(await refused.text()).toContain('host-not-served')
  })

  it('leaves out icons that a client cannot load safely, with a warning for each', async () => {
    const good = { src: 'data:image/png;base64,AAAA', sizes: ['any'], theme: 'dark' }
    const app = open({
      info: {
        icons: [
          good,
          { src: 'http://example.com/icon.png' },
          { src: 'data:text/html,<script>' },
          { src: 'https://example.com/icon.png', sizes: '48x48' },
          { src: 'https://user:secret@example.com/icon.png' },
          { src: 'https://example.com/icon.png', theme: 'blue' },
        ],
      },
    })
    const card = await jsonOf(app, CARD)
    expect(card.icons).toEqual([good])
    expect(faultsOf(card)).toEqual([])
    expect(app.events.map(({ type }) => type)).toEqual(Array(5).fill('definition-warning'))
    expect(app.events[0]).toMatchObject({ message: expect.stringMatching(/^icon 2 is left out/) })
  })

  it('is announced to the command line with paths in place of URLs', async () => {
    const announced: { readonly serverCard?: () => object }[] = []
    const listener = Symbol.for('edgeway.announce-app')
    const scope = globalThis as { [listener]?: (app: object) => void }
    scope[listener] = (app) => void announced.push(app)
    const app = open({ features: [sessions()] })
    delete scope[listener]
    const { remotes, ...rest } = await jsonOf(app, CARD)
    expect(announced[0]?.serverCard?.()).toMatchObject({
      ...rest,
      remotes: [
        { type: 'streamable-http', url: '/mcp' },
        { type: 'sse', url: '/sse' },
      ],
    })
    expect(remotes).toHaveLength(1)
  })

  it('does not change when the author changes the options later', async () => {
    const card = { name: NAME, tags: ['notes'], _meta: { 'com.example/a': { b: 1 } } }
    const app = open({ card })
    card._meta['com.example/a'].b = 2
    expect((await jsonOf(app, CARD))._meta).toEqual({ 'com.example/a': { b: 1 } })
  })
})
