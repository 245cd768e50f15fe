/** Wrong options of `serverCard()`, and definitions that no card can describe: each throws with what to write. */

import { describe, expect, it } from 'vitest'
import { serverCard } from '../../src/features/server-card/index.ts'
import { sessions } from '../../src/features/sessions/index.ts'
import { createEdgeway, McpServer } from '../../src/index.ts'
import { NAME, open, openFactory } from './discovered.ts'

const circle: Record<string, unknown> = {}
circle['com.example/self'] = circle

const header = (members: object) => ({ headers: [{ name: 'X-Key', ...members }] })

describe('serverCard() with a wrong option', () => {
  it.each([
    ['name', { name: undefined }, /^serverCard\.name must be a domain of yours in reverse/],
    ['name', { name: 'notes' }, /com\.example\/notes/],
    ['name', { name: 'com.example' }, /must be/],
    ['name', { name: 'example/notes' }, /must be/],
    ['name', { name: 'com.example/notes/more' }, /must be/],
    ['name', { name: 'com.example/a note' }, /must be/],
    ['name', { name: 'com.exa_mple/notes' }, /must be/],
    ['name', { name: 'com..example/notes' }, /must be/],
    ['name', { name: 'com.example/ümlaut' }, /must be/],
    ['name', { name: `com.example/${'a'.repeat(189)}` }, /must be/],
    ['name', { name: 1 }, /must be/],
    ['description', { description: '' }, /^serverCard\.description must be a text of 1 to 100/],
    ['description', { description: ' ' }, /1 to 100/],
    ['description', { description: 'a'.repeat(101) }, /1 to 100/],
    ['repository', { repository: 'https://github.com/a/b' }, /^serverCard\.repository must be/],
    ['repository', { repository: { source: 'github' } }, /repository\.url must be an https: URL/],
    ['repository', { repository: { url: 'git@github.com:a/b', source: 'github' } }, /https:/],
    ['repository', { repository: { url: 'https://u:p@github.com/a', source: 'github' } }, /https:/],
    ['repository', { repository: { url: 'https://github.com/a/b' } }, /repository\.source must be/],
    ['repository', repositoryAt('/servers'), /subfolder must be a path below/],
    ['repository', repositoryAt('../servers'), /subfolder/],
    ['repository', repositoryAt('a/../../b'), /subfolder/],
    ['repository', repositoryAt('a//b'), /subfolder/],
    ['repository', repositoryAt('a\\b'), /subfolder/],
    ['repository', repositoryAt('a/'), /subfolder/],
    ['variables', { variables: [] }, /^serverCard\.variables must be an object/],
    ['variables', { variables: { org: 'x' } }, /^serverCard\.variables\.org must be an object/],
    ['variables', { variables: { org: { isRequired: false } } }, /isRequired does not exist/],
    ['variables', { variables: { org: { format: 'uuid' } } }, /format must be "string", "number"/],
    ['variables', { variables: { org: { isSecret: true, default: 's' } } }, /is a secret/],
    ['headers', { headers: { name: 'X' } }, /^serverCard\.headers must be a list/],
    ['headers', { headers: [{}] }, /^serverCard\.headers\[0\]\.name must be the name of a header/],
    ['headers', { headers: [{ name: 'a b' }] }, /name of a header/],
    ['headers', { headers: [{ name: 'a\r\nb' }] }, /name of a header/],
    ['headers', header({ isSecret: 'yes' }), /isSecret must be true or false/],
    ['headers', header({ choices: ['a', 1] }), /choices must be a list of texts/],
    [
      'headers',
      header({ isSecret: true, value: 'sk-1' }),
      /headers\[0\] is a secret, and everyone/,
    ],
    ['headers', header({ isSecret: true, default: 'sk-1' }), /is a secret/],
    ['headers', header({ isSecret: true, choices: ['sk-1'] }), /is a secret/],
    [
      'headers',
      header({ value: '{key}' }),
      /headers\[0\]\.variables has no key, which its value names/,
    ],
    ['headers', header({ value: '{toString}', variables: {} }), /has no toString/],
    [
      'headers',
      header({ value: '{k}', variables: { k: { isSecret: true, value: 's' } } }),
      /secret/,
    ],
    ['headers', { headers: [{ name: 'Authorization', value: 'Bearer sk-1' }] }, /is a secret/],
    ['identifier', { identifier: 'notes' }, /^serverCard\.identifier must be a URI/],
    [
      'identifier',
      { identifier: 'urn:air:other.com:mcp:notes' },
      /^serverCard\.identifier must name your domain, as in "urn:air:example\.com:mcp:notes"/,
    ],
    ['identifier', { identifier: 'urn:air:com:mcp:notes' }, /name your domain/],
    ['identifier', { identifier: 'urn:air:notexample.com:mcp:notes' }, /name your domain/],
    ['identifier', { identifier: 'urn:air:example.com' }, /urn:air:example\.com:mcp:notes/],
    ['identifier', { identifier: 'urn:air:example.com::notes' }, /name your domain/],
    ['tags', { tags: 'notes' }, /^serverCard\.tags must be a list of texts/],
    ['tags', { tags: [''] }, /list of texts/],
    ['host', { host: 'Example' }, /^serverCard\.host must be an object/],
    ['host', { host: {} }, /^serverCard\.host\.displayName must be a text/],
    [
      'host',
      { host: { displayName: 'E', logoUrl: 'http://e.com/a' } },
      /logoUrl must be an https:/,
    ],
    ['host', { host: { displayName: 'E', url: 'https://e.com' } }, /host\.url does not exist/],
    ['_meta', { _meta: [] }, /^serverCard\._meta must be an object/],
    ['_meta', { _meta: { plan: 1 } }, /"plan" must have a prefix of yours/],
    ['_meta', { _meta: { 'example/plan': 1 } }, /prefix of yours/],
    ['_meta', { _meta: { 'io.modelcontextprotocol.registry/x': 1 } }, /prefix of yours/],
    ['_meta', { _meta: { 'dev.mcp.tools/x': 1 } }, /prefix of yours/],
    ['an unknown member', { title: 'Notes' }, /^serverCard\.title does not exist/],
  ])('throws for %s %j', (_, wrong, message) => {
    expect(() => serverCard({ name: NAME, ...wrong } as never)).toThrow(message)
    expect(() => serverCard({ name: NAME, ...wrong } as never)).toThrow(TypeError)
  })

  it('throws for data that is not JSON', () => {
    for (const _meta of [circle, { 'com.example/n': 1n }]) {
      expect(() => serverCard({ name: NAME, _meta })).toThrow(
        /^serverCard: the options must be JSON/,
      )
    }
  })

  it.each([[undefined], [null], ['com.example/notes'], [[]]])('throws for %j', (options) => {
    expect(() => serverCard(options as never)).toThrow(/^serverCard must be an object/)
  })

  it.each([
    'urn:air:example.com:mcp:notes',
    'urn:air:example.com:notes:mcp',
    'urn:air:mcp.example.com:mcp:notes',
    'did:web:example.com',
    'https://example.com/notes',
  ])('accepts the identifier %s', (identifier) => {
    expect(serverCard({ name: NAME, identifier }).name).toBe('serverCard')
  })

  it('accepts characters outside of the basic plane as one character each', () => {
    expect(open({ card: { description: '😀'.repeat(100) } })).toBeDefined()
  })
})

