/** The modules of the SDKs: which move, where each of their names goes, and why the others stay. */
import { exportedNames } from './exported-names.ts'
import { type DecisionCode, guide } from './plan.ts'

/** What a file must contain to have anything to do with the move. */
export const MENTION =
  /@modelcontextprotocol\/|agents\/mcp|mcp-handler|@vercel\/mcp-adapter|fastmcp|mcp-framework|mcp-lite|xmcp|edgeway\/(?:sdk|agents)|workers-oauth-provider|McpAgent/

export const SDK = 'edgeway/sdk'
export const AGENTS = 'edgeway/agents'

/** Why a module stays, for a person. */
export interface Reason {
  readonly code: DecisionCode
  readonly why: string
  readonly guide: string
}

/** What becomes of a module. `stays` without a reason: nothing has to be done. */
export type ModuleRole =
  | { readonly kind: 'moves'; readonly family: Family; readonly part: string }
  | { readonly kind: 'stays'; readonly reason?: Reason }

/** The packages that a project moves from. */
export type Family = 'sdk-1' | 'sdk-2' | 'agents'

export const FAMILY_NAMES: Readonly<Record<Family, string>> = {
  'sdk-1': '@modelcontextprotocol/sdk',
  'sdk-2': '@modelcontextprotocol/server',
  agents: 'agents/mcp',
}

/** Parts of `@modelcontextprotocol/sdk` whose names are those of `edgeway/sdk`. */
const MOVING_PARTS =
  /^(?:server|server\/(?:mcp|completable|zod-compat|zod-json-schema-compat|auth\/types)|types|shared\/(?:protocol|uriTemplate)|experimental(?:\/tasks(?:\/\w[\w-]*)?)?)$/
const TRANSPORT_PARTS =
  /^(?:server\/(?:stdio|streamableHttp|sse|webStandardStreamableHttp|express|middleware\/.+)|shared\/transport|examples\/.+)$/
const AUTHORIZATION_PARTS = /^(?:server\/auth\/.+|shared\/auth(?:-utils)?)$/
const CLIENT_PARTS = /^(?:client(?:\/.+)?|inMemory|shared\/stdio|validation(?:\/.+)?)$/

const TRANSPORT: Reason = {
  code: 'transport',
  why: 'The transport goes, with what serves it: Edgeway has its own',
  guide: guide.moving('the-entry'),
}
const AUTHORIZATION: Reason = {
  code: 'authorization',
  why: 'The authorization of the SDK becomes the option auth of createEdgeway',
  guide: guide.moving('authorization'),
}
const OTHER_HANDLER: Reason = {
  code: 'other-handler',
  why: 'The handler of mcp-handler becomes createMcpHandler of edgeway/sdk with a factory',
  guide: guide.moving('from-createmcphandler'),
}

/** Frameworks whose servers register tools in a way of their own. */
const FRAMEWORKS = /^(?:fastmcp|mcp-framework|mcp-lite|xmcp)(?=\/|$)/
/** Servers of the SDK that run code, which are connected or returned as such. */
const CODE: Reason = {
  code: 'feature-needed',
  why: 'codeMcpServer and openApiMcpServer connect or return a server of the SDK: pass features: [code()] of edgeway/code, with edgeway/openapi for the tools of a description',
  guide: guide.moving('what-does-not-carry'),
}
const SKILLS: Reason = {
  code: 'feature-needed',
  why: 'SkillsExtension does not attach to a server of edgeway/sdk: skills belong to a server that createServer of edgeway makes',
  guide: guide.moving('the-imports'),
}

/** @returns undefined for a module that has nothing to do with the move */
export function roleOf(specifier: string): ModuleRole | undefined {
  if (/^(?:npm:|https?:\/\/).*@modelcontextprotocol\/(?:sdk|server)\b/.test(specifier)) {
    return { kind: 'stays', reason: unknownModule(specifier) }
  }
  const [scope = '', name = '', ...rest] = specifier.split('/')
  if (scope === '@modelcontextprotocol') return roleOfScope(name, rest.join('/'))
  if (specifier === 'agents/mcp' || specifier === 'agents/mcp/server') {
    return { kind: 'moves', family: 'agents', part: specifier }
  }
  if (specifier === '@cloudflare/codemode/mcp') return { kind: 'stays', reason: CODE }
  // Transports of other makers, for servers of the SDK.
  if (specifier === '@hono/mcp') return { kind: 'stays', reason: TRANSPORT }
  if (specifier === 'mcp-handler' || specifier === '@vercel/mcp-adapter') {
    return { kind: 'stays', reason: OTHER_HANDLER }
  }
  const framework = FRAMEWORKS.exec(specifier)?.[0]
  if (framework !== undefined) {
    const why = `A server of ${framework} does not move by its imports: register what it has with createServer of edgeway`
    const anchor = framework === 'mcp-lite' ? 'from-mcp-lite' : 'the-imports'
    return { kind: 'stays', reason: { code: 'other-framework', why, guide: guide.moving(anchor) } }
  }
  return undefined
}

