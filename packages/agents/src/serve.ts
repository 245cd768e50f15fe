/**
 * `serve()`: the handler of an agent class at one path.
 *
 * A caller without a user id is the digest of all its props: callers with different props must never share a session.
 * Props that are not JSON are refused, because the digest would lose what distinguishes two people. A class with state
 * refuses 2026-07-28, and official clients fall back to a session.
 */
import type { EdgewayCore } from '../../../src/app/edgeway.ts'
import type { EdgewayOptions } from '../../../src/app/options.ts'
import { LruMap } from '../../../src/platform/lru-map.ts'
import { perObject } from '../../../src/platform/per-object.ts'
import { type CorsOptions, withPreflight } from '../../sdk/src/cors-options.ts'
import type { AgentClass } from './agent-class.ts'
import { createAgentServer } from './agent-server.ts'
import { checkAgent, keepsState, notCarried } from './not-carried.ts'

export interface ServeOptions {
  /** The binding of the class. Default `MCP_OBJECT`. */
  readonly binding?: string
  readonly corsOptions?: CorsOptions
  /** Where the objects are, as the option of `createEdgeway`: those of the agent, and all others. */
  readonly jurisdiction?: EdgewayOptions['jurisdiction']
  /**
   * `sse` and `auto` also serve the transport of 2024-11-05 on the same path. Default
   * `streamable-http`.
   */
  readonly transport?: 'streamable-http' | 'sse' | 'auto'
}

/** A handler for the entry of a Worker, and for the options `apiHandler` and `apiHandlers` of `OAuthProvider`. */
export interface AgentHandler extends Pick<EdgewayCore, 'Objects'> {
  fetch<Env>(this: void, request: Request, env: Env, ctx: ExecutionContext): Promise<Response>
}

/** Paths that one class is served on; more are served too, but cost more. */
const MAX_HANDLERS = 16

const handlersOf = perObject((_: AgentClass) => new LruMap<AgentHandler>(MAX_HANDLERS))

type AnyClass = Parameters<typeof checkAgent>[0]

/**
 * @param agentClass a class that extends `base`
 * @throws {TypeError} for what cannot be carried, and for invalid options
 */
export function serveAgent(
  agentClass: AnyClass,
  base: AnyClass,
  path: string,
  options: ServeOptions,
): AgentHandler {
  if (agentClass === base) {
    throw notCarried('serve() of McpAgent itself', 'call serve() of the class that extends it')
  }
  // An abstract class cannot be named in an entry, so this one can be constructed.
  const served = agentClass as AnyClass & AgentClass
  const known = handlersOf(served)
  const key = JSON.stringify([path, options])
  const handler = known.get(key)
  if (handler !== undefined) return handler
  checkAgent(served, base)
  checkOptions(path, options)
  const created = createHandler(served, keepsState(served, base), path, options)
  known.set(key, created)
  return created
}

function createHandler(
  agentClass: AgentClass,
  needsSession: boolean,
  path: string,
  {
    binding = 'MCP_OBJECT',
    corsOptions = {},
    transport = 'streamable-http',
    jurisdiction,
  }: ServeOptions,
): AgentHandler {
  const { origin = '*' } = corsOptions
  const edgeway = createAgentServer(agentClass, binding, needsSession, {
    path,
    httpSse: transport === 'streamable-http' ? false : { path, messagesPath: `${path}/message` },
    allowedOrigins: [origin],
    ...(jurisdiction !== undefined && { jurisdiction }),
  })
  return {
    Objects: edgeway.Objects,
    fetch: async (request, env, ctx) => {
      checkBindings(env, binding)
      return withPreflight(request, await edgeway.fetch(request, env, ctx), corsOptions)
    },
  }
}

/** @throws {TypeError} that names what is missing */
function checkBindings(env: unknown, binding: string): void {
  const bindings = Object(env) as Readonly<Record<string, unknown>>
  if (bindings[binding] === undefined) {
    throw new TypeError(`The binding ${binding} of the agent is missing`)
  }
  if (bindings.MCP_OBJECTS === undefined && bindings.EDGEWAY_SECRET === undefined) {
    throw new TypeError('Sessions need the binding MCP_OBJECTS or the secret EDGEWAY_SECRET')
  }
}

/** @throws {TypeError} */
function checkOptions(path: string, options: ServeOptions): void {
  if (path === '/' || /[*:?(]/.test(path)) {
    throw notCarried(`serve("${path}")`, 'name one path, such as /mcp')
  }
  const { transport = 'streamable-http' } = options
  if (!['streamable-http', 'sse', 'auto'].includes(transport)) {
    throw new TypeError('transport must be "streamable-http", "sse" or "auto"')
  }
}
