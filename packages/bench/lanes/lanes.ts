/** The lanes: which libraries are measured, in which configuration, and in which scenarios. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Bindings, EntryName, Lane, ScenarioName } from './lane.ts'

const STATELESS_SCENARIOS: readonly ScenarioName[] = [
  'call',
  'call-100',
  'stateless-call',
  'stateless-initialize',
  'list',
]

const AUTHORIZATION_SCENARIOS: readonly ScenarioName[] = [
  'authorized-call',
  'token',
  'refresh',
  'register',
]

const TASK_SCENARIOS: readonly ScenarioName[] = ['task', 'task-get']

const SESSION_SCENARIOS: readonly ScenarioName[] = ['initialize', 'session-call', 'session-list']

/** Binds the class of a library's session objects as `MCP_SESSION`. */
function sessionObjects(className: string): Partial<Record<EntryName, Bindings>> {
  const bindings = { objects: { MCP_SESSION: className } }
  return { 'session-one-tool': bindings, 'session-hundred-tools': bindings }
}

/** The flags of the project's own `wrangler.toml`. */
const EDGEWAY_FLAGS: readonly string[] = ['enable_request_signal', 'global_fetch_strictly_public']

/** Required by `@cloudflare/workers-oauth-provider` to accept client ID metadata documents. */
const OAUTH_PROVIDER_FLAGS: readonly string[] = ['global_fetch_strictly_public']

/** All objects of Edgeway are of one class. */
const OBJECTS: Bindings = { objects: { MCP_OBJECTS: 'McpObjects' } }

const EDGEWAY_AUTHORIZED: Bindings = { ...OBJECTS, origin: 'EDGEWAY_ORIGIN' }

/** A random key for this run. */
const SECRET = randomBytes(32).toString('base64')

const OAUTH_PROVIDER: Bindings = { texts: { PASSPHRASE: SECRET }, origin: 'ORIGIN' }

const EDGEWAY: Lane = {
  name: 'edgeway',
  folder: 'edgeway',
  supports: [
    ...STATELESS_SCENARIOS,
    ...SESSION_SCENARIOS,
    ...AUTHORIZATION_SCENARIOS,
    ...TASK_SCENARIOS,
    'connected-call',
    'ask',
    'state-get',
    'state-update',
    'publish',
    'session-rows',
    'replay',
    'paced',
    'task-counts',
    'usage-counts',
  ],
  sessionRevision: '2025-11-25',
  compatibilityFlags: EDGEWAY_FLAGS,
  bindings: {
    ...Object.fromEntries(
      [
        'asking',
        'listening',
        'crowd',
        'session-one-tool',
        'session-hundred-tools',
        'session-progress',
        'task',
        'counted-task',
        'counted-session',
        'counted-listening',
        'state-get',
        'state-update',
      ].map((entry) => [entry, OBJECTS]),
    ),
    'counted-authorized': EDGEWAY_AUTHORIZED,
    authorized: EDGEWAY_AUTHORIZED,
    'authorized-sessions': EDGEWAY_AUTHORIZED,
    connected: EDGEWAY_AUTHORIZED,
    external: { origin: 'EDGEWAY_ORIGIN' },
  },
  footprints: {
    'one-tool': 'edgeway, no features',
    'raw-schema': 'edgeway, no features, without zod',
    'session-one-tool': 'edgeway, `sessions()`',
    external: 'edgeway, `external()`',
    authorized: 'edgeway, `embedded()`',
    'authorized-sessions': 'edgeway, `embedded()`, `sessions()`, `changes()`',
  },
}

