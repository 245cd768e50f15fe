/** Violations of the rules of documents: the Server Card, the AI Catalog, proofs of domains and `server.json`. */
import type { DirectoryInput } from '../../src/directories/input.ts'
import { changed, clean } from './clean.ts'
import { at, OPENAI, REGISTRY, row, type Violation } from './violation.ts'

const [remote] = clean.card.remotes

const invalidCard = (change: object): Violation =>
  row(
    'card-invalid',
    `its card has ${JSON.stringify(change).slice(0, 90)}`,
    changed('card', { ...clean.card, ...change }),
  )

export const IDENTITY: readonly Violation[] = [
  at('name-differs', 'surface/info/name', 'todos'),
  at('version-differs', 'serverJson/version', '1.5.0'),
  at('version-differs', 'initialized', { name: 'notes', version: '1.3.0' }),
  at('title-differs', 'card/title', 'Example'),
  at('description-differs', 'serverJson/description', 'Notes'),
  at('remote-differs', 'card/remotes/0/url', 'https://mcp.example.com/v1'),
  at('card-invalid', 'card/$schema', 'https://example.com'),
  at('card-invalid', 'card/tools', []),
  at('card-invalid', 'card', 'no JSON'),
  invalidCard({ websiteUrl: 'example.com' }),
  invalidCard({ repository: { url: 'https://github.com/example/notes' } }),
  invalidCard({ icons: [{ mimeType: 'image/png' }] }),
  invalidCard({ icons: [{ src: 'https://example.com/icon.png', sizes: '48x48' }] }),
  invalidCard({ icons: [{ src: 'https://example.com/icon.png', theme: 'blue' }] }),
  invalidCard({ _meta: [] }),
  invalidCard({ remotes: [{ ...remote, supportedProtocolVersions: '2025-11-25' }] }),
  invalidCard({ remotes: [{ ...remote, headers: [{ value: 'a' }] }] }),
  invalidCard({ remotes: [{ ...remote, headers: [{ name: 'X-Plan', format: 'int' }] }] }),
  invalidCard({
    remotes: [{ ...remote, headers: [{ name: 'Authorization', value: 'Bearer a' }] }],
  }),
  invalidCard({
    remotes: [{ ...remote, headers: [{ name: 'X-Key', isSecret: true, default: 'a' }] }],
  }),
  row('card-invalid', 'the version is a range', { card: { ...clean.card, version: '^1.4.0' } }),
  at('catalog-invalid', 'catalog/specVersion', 1),
  at('catalog-invalid', 'catalog/entries/0/data', {}),
  at('catalog-invalid', 'catalog/host', { identifier: 'example.com' }),
  at('catalog-invalid', 'catalog/entries/0/version', '1.3.0'),
  at('catalog-invalid', 'catalog/entries/0/identifier', 'urn:air:elsewhere.com:mcp:a'),
  at('catalog-invalid', 'deadCardUrl', 'https://mcp.example.com/mcp/server-card'),
  row('domain-differs', 'an endpoint of another site', {
    ...clean,
    url: 'https://mcp.elsewhere.com/mcp',
    card: undefined,
    plugin: undefined,
    serverJson: {
      ...clean.serverJson,
      remotes: [{ type: 'sse', url: 'https://mcp.elsewhere.com/mcp' }],
    },
  }),
  at('proof-redirects', 'wellKnown/openaiAppsChallenge/redirectedTo', '/login', [OPENAI]),
  at('proof-redirects', 'wellKnown/mcpRegistryAuth/status', 302, [REGISTRY]),
  at('proof-is-a-page', 'wellKnown/openaiAppsChallenge/body', '<!doctype html><p>', [OPENAI]),
  at('proof-not-plain-text', 'wellKnown/openaiAppsChallenge/contentType', 'application/json', [
    OPENAI,
  ]),
  at('proof-invalid', 'wellKnown/openaiAppsChallenge/body', '["token-of-one"]', [OPENAI]),
  at('proof-invalid', 'wellKnown/mcpRegistryAuth/body', 'v=MCPv1; k=rsa; p=AAAA', [REGISTRY]),
  at('proof-invalid', 'wellKnown/mcpRegistryAuth/body', `v=MCPv1; k=ed25519; p=${'A'.repeat(43)}`, [
    REGISTRY,
  ]),
  at(
    'proof-invalid',
    'wellKnown/mcpRegistryAuth/body',
    `v=MCPv1; k=ecdsap384; p=${'A'.repeat(68)}`,
    [REGISTRY],
  ),
  at('proof-refused', 'wellKnown/mcpRegistryAuth/status', 403, [REGISTRY]),
]

/** Without the other documents, which would differ from it. */
const registryFile = (change: object): DirectoryInput => ({
  serverJson: { ...clean.serverJson, ...change },
})

export const SERVER_JSON: readonly Violation[] = [
  at('server-json-invalid', 'serverJson', 'no JSON'),
  at('server-json-invalid', 'serverJson/status', 'active'),
  at('server-json-schema', 'serverJson/$schema', 'https://example.com'),
  row('server-name-invalid', 'no namespace', registryFile({ name: 'notes' })),
  row('server-json-invalid', 'http', registryFile({ websiteUrl: 'http://example.com' })),
  row(
    'server-json-invalid',
    'an icon in the file',
    registryFile({ icons: [{ src: 'data:image/png;base64,AAAA' }] }),
  ),
  row(
    'server-json-invalid',
    'a repository of another source',
    registryFile({ repository: { url: 'https://git.example.com/notes', source: 'gitea' } }),
  ),
  row(
    'server-json-invalid',
    'a subfolder outside of the repository',
    registryFile({
      repository: { url: 'https://github.com/a/b', source: 'github', subfolder: '../c' },
    }),
  ),
  row('server-name-invalid', 'one letter', registryFile({ name: 'com.example/n' })),
  row('server-name-invalid', 'a hyphen', registryFile({ name: 'com.example/-notes' })),
  row('server-version-invalid', 'a range', registryFile({ version: '^1.4.0' })),
  row('server-version-invalid', 'a wildcard', registryFile({ version: '1.x' })),
  row('server-version-invalid', 'a range of the definition', {
    surface: { ...clean.surface, info: { name: 'notes', version: 'latest' } },
  }),
  row('server-title-invalid', '101 characters', registryFile({ title: 'x'.repeat(101) })),
  row(
    'server-description-invalid',
    '101 characters',
    registryFile({ description: 'x'.repeat(101) }),
  ),
  row('server-remote-missing', 'no remotes', registryFile({ remotes: [] })),
  row(
    'server-remote-invalid',
    'http',
    registryFile({ remotes: [{ type: 'streamable-http', url: 'http://mcp.example.com/mcp' }] }),
  ),
  row(
    'server-remote-invalid',
    'a variable without a description',
    registryFile({ remotes: [{ type: 'streamable-http', url: 'https://{org}.example.com/mcp' }] }),
  ),
  at('server-meta-invalid', 'serverJson/_meta', { 'com.example': {} }),
  at('server-meta-invalid', 'serverJson/_meta', {
    'io.modelcontextprotocol.registry/publisher-provided': 'x'.repeat(4096),
  }),
]
