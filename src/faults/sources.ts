/** The documents that the catalogue cites. */
import { MODERN, REVISIONS } from '../protocol/revisions.ts'

const SPECIFICATION = 'https://modelcontextprotocol.io/specification'
const LAST_WITH_SESSIONS = REVISIONS.find(({ era }) => era === 'session')?.id ?? ''

/** A page of the newest revision of the specification. */
export const modern = (page: string): string => `${SPECIFICATION}/${MODERN.id}/${page}`

/** A page of the last revision with sessions. */
export const session = (page: string): string => `${SPECIFICATION}/${LAST_WITH_SESSIONS}/${page}`

/** A page of the documentation of Cloudflare. */
export const cloudflare = (page: string): string => `https://developers.cloudflare.com/${page}`

export const rfc = (number: number, section: string): string =>
  `https://www.rfc-editor.org/rfc/rfc${number}#section-${section}`

/** A public issue that reports the behaviour of a client. */
export const issue = (repository: string, number: number): string =>
  `https://github.com/${repository}/issues/${number}`

export const CLAUDE_CONNECTORS =
  'https://support.claude.com/en/articles/11503834-building-custom-connectors-via-remote-mcp-servers'

/** A section of the specification of MCP Apps. */
export const apps = (section: string): string =>
  `https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx#${section}`
