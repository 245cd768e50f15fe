/** By what a server recognises a client, and which steps each client takes. */

import type { ClientName } from '../../../client/src/names.ts'
import type { TimelineStep } from '../objects/log/port.ts'

export interface KnownClient {
  readonly name: ClientName
  /** The beginnings of the URLs of its client id metadata documents. A client without one registers itself. */
  readonly documents?: readonly string[]
  /** What it calls itself in `initialize`, in `_meta` and in a registration, in lower case. */
  readonly names: readonly string[]
  /** The first product of its `User-Agent`, in lower case. */
  readonly software?: readonly string[]
  /** The redirect URIs of its authorization requests, as far as they are its own. */
  readonly redirects?: readonly string[]
}

/** The more specific document first. */
export const KNOWN_CLIENTS: readonly KnownClient[] = [
  {
    name: 'Claude Code',
    documents: ['https://claude.ai/oauth/claude-code-client-metadata'],
    names: ['claude-code', 'claude code'],
    software: ['claude-code', 'claude-cli'],
  },
  {
    name: 'Claude (web)',
    documents: ['https://claude.ai/'],
    names: ['anthropic/claudeai', 'anthropic', 'claude'],
    software: ['claude-user', 'ruby'],
    redirects: ['https://claude.ai', 'https://claude.com'],
  },
  {
    name: 'Codex',
    documents: ['https://chatgpt.com/oauth/codex/'],
    names: ['codex-mcp-client', 'codex'],
    software: ['codex', 'codex_cli_rs', 'codex-cli'],
  },
  {
    name: 'ChatGPT',
    documents: ['https://chatgpt.com/oauth/'],
    names: ['openai-mcp', 'chatgpt'],
    software: ['openai-mcp'],
    redirects: ['https://chatgpt.com'],
  },
  {
    name: 'VS Code',
    documents: ['https://vscode.dev/oauth/'],
    names: ['visual studio code', 'visual studio code - insiders'],
    redirects: ['https://vscode.dev', 'https://insiders.vscode.dev'],
  },
  {
    name: 'Cursor',
    names: ['cursor', 'cursor-vscode'],
    software: ['cursor'],
    redirects: ['cursor:', 'https://www.cursor.com'],
  },
  {
    name: 'Gemini CLI',
    names: ['gemini-cli-mcp-client', 'gemini cli', 'gemini-cli'],
    software: ['geminicli', 'gemini-cli'],
  },
  {
    name: 'Inspector',
    names: ['mcp-inspector', 'inspector-client', 'mcp inspector'],
    software: ['mcp-inspector'],
  },
]

/** Undefined for a step that shows nothing of its client, and for a client that is not known. */
export function clientOfStep(step: TimelineStep): KnownClient | undefined {
  const { client = '', name = '', software } = step
  const redirect = step.details.redirect ?? step.details.location
  return (
    KNOWN_CLIENTS.find(({ documents }) => documents?.some((url) => client.startsWith(url))) ??
    KNOWN_CLIENTS.find(({ names }) => names.includes(name.toLowerCase())) ??
    KNOWN_CLIENTS.find(({ software: known }) => known?.includes(software.toLowerCase())) ??
    KNOWN_CLIENTS.find(({ redirects }) => redirects?.includes(String(redirect)))
  )
}

/** The client of a connection: what most of its own requests say. */
export function clientOfSteps(steps: readonly TimelineStep[]): KnownClient | undefined {
  const last = steps.findLast((step) => clientOfStep(step) !== undefined)
  return last && clientOfStep(last)
}
