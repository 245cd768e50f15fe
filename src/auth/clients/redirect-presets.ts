/** The callbacks of known clients, for deployments that accept only these. */
import { matchRedirectUri } from './redirect-uri.ts'

interface Callbacks {
  /** A loopback URI matches every port. */
  readonly uris: readonly string[]
  /** A prefix that is followed by one path segment, the id of a connector. */
  readonly under?: string
  /** Accepts every path on a loopback host. */
  readonly anyLoopback?: true
}

const PRESETS = {
  claude: {
    uris: [
      'https://claude.ai/api/mcp/auth_callback',
      'https://claude.com/api/mcp/auth_callback',
      'http://localhost/callback',
      'http://127.0.0.1/callback',
    ],
  },
  chatgpt: {
    uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    under: 'https://chatgpt.com/connector/oauth/',
  },
  codex: { uris: [], anyLoopback: true },
  cursor: {
    uris: [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'http://localhost/callback',
    ],
  },
  grok: { uris: ['https://grok.com/connectors-oauth-exchange-code/'] },
  inspector: {
    uris: [
      'http://localhost/oauth/callback',
      'http://localhost/oauth/callback/debug',
      'http://127.0.0.1/oauth/callback',
    ],
  },
  vscode: {
    uris: [
      'https://vscode.dev/redirect',
      'https://insiders.vscode.dev/redirect',
      'http://127.0.0.1/',
      'http://localhost/',
    ],
  },
} as const satisfies Readonly<Record<string, Callbacks>>

export type RedirectPreset = keyof typeof PRESETS

export const REDIRECT_PRESETS = Object.keys(PRESETS) as readonly RedirectPreset[]

const CONNECTOR_ID = /^[\w-]{1,128}$/

/** Whether a valid redirect URI is a callback of the client. */
export function isCallbackOf(preset: RedirectPreset, uri: string, loopback: boolean): boolean {
  const { uris, under, anyLoopback }: Callbacks = PRESETS[preset]
  if (anyLoopback === true && loopback) return true
  if (under !== undefined && uri.startsWith(under)) {
    return CONNECTOR_ID.test(uri.slice(under.length))
  }
  return matchRedirectUri(uris, uri) !== undefined
}
