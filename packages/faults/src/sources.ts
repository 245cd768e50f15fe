/** The documents that the catalogue cites. */
import { MODERN, REVISIONS } from '../../../src/protocol/revisions.ts'
import type { Fault } from './fault.ts'

/** A clause, and where it can be read. */
export type Cited = Pick<Fault, 'clause' | 'source'>

const SPECIFICATION = 'https://modelcontextprotocol.io/specification'
const LAST_WITH_SESSIONS = REVISIONS.find(({ era }) => era === 'session')?.id ?? ''

export const HTTP = 'basic/transports/streamable-http'
export const TRANSPORTS = 'basic/transports'
export const AUTH = 'basic/authorization'

/** A page of the newest revision of the specification. */
export const modern = (page: string): string => `${SPECIFICATION}/${MODERN.id}/${page}`

/** A clause of the newest revision of the specification. */
export const mcp = (text: string, page: string): Cited => ({
  clause: `MCP, ${text}`,
  source: modern(page),
})

/** A clause of the last revision with sessions. */
export const legacy = (text: string, page: string): Cited => ({
  clause: `MCP, ${text}`,
  source: `${SPECIFICATION}/${LAST_WITH_SESSIONS}/${page}`,
})

/** A page of the documentation of Cloudflare. */
export const cloudflare = (text: string, page: string): Cited => ({
  clause: `Cloudflare, ${text}`,
  source: `https://developers.cloudflare.com/${page}`,
})

/** @param more follows the section in the text */
export const rfc = (number: number, section: string, more = ''): Cited => ({
  clause: `RFC ${number} §${section}${more}`,
  source: `https://www.rfc-editor.org/rfc/rfc${number}#section-${section}`,
})

/** A public issue that reports the behaviour of a client. */
export const issue = (repository: string, number: number): string =>
  `https://github.com/${repository}/issues/${number}`

export const CLAUDE_CONNECTORS =
  'https://support.claude.com/en/articles/11503834-building-custom-connectors-via-remote-mcp-servers'

/** A section of the specification of MCP Apps. */
export const apps = (text: string, section: string): Cited => ({
  clause: `MCP Apps, ${text}`,
  source: `https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx#${section}`,
})

/** A section of the extension MCP Events. */
export const events = (section: string): Cited => ({
  clause: `MCP Events (SEP-3415), ${section}`,
  source: 'https://github.com/modelcontextprotocol/ext-events',
})

/** A section of what ChatGPT expects of a server with events. */
export const openai = (section: string): Cited => ({
  clause: `OpenAI, MCP Events, ${section}`,
  source: 'https://developers.openai.com/plugins/build/mcp-events',
})
