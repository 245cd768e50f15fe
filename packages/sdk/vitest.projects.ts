import { inWorkerd, sqlite } from '../../test/support/node/projects.ts'

/** The deployment of the servers that were moved from the SDK. */
const movedServers = {
  main: './packages/sdk/test/moved/worker.ts',
  miniflare: {
    compatibilityDate: '2026-11-01',
    compatibilityFlags: ['enable_request_signal', 'global_fetch_strictly_public', 'nodejs_als'],
    bindings: { API_KEY: 'the-key' },
    durableObjects: { MCP_OBJECTS: sqlite('McpObjects') },
  },
}

const TIMERS = ['packages/sdk/test/request-state-codec.test.ts']
const SERVERS = ['packages/sdk/test/moved/**/*.test.ts']

export default [
  inWorkerd('sdk', {
    include: ['packages/sdk/test/**/*.test.ts'],
    exclude: [...SERVERS, ...TIMERS],
  }),
  inWorkerd('sdk-timers', { include: TIMERS }),
  inWorkerd('sdk-servers', { include: SERVERS }, movedServers),
]
