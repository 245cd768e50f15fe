/** The metadata with which well-known apps present themselves to a new server. */

export interface KnownApp {
  readonly name: string
  /** Registered, or listed in its document. */
  readonly redirectUris: readonly string[]
  /** The redirect URIs of its authorization requests. */
  readonly callbacks: readonly string[]
  /** The URL of its client document. */
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
const VS_CODE = [
  'https://vscode.dev/redirect',
  'https://insiders.vscode.dev/redirect',
  'http://127.0.0.1/',
  'http://127.0.0.1:33418/',
]
const CHATGPT = 'https://chatgpt.com/connector_platform_oauth_redirect'
const CHATGPT_CONNECTOR = 'https://chatgpt.com/connector/oauth/Ab3dE-9_x'
const GROK = 'https://grok.com/connectors-oauth-exchange-code/'

export const KNOWN_APPS: readonly KnownApp[] = [
  {
    name: 'Claude',
    redirectUris: CLAUDE,
    callbacks: CLAUDE,
    document: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
  },
  {
    name: 'Claude Code',
    redirectUris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
    callbacks: ['http://localhost:54545/callback', 'http://localhost:3118/callback'],
    document: 'https://claude.ai/oauth/claude-code-client-metadata',
  },
  {
    name: 'ChatGPT',
    redirectUris: [CHATGPT],
    callbacks: [CHATGPT],
    document: 'https://chatgpt.com/oauth/plugin_1/client.json',
  },
  {
    name: 'A ChatGPT connector',
    redirectUris: [CHATGPT_CONNECTOR],
    callbacks: [CHATGPT_CONNECTOR],
  },
  {
    name: 'Codex',
    redirectUris: ['http://127.0.0.1/callback'],
    callbacks: ['http://127.0.0.1:1455/callback', 'http://127.0.0.1:39117/callback'],
    document: 'https://chatgpt.com/oauth/codex/client.json',
  },
  {
    name: 'Visual Studio Code',
    redirectUris: VS_CODE,
    callbacks: [...VS_CODE, 'http://127.0.0.1:52341/'],
    document: 'https://vscode.dev/oauth/client-metadata.json',
  },
  {
    name: 'Cursor',
    redirectUris: CURSOR,
    callbacks: [...CURSOR, 'http://localhost:9000/callback'],
  },
  {
    name: 'MCP Inspector',
    redirectUris: ['http://localhost:6274/oauth/callback'],
    callbacks: ['http://localhost:6274/oauth/callback'],
  },
  {
    name: 'MCP Inspector on the command line',
    redirectUris: ['http://127.0.0.1:6276/oauth/callback'],
    callbacks: ['http://127.0.0.1:6276/oauth/callback'],
  },
  {
    name: 'opencode',
    redirectUris: ['http://127.0.0.1:19876/mcp/oauth/callback'],
    callbacks: ['http://127.0.0.1:19876/mcp/oauth/callback'],
    document: 'https://opencode.ai/oauth/opencode/client.json',
  },
  {
    name: 'Grok',
    redirectUris: [GROK],
    callbacks: [GROK],
    document: 'https://grok.com/oauth/mcp-client.json',
  },
]

export function metadataOf({ name, redirectUris }: KnownApp) {
  return {
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}
