/** Widely used clients, with the callbacks that they register and send. */
import { describe, expect, it } from 'vitest'
import { matchRedirectUri } from '../../../src/auth/clients/redirect-uri.ts'
import { openDeployment } from './deployment.ts'

interface KnownClient {
  readonly name: string
  /** Redirect URIs of its registration or document. */
  readonly uris: readonly string[]
  /** Sent with the authorization request. */
  readonly requests: readonly string[]
  /** The URL of its metadata document, if it has one. */
  readonly document?: string
}

const CLAUDE = [
  'https://claude.ai/api/mcp/auth_callback',
  'https://claude.com/api/mcp/auth_callback',
]
const CURSOR = [
  'cursor://anysphere.cursor-mcp/oauth/callback',
  'https://www.cursor.com/agents/mcp/oauth/callback',
  'http://localhost:8787/callback',
]
const VSCODE = [
  'https://vscode.dev/redirect',
  'https://insiders.vscode.dev/redirect',
  'http://127.0.0.1/',
  'http://127.0.0.1:33418/',
]

/** A client with one redirect URI, which it also requests. */
const same = (name: string, uri: string, document?: string): KnownClient => ({
  ...{ name, uris: [uri], requests: [uri] },
  ...(document !== undefined && { document }),
})

const KNOWN: readonly KnownClient[] = [
  {
    name: 'Claude',
    uris: CLAUDE,
    requests: CLAUDE,
    document: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
  },
  {
    name: 'Claude Code',
    uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
    requests: ['http://localhost:54545/callback', 'http://localhost:3118/callback'],
    document: 'https://claude.ai/oauth/claude-code-client-metadata',
  },
  same(
    'ChatGPT',
    'https://chatgpt.com/connector_platform_oauth_redirect',
    'https://chatgpt.com/oauth/abc123/client.json',
  ),
  same(
    'ChatGPT connector',
    'https://chatgpt.com/connector/oauth/Xy_z-123',
    'https://chatgpt.com/oauth/abc124/client.json',
  ),
  {
    name: 'Codex',
    uris: ['http://127.0.0.1/callback'],
    requests: ['http://127.0.0.1:1455/callback'],
    document: 'https://chatgpt.com/oauth/codex/client.json',
  },
  {
    name: 'Visual Studio Code',
    uris: VSCODE,
    requests: [...VSCODE, 'http://127.0.0.1:52341/'],
    document: 'https://vscode.dev/oauth/client-metadata.json',
  },
  { name: 'Cursor', uris: CURSOR, requests: [...CURSOR, 'http://localhost:9000/callback'] },
  same('MCP Inspector', 'http://localhost:6274/oauth/callback'),
  same('MCP Inspector CLI', 'http://127.0.0.1:6276/oauth/callback'),
  {
    name: 'opencode',
    uris: ['http://127.0.0.1:19876/mcp/oauth/callback'],
    requests: ['http://127.0.0.1:19877/mcp/oauth/callback'],
    document: 'https://opencode.ai/oauth/opencode/client.json',
  },
  same(
    'Grok',
    'https://grok.com/connectors-oauth-exchange-code/',
    'https://grok.com/oauth/mcp-client.json',
  ),
]

const metadataOf = ({ name, uris }: KnownClient) => ({
  client_name: name,
  redirect_uris: uris,
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
})

describe.each(KNOWN)('the known client $name', (known) => {
  const { name, requests } = known

  it('that registers keeps every redirect URI, and every requested one matches', async () => {
    const { clients, authenticate } = openDeployment()
    const registered = await clients.register(metadataOf(known))
    expect(registered).toMatchObject(metadataOf(known))
    const id = registered.client_id as string
    expect(id.length).toBeLessThan(2000)
    const kept = (await clients.find(id))?.redirectUris ?? []
    expect(requests.map((uri) => matchRedirectUri(kept, uri))).toEqual(requests)
    expect((await authenticate(new Headers(), new Map([['client_id', id]]))).name).toBe(name)
  })
})

const PUBLISHED = KNOWN.flatMap(({ document, ...known }) =>
  document === undefined ? [] : [{ ...known, document }],
)

describe.each(PUBLISHED)('the known client $name', (known) => {
  const { document: id, name, requests, uris } = known

  it('with its metadata document keeps every redirect URI, and every requested one matches', async () => {
    const { authenticate, published } = openDeployment()
    published.set(id, { client_id: id, ...metadataOf(known) })
    const client = await authenticate(new Headers(), new Map([['client_id', id]]))
    expect(client).toMatchObject({ kind: 'document', name, redirectUris: uris })
    expect(requests.map((uri) => matchRedirectUri(client.redirectUris, uri))).toEqual(requests)
  })
})