function repositoryAt(subfolder: string) {
  return { repository: { url: 'https://github.com/a/b', source: 'github', subfolder } }
}

describe('a definition that no card can describe', () => {
  it.each([
    [{ description: undefined }, /info\.description must be a text of 1 to 100 characters/],
    [
      { description: 'a'.repeat(140) },
      /info\.description must be .*Another one for the card is serverCard\(\{ description \}\)/,
    ],
    [{ title: '' }, /info\.title must be a text of 1 to 100 characters/],
    [{ title: 'a'.repeat(101) }, /info\.title must be/],
    [{ websiteUrl: 'example.com' }, /info\.websiteUrl must be an https: URL/],
    [{ websiteUrl: 'javascript:alert(1)' }, /websiteUrl/],
    [{ websiteUrl: 'https://a:b@example.com' }, /info\.websiteUrl must be/],
    [
      { version: '' },
      /info\.version must be one version, such as "1\.4\.0"\. For a factory, it is in the option info/,
    ],
    [{ version: '1'.repeat(256) }, /info\.version must be/],
    ...[
      '^1.2.3',
      '~1.2.3',
      '>=1.2.3',
      '<2',
      '=1',
      '1.x',
      '1.X.0',
      'x',
      '1.*',
      '*',
      '1 || 2',
      '1 - 2',
      'latest',
    ].map((version) => [{ version }, /must be one version, such as "1\.4\.0"/] as const),
  ] as readonly (readonly [object, RegExp])[])(
    '%j is refused by createEdgeway',
    (info, message) => {
      expect(() => open({ info })).toThrow(message)
      expect(() => open({ info })).toThrow(TypeError)
    },
  )

  it.each(['1', '2026-11-23', '1.0.0-alpha.1+build.5', '1.0.0-x86', 'v1.2', 'max'])(
    'the version %s is accepted',
    (version) => {
      expect(open({ info: { version } })).toBeDefined()
    },
  )

  it('a factory without info is refused, because its version depends on the caller', () => {
    expect(() =>
      createEdgeway(() => new McpServer({ name: 'a', version: '1' }), {
        audience: 'notes',
        features: [serverCard({ name: NAME, description: 'Notes.' })],
      } as never),
    ).toThrow(/in the option info/)
  })

  it('a variable that is a param of no path is refused', () => {
    const variables = { team: { description: 'The team' } }
    expect(() => openFactory('/mcp/{org}', { card: { variables } })).toThrow(
      /^serverCard\.variables\.team is a param of no path of this server/,
    )
  })

  it.each([['/mcp/server-card'], [['/mcp', '/mcp/server-card']], ['/server-card']])(
    'the path %j is refused, because the card would be there',
    (path) => {
      expect(() => open({ options: { path } })).toThrow(
        /^A path of this server ends with \/server-card, where serverCard\(\) serves the card/,
      )
    },
  )

  it('a path of the transport of 2024-11-05 at the place of the card is refused', () => {
    const features = [sessions({ httpSse: { path: '/mcp/server-card' } })]
    expect(() => open({ features })).toThrow(/ends with \/server-card, where/)
  })
})
