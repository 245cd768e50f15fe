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
  {
    name: 'ChatGPT',
    uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    requests: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    document: 'https://chatgpt.com/oauth/abc123/client.json',
  },
  {
    name: 'ChatGPT connector',
    uris: ['https://chatgpt.com/connector/oauth/Xy_z-123'],
    requests: ['https://chatgpt.com/connector/oauth/Xy_z-123'],
    document: 'https://chatgpt.com/oauth/abc124/client.json',
  },
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
  {
    name: 'MCP Inspector',
    uris: ['http://localhost:6274/oauth/callback'],
    requests: ['http://localhost:6274/oauth/callback'],
  },
  {
    name: 'MCP Inspector CLI',
    uris: ['http://127.0.0.1:6276/oauth/callback'],
    requests: ['http://127.0.0.1:6276/oauth/callback'],
  },
  {
    name: 'opencode',
    uris: ['http://127.0.0.1:19876/mcp/oauth/callback'],
    requests: ['http://127.0.0.1:19877/mcp/oauth/callback'],
    document: 'https://opencode.ai/oauth/opencode/client.json',
  },
  {
    name: 'Grok',
    uris: ['https://grok.com/connectors-oauth-exchange-code/'],
    requests: ['https://grok.com/connectors-oauth-exchange-code/'],
    document: 'https://grok.com/oauth/mcp-client.json',
  },
]

const metadataOf = ({ name, uris }: KnownClient) => ({
  client_name: name,
  redirect_uris: uris,
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
})

describe('a known client that registers', () => {
  it.each(KNOWN)(
    '$name keeps every redirect URI, and every requested one matches',
    async (known) => {
      const { clients, authenticate } = openDeployment()
      const registered = await clients.register(metadataOf(known))
      expect(registered).toMatchObject(metadataOf(known))
      const id = registered.client_id as string
      expect(id.length).toBeLessThan(2000)
      const uris = (await clients.find(id))?.redirectUris ?? []
      expect(known.requests.map((uri) => matchRedirectUri(uris, uri))).toEqual(known.requests)
      const client = await authenticate(new Headers(), new Map([['client_id', id]]))
      expect(client.name).toBe(known.name)
    },
  )
})

describe('a known client with a metadata document', () => {
  const published = KNOWN.filter(({ document }) => document !== undefined)

  it.each(published)(
    '$name keeps every redirect URI, and every requested one matches',
    async (known) => {
      const deployment = openDeployment()
      const id = known.document ?? ''
      deployment.published.set(id, { client_id: id, ...metadataOf(known) })
      const client = await deployment.authenticate(new Headers(), new Map([['client_id', id]]))
      expect(client).toMatchObject({ kind: 'document', name: known.name, redirectUris: known.uris })
      const matched = known.requests.map((uri) => matchRedirectUri(client.redirectUris, uri))
      expect(matched).toEqual(known.requests)
    },
  )
})
