import { inNode, inWorkerd, sqlite } from '../../test/support/node/projects.ts'

/** One Worker with all moved agents: their bindings are those of the Agents SDK, each of its class. */
const movedAgents = {
  main: './packages/agents/test/worker.ts',
  miniflare: {
    compatibilityDate: '2026-11-01',
    compatibilityFlags: ['nodejs_compat', 'enable_request_signal', 'global_fetch_strictly_public'],
    bindings: { MCP_SERVER_NAME: 'accounts-server' },
    kvNamespaces: ['OAUTH_KV'],
    durableObjects: {
      MCP_OBJECTS: sqlite('McpObjects'),
      MCP_OBJECT: sqlite('Calculator'),
      ACCOUNTS: sqlite('Accounts'),
      COUNTER: sqlite('Counter'),
      FAULTY: sqlite('Faulty'),
      FORGETFUL: sqlite('Forgetful'),
      GREETER: sqlite('Greeter'),
      MEMBERS: sqlite('Members'),
      NOTES: sqlite('Notes'),
      OTHER_NOTES: sqlite('OtherNotes'),
      TODOS: sqlite('Todos'),
      VERIFIED: sqlite('Verified'),
    },
  },
}

const DATES = 'packages/agents/test/compatibility-dates.test.ts'

export default [
  inWorkerd(
    'agents',
    { include: ['packages/agents/test/**/*.test.ts'], exclude: [DATES] },
    movedAgents,
  ),
  inNode('agents-node', { include: [DATES] }),
]
