/** What each client does, as far as a server can notice: eras, identities and redirect URIs. */

import { MODERN, NEWEST_SESSION, REVISIONS } from '../../../../src/protocol/revisions.ts'
import { type ClientName, MODERN as MODERN_CLIENTS } from '../../../client/src/names.ts'
import { type ClientProfile, PROFILES } from '../../../client/src/profiles.ts'

export interface Client {
  readonly name: ClientName
  /** The client sends `server/discover` first, and `initialize` when that is not answered with a result. */
  readonly startsModern: boolean
  /** The version in its `initialize`. */
  readonly revision: string
  /** Whether it opens a GET stream after `initialize`. */
  readonly opensStream: boolean
  /** The lists that it reads. Undefined: all of them. */
  readonly lists?: readonly string[]
  /** Whether it can identify itself by the URL of a client id metadata document. */
  readonly hasDocument: boolean
  /** The URL of the document, where it is the same for every server. */
  readonly document?: string
  /** In its registration. */
  readonly redirectUris: readonly [string, ...string[]]
  /** In its authorization request. */
  readonly redirectUri: string
}

/** The revisions that are sent in `initialize`, newest first. */
export const HANDSHAKE_REVISIONS = REVISIONS.filter(({ era }) => era !== 'modern').map(
  ({ id }) => id,
)

/** A version that no server knows. */
export const FUTURE_REVISION = '2099-01-01'

export const MODERN_REVISION = MODERN.id

/** What a profile says of the handshake. A client of the modern era sends `initialize` with the newest revision of sessions. */
function handshakeOf({
  revision,
  opensStream,
}: ClientProfile): Pick<Client, 'revision' | 'opensStream'> {
  return { revision: revision === MODERN.id ? NEWEST_SESSION.id : revision, opensStream }
}

const CLAUDE_CALLBACK = 'https://claude.ai/api/mcp/auth_callback'
const CLAUDE = {
  ...handshakeOf(PROFILES.claude),
  hasDocument: true,
  document: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
  redirectUris: [CLAUDE_CALLBACK],
} as const

const CHATGPT_CALLBACK = 'https://chatgpt.com/connector_platform_oauth_redirect'
const INSPECTOR_CALLBACK = 'http://localhost:6274/oauth/callback'

/** The origin of the Inspector in the browser. */
export const INSPECTOR_ORIGIN = 'http://localhost:6274'

/** A client as the table has it. The redirect URI of its authorization request is the first, unless it is named. */
type Entry = Omit<Client, 'startsModern' | 'redirectUri'> & Partial<Pick<Client, 'redirectUri'>>

const ENTRIES: readonly Entry[] = [
  { name: 'Claude (web)', ...CLAUDE },
  { name: 'Claude Desktop', ...CLAUDE },
  {
    name: 'Claude Code',
    ...handshakeOf(PROFILES['claude-code']),
    hasDocument: true,
    document: 'https://claude.ai/oauth/claude-code-client-metadata',
    redirectUris: ['http://localhost:3118/callback'],
  },
  {
    name: 'ChatGPT',
    ...handshakeOf(PROFILES.chatgpt),
    lists: ['tools/list'],
    // Each connector has a document of its own.
    hasDocument: true,
    redirectUris: [CHATGPT_CALLBACK],
  },
  {
    name: 'VS Code',
    ...handshakeOf(PROFILES.vscode),
    hasDocument: true,
    document: 'https://vscode.dev/oauth/client-metadata.json',
    redirectUris: [
      'https://vscode.dev/redirect',
      'https://insiders.vscode.dev/redirect',
      'http://127.0.0.1/',
      'http://127.0.0.1:33418/',
    ],
    redirectUri: 'http://127.0.0.1:33418/',
  },
  {
    name: 'Cursor',
    revision: '2025-11-25',
    opensStream: true,
    hasDocument: false,
    redirectUris: [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'http://localhost:8787/callback',
    ],
  },
  {
    name: 'Codex',
    ...handshakeOf(PROFILES.codex),
    hasDocument: true,
    document: 'https://chatgpt.com/oauth/codex/client.json',
    redirectUris: ['http://127.0.0.1:1455/callback'],
  },
  {
    name: 'Gemini CLI',
    ...handshakeOf(PROFILES['gemini-cli']),
    hasDocument: false,
    redirectUris: ['http://localhost:7777/oauth/callback'],
  },
  {
    name: 'Inspector',
    revision: '2025-11-25',
    opensStream: true,
    hasDocument: false,
    redirectUris: [INSPECTOR_CALLBACK],
  },
]

export const CLIENTS: readonly Client[] = ENTRIES.map((entry) => ({
  redirectUri: entry.redirectUris[0],
  ...entry,
  startsModern: MODERN_CLIENTS.includes(entry.name),
}))
