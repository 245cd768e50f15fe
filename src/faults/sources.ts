/** The documents that the catalogue cites. */
const SPECIFICATION = 'https://modelcontextprotocol.io/specification'

/** A page of the newest revision of the specification. */
export const modern = (page: string): string => `${SPECIFICATION}/2026-07-28/${page}`

/** A page of the last revision with sessions. */
export const session = (page: string): string => `${SPECIFICATION}/2025-11-25/${page}`

export const rfc = (number: number, section: string): string =>
  `https://www.rfc-editor.org/rfc/rfc${number}#section-${section}`

/** A public issue that reports the behaviour of a client. */
export const issue = (repository: string, number: number): string =>
  `https://github.com/${repository}/issues/${number}`

export const CLAUDE_CONNECTORS =
  'https://support.claude.com/en/articles/11503834-building-custom-connectors-via-remote-mcp-servers'
