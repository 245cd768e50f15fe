/** The clients by what distinguishes them in the catalogue of faults. Their behaviour is in `packages/doctor/src/doctor/clients.ts`. */
import type { ClientName } from '../../client/src/names.ts'

/** The clients whose requests come from the internet and not from the device of the person. */
export const HOSTED: readonly ClientName[] = ['Claude (web)', 'Claude Desktop', 'ChatGPT']

/** The clients that send the session id of the last response, and not that of `initialize`. */
export const WITH_LAST_SESSION_ID: readonly ClientName[] = [
  'VS Code',
  'Cursor',
  'Gemini CLI',
  'Inspector',
]

/**
 * The clients that show the views of tools.
 *
 * @see https://modelcontextprotocol.io/extensions/client-matrix
 */
export const WITH_VIEWS: readonly ClientName[] = [
  'Claude (web)',
  'Claude Desktop',
  'ChatGPT',
  'VS Code',
  'Cursor',
]

/** The clients that subscribe to events (MCP Events), by webhook. */
export const WITH_EVENTS: readonly ClientName[] = ['ChatGPT']

/** The clients that read messages with the official TypeScript SDK. */
export const WITH_TYPESCRIPT_SDK: readonly ClientName[] = [
  'Claude Code',
  'Cursor',
  'Gemini CLI',
  'Inspector',
]

/** The clients that sign in with the official TypeScript SDK. */
export const WITH_TYPESCRIPT_SIGN_IN: readonly ClientName[] = ['Claude Code', 'Cursor', 'Inspector']
