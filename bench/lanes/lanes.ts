/** Who takes part, and in what. A lane is left out of the work that it does not speak. */
import { randomBytes } from 'node:crypto'
import type { Bindings } from '../measure/workerd.ts'
import type { Definition, Lane, WorkName } from './lane.ts'

const EVERY_WORK: readonly WorkName[] = [
  'call',
  'call-100',
  'stateless-call',
  'stateless-initialize',
  'list',
]

const AUTHORIZATION_WORKS: readonly WorkName[] = ['authorized-call', 'token', 'refresh', 'register']

const SESSION_WORKS: readonly WorkName[] = ['initialize', 'session-call', 'session-list']

/** One object for each session; a name of its own in each lane, but for the binding. */
function sessionObjects(className: string): Partial<Record<Definition, Bindings>> {
  const bindings = { objects: { MCP_SESSION: className } }
  return { 'session-one-tool': bindings, 'session-hundred-tools': bindings }
}

/** As the project's own wrangler.toml deploys it. */
const EDGEWAY_FLAGS: readonly string[] = ['enable_request_signal']

const EDGEWAY_SESSIONS: Bindings = {
  objects: { MCP_SESSION: 'McpSession', MCP_KEYRING: 'McpKeyring' },
}

const EDGEWAY_AUTHORIZED: Bindings = {
  objects: { MCP_KEYRING: 'McpKeyring', MCP_ACCOUNT: 'McpAccount' },
  origin: 'EDGEWAY_ORIGIN',
}

/** Of this run alone. */
const SECRET = randomBytes(32).toString('base64')

export const LANES: readonly Lane[] = [
  {
    name: 'bare Hono route',
    folder: 'bare',
    works: [
      'call',
      'stateless-call',
      'stateless-initialize',
      'initialize',
      'session-call',
      'token',
      'register',
    ],
    sessionRevision: '2025-11-25',
    compatibilityFlags: [],
    bindings: sessionObjects('BareSession'),
    takesAnySessionId: true,
  },
  {
    name: 'bare Hono route, same bytes',
    folder: 'same-bytes',
    works: ['list', 'session-list'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: [],
    bindings: sessionObjects('BareSession'),
    takesAnySessionId: true,
  },
  {
    name: 'edgeway',
    folder: 'edgeway',
    works: [
      ...EVERY_WORK,
      ...SESSION_WORKS,
      ...AUTHORIZATION_WORKS,
      'ask',
      'publish',
      'session-rows',
      'replay',
    ],
    sessionRevision: '2025-11-25',
    compatibilityFlags: EDGEWAY_FLAGS,
    bindings: {
      asking: { objects: { MCP_KEYRING: 'McpKeyring' } },
      listening: { objects: { MCP_HUB: 'McpHub' } },
      'session-one-tool': EDGEWAY_SESSIONS,
      'session-hundred-tools': EDGEWAY_SESSIONS,
      'session-progress': EDGEWAY_SESSIONS,
      authorized: EDGEWAY_AUTHORIZED,
    },
  },
  {
    name: 'edgeway, the grant looked at every time',
    folder: 'edgeway-every-check',
    works: ['authorized-call'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: EDGEWAY_FLAGS,
    bindings: { authorized: EDGEWAY_AUTHORIZED },
    variantOf: 'edgeway',
  },
  {
    name: 'edgeway, secret in place of the keyring',
    folder: 'edgeway-secret',
    works: ['ask'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: EDGEWAY_FLAGS,
    bindings: { asking: { texts: { EDGEWAY_SECRET: SECRET } } },
    variantOf: 'edgeway',
  },
  {
    name: 'official SDK 2.4.0',
    folder: 'sdk',
    works: [...EVERY_WORK, 'ask', 'publish'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: [],
    bindings: { asking: { texts: { REQUEST_STATE_KEY: SECRET } } },
  },
  {
    name: 'official SDK 2.4.0 in an object',
    folder: 'sdk-object',
    works: SESSION_WORKS,
    sessionRevision: '2025-11-25',
    compatibilityFlags: [],
    bindings: sessionObjects('Session'),
    variantOf: 'sdk',
  },
  {
    name: 'agents 0.32.0',
    folder: 'agents',
    works: [...EVERY_WORK, 'ask'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: [],
    bindings: { asking: { texts: { REQUEST_STATE_KEY: SECRET } } },
  },
  {
    name: 'agents 0.32.0, `McpAgent`',
    folder: 'mcp-agent',
    works: [...SESSION_WORKS, 'session-rows'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: [],
    bindings: sessionObjects('Session'),
    variantOf: 'agents',
  },
  {
    name: 'mcp-lite 0.10.0 (2025-06-18)',
    folder: 'mcp-lite',
    works: ['stateless-call', 'stateless-initialize'],
    sessionRevision: '2025-06-18',
    compatibilityFlags: [],
  },
  {
    name: 'mcp-lite 0.10.0 (2025-06-18) in an object',
    folder: 'mcp-lite-object',
    works: SESSION_WORKS,
    sessionRevision: '2025-06-18',
    compatibilityFlags: [],
    bindings: sessionObjects('Session'),
    takesAnySessionId: true,
    variantOf: 'mcp-lite',
  },
  {
    name: '@hono/mcp 0.3.2',
    folder: 'hono-mcp',
    works: ['stateless-call', 'stateless-initialize'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: [],
  },
  {
    name: '@hono/mcp 0.3.2 in an object',
    folder: 'hono-mcp-object',
    works: SESSION_WORKS,
    sessionRevision: '2025-11-25',
    compatibilityFlags: [],
    bindings: sessionObjects('Session'),
    variantOf: 'hono-mcp',
  },
]