export const LANES: readonly Lane[] = [
  {
    name: 'bare Hono route',
    folder: 'bare',
    supports: [
      'call',
      'stateless-call',
      'stateless-initialize',
      'initialize',
      'session-call',
      'token',
      'register',
      'task',
      'usage-counts',
    ],
    sessionRevision: '2025-11-25',
    compatibilityFlags: [],
    bindings: {
      ...sessionObjects('BareSession'),
      task: { objects: { MCP_TASK: 'BareTask', MCP_LIST: 'BareList' } },
      'counted-listening': {},
    },
    footprints: { 'one-tool': 'bare Hono route' },
    acceptsAnySessionId: true,
  },
  {
    name: 'bare Hono route, same bytes',
    folder: 'same-bytes',
    supports: ['list', 'session-list'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: [],
    bindings: sessionObjects('BareSession'),
    acceptsAnySessionId: true,
  },
  EDGEWAY,
  {
    name: 'edgeway/sdk',
    folder: 'edgeway-sdk',
    supports: ['call', 'stateless-call'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: [...EDGEWAY_FLAGS, 'nodejs_als'],
    footprints: { 'one-tool': 'edgeway, `createMcpHandler` of edgeway/sdk' },
    variantOf: 'edgeway',
  },
  {
    name: 'edgeway, definition from a factory',
    folder: 'edgeway-factory',
    supports: ['call', 'stateless-call'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: EDGEWAY_FLAGS,
    bindings: {},
    variantOf: 'edgeway',
  },
  {
    name: 'edgeway, requests counted by a telemetry sink',
    folder: 'edgeway-telemetry',
    supports: ['call', 'stateless-call'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: EDGEWAY_FLAGS,
    bindings: {},
    variantOf: 'edgeway',
  },
  {
    name: 'edgeway, grant checked on every call',
    folder: 'edgeway-every-check',
    supports: ['authorized-call', 'paced'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: EDGEWAY_FLAGS,
    bindings: { authorized: EDGEWAY_AUTHORIZED },
    variantOf: 'edgeway',
  },
  {
    name: 'edgeway, grant check used for a second',
    folder: 'edgeway-second-check',
    supports: ['paced'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: EDGEWAY_FLAGS,
    bindings: { authorized: EDGEWAY_AUTHORIZED },
    variantOf: 'edgeway',
  },
  {
    name: 'edgeway, secret instead of the keyring',
    folder: 'edgeway-secret',
    supports: ['ask'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: EDGEWAY_FLAGS,
    bindings: { asking: { texts: { EDGEWAY_SECRET: SECRET } } },
    variantOf: 'edgeway',
  },
  {
    name: 'official SDK 2.4.0',
    folder: 'sdk',
    supports: [...STATELESS_SCENARIOS, 'ask', 'publish', 'usage-counts'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: OAUTH_PROVIDER_FLAGS,
    bindings: {
      'counted-listening': {},
      asking: { texts: { REQUEST_STATE_KEY: SECRET } },
      authorized: OAUTH_PROVIDER,
    },
    footprints: {
      'one-tool': 'official SDK 2.4.0',
      authorized: 'official SDK 2.4.0, workers-oauth-provider 1.2.3',
    },
  },
  {
    name: 'official SDK 2.4.0 in an object',
    folder: 'sdk-object',
    supports: SESSION_SCENARIOS,
    sessionRevision: '2025-11-25',
    compatibilityFlags: [],
    bindings: sessionObjects('Session'),
    variantOf: 'sdk',
  },
  {
    name: 'official SDK 1.32.2 in an object, tasks in memory',
    folder: 'sdk-1-object',
    supports: TASK_SCENARIOS,
    sessionRevision: '2025-11-25',
    compatibilityFlags: [],
    bindings: { task: { objects: { MCP_SESSION: 'Session' } } },
    variantOf: 'sdk',
    hasExperimentalTasks: true,
  },
  {
    name: 'agents 0.32.0',
    folder: 'agents',
    supports: [...STATELESS_SCENARIOS, 'ask'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: OAUTH_PROVIDER_FLAGS,
    bindings: {
      asking: { texts: { REQUEST_STATE_KEY: SECRET } },
      authorized: OAUTH_PROVIDER,
    },
    footprints: {
      'one-tool': 'agents 0.32.0',
      authorized: 'agents 0.32.0, workers-oauth-provider 1.2.3',
    },
  },
  {
    name: 'agents 0.32.0, `McpAgent`',
    folder: 'mcp-agent',
    supports: [...SESSION_SCENARIOS, 'session-rows', 'usage-counts'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: OAUTH_PROVIDER_FLAGS,
    bindings: {
      ...sessionObjects('Session'),
      'counted-session': { objects: { MCP_SESSION: 'Session' } },
      authorized: { ...OAUTH_PROVIDER, objects: { MCP_SESSION: 'Session' } },
    },
    footprints: {
      'session-one-tool': 'agents 0.32.0, `McpAgent`',
      authorized: 'agents 0.32.0, `McpAgent`, workers-oauth-provider 1.2.3',
    },
    variantOf: 'agents',
  },
  {
    name: 'mcp-lite 0.10.0 (2025-06-18)',
    folder: 'mcp-lite',
    supports: ['stateless-call', 'stateless-initialize'],
    sessionRevision: '2025-06-18',
    compatibilityFlags: [],
    footprints: { 'one-tool': 'mcp-lite 0.10.0' },
  },
  {
    name: 'mcp-lite 0.10.0 (2025-06-18) in an object',
    folder: 'mcp-lite-object',
    supports: SESSION_SCENARIOS,
    sessionRevision: '2025-06-18',
    compatibilityFlags: [],
    bindings: sessionObjects('Session'),
    acceptsAnySessionId: true,
    variantOf: 'mcp-lite',
  },
  {
    name: '@hono/mcp 0.3.2',
    folder: 'hono-mcp',
    supports: ['stateless-call', 'stateless-initialize'],
    sessionRevision: '2025-11-25',
    compatibilityFlags: [],
    footprints: { 'one-tool': '@hono/mcp 0.3.2' },
  },
  {
    name: '@hono/mcp 0.3.2 in an object',
    folder: 'hono-mcp-object',
    supports: SESSION_SCENARIOS,
    sessionRevision: '2025-11-25',
    compatibilityFlags: [],
    bindings: sessionObjects('Session'),
    variantOf: 'hono-mcp',
  },
]

export const BASELINE_FOLDER = 'edgeway-before'

/**
 * Edgeway as another checkout of this repository has it, bundled from that checkout's own lanes.
 *
 * @param checkout the root of a checkout in which `npm ci` has been run
 * @throws {Error} when it has no Edgeway lane
 */
export async function baselineLane(checkout: string): Promise<Lane> {
  const source = resolve(checkout, 'packages/bench/lanes/edgeway')
  if (!existsSync(source)) throw new Error(`There is no ${source}`)
  const own = pathToFileURL(resolve(checkout, 'packages/bench/lanes/lanes.ts')).href
  const { LANES: lanes } = (await import(own)) as { readonly LANES: readonly Lane[] }
  const bindings = lanes.find(({ folder }) => folder === EDGEWAY.folder)?.bindings
  const footprints = Object.entries(EDGEWAY.footprints ?? {})
    .filter(([entry]) => existsSync(join(source, `${entry}.ts`)))
    .map(([entry, name]) => [entry, `${name} (before)`])
  return {
    ...EDGEWAY,
    ...(bindings && { bindings }),
    name: BASELINE_FOLDER,
    folder: BASELINE_FOLDER,
    source,
    footprints: Object.fromEntries(footprints),
  }
}