function roleOfScope(name: string, path: string): ModuleRole | undefined {
  if (name === 'sdk') return roleOfSdk(partOf(path))
  if (name === 'server' && path === '') return { kind: 'moves', family: 'sdk-2', part: '' }
  if (name === 'server' && path === 'stdio') return { kind: 'stays', reason: TRANSPORT }
  if (name === 'server' && /^ext\/skills(?:\/|$)/.test(path))
    return { kind: 'stays', reason: SKILLS }
  if (['node', 'express', 'hono', 'fastify', 'server-legacy'].includes(name)) {
    return { kind: 'stays', reason: TRANSPORT }
  }
  // A client, an extension or a validator is another package, which works as before.
  return name === 'client' || name === 'core' || name === 'server' ? { kind: 'stays' } : undefined
}

function roleOfSdk(part: string): ModuleRole {
  if (MOVING_PARTS.test(part)) return { kind: 'moves', family: 'sdk-1', part }
  if (TRANSPORT_PARTS.test(part)) return { kind: 'stays', reason: TRANSPORT }
  if (AUTHORIZATION_PARTS.test(part)) return { kind: 'stays', reason: AUTHORIZATION }
  if (CLIENT_PARTS.test(part)) return { kind: 'stays' }
  return { kind: 'stays', reason: unknownModule(part) }
}

function unknownModule(name: string): Reason {
  const why = `The module ${JSON.stringify(name)} of the SDK is not known, so its import stays`
  return { code: 'module-unknown', why, guide: guide.moving('the-imports') }
}

/** `server/mcp` for `server/mcp.js`, `server/mcp` and `dist/esm/server/mcp.js`. */
function partOf(path: string): string {
  return path
    .replace(/^dist\/(?:esm|cjs)\//, '')
    .replace(/\.(?:js|ts|mjs|cjs)$/, '')
    .replace(/\/index$/, '')
}

/** Where a name of a moving module goes, and under which name. */
export interface NewHome {
  readonly module: string
  readonly name: string
}

/** Names of the Agents SDK that are another name in `edgeway/sdk`. */
const RENAMED: Readonly<Record<string, string>> = {
  experimental_createMcpHandler: 'createMcpHandler',
  CreateLegacyMcpHandlerOptions: 'CreateMcpHandlerOptions',
  CreateStatelessMcpHandlerOptions: 'CreateMcpHandlerOptions',
  LegacyMcpHandler: 'McpHandler',
  StatelessMcpHandler: 'McpHandler',
}

/** Values of the SDK whose name is a type of another shape in `edgeway/sdk`. */
const OTHER_MEANING: readonly string[] = ['ToolSchema', 'ResourceSchema', 'PromptSchema']

let homes: { readonly sdk: ReadonlySet<string>; readonly agents: ReadonlySet<string> } | undefined

/** @returns undefined for a name that Edgeway does not have */
export function homeOf(family: Family, name: string): NewHome | undefined {
  homes ??= {
    sdk: new Set(exportedNames('sdk').keys()),
    agents: new Set(exportedNames('agents').keys()),
  }
  if (OTHER_MEANING.includes(name)) return undefined
  const renamed = family === 'agents' ? (RENAMED[name] ?? name) : name
  if (family === 'agents' && name === 'McpAgent') return { module: AGENTS, name }
  return homes.sdk.has(renamed) ? { module: SDK, name: renamed } : undefined
}

/** Names that do not move, each with the reason. Others are missing. */
const LEFT: readonly (readonly [RegExp, Omit<Reason, 'code'> & { readonly code: DecisionCode }])[] =
  [
    [
      /^(?:InMemoryTask(?:Store|MessageQueue)|TaskStore|TaskMessageQueue)$/,
      {
        code: 'task-tools',
        why: 'Edgeway stores tasks itself: remove the import and the option',
        guide: guide.moving('task-tools'),
      },
    ],
    [
      /^(?:WorkerTransport\w*|Transport\w*|isInitializeRequest|\w*EventStore|MCPStorageApi)$/,
      TRANSPORT,
    ],
    [/^(?:requireBearerAuth|OAuthTokenVerifier|OAuth\w*|mcpAuth\w*)$/, AUTHORIZATION],
  ]

/** Names of the Agents SDK that belong to its clients: they stay without a word. */
const OF_CLIENTS =
  /^(?:MCPClient\w*|MCPServerOptions|MCPConnectionResult|MCPDiscoverResult|MCPElicitation\w*|\w*ClientTransport\w*|RPC\w*|normalizeServerId|MCP_SERVER_ID_MAX_LENGTH|McpClientOptions)$/

/** Why a name of a moving module stays; undefined where nothing has to be done. */
export function reasonFor(family: Family, name: string): Reason | undefined {
  if (family === 'agents' && OF_CLIENTS.test(name)) return undefined
  const known = LEFT.find(([pattern]) => pattern.test(name))?.[1]
  if (known !== undefined) return { ...known, why: `${name}: ${known.why}` }
  return {
    code: 'name-not-carried',
    why: `${name} is not in edgeway/sdk, so it is still imported from ${FAMILY_NAMES[family]}`,
    guide: guide.moving('what-does-not-carry'),
  }
}

/** Modules of Edgeway that stand for those of the SDKs, so that a second run sees the same. */
export const isMoved = (specifier: string): boolean => specifier === SDK || specifier === AGENTS
