/** What the page knows of the played server. */
import type { ServerConfig } from '../../../page/server-config.ts'

export const CONFIG: ServerConfig = {
  serverName: 'fixture',
  version: '1.0.0',
  endpoints: ['/mcp'],
  development: true,
  authorization: false,
  subject: null,
  bodies: 'all',
  events: true,
  revisions: ['2026-07-28', '2025-11-25'],
}
