/** Builds the server of an agent class: a factory that creates an instance for each definition. */
import {
  createNamedEdgeway,
  type Edgeway,
  type EdgewayOptions,
  type FactoryOptions,
} from '../app.ts'
import { fromContext } from '../auth/from-context.ts'
import type { ServerFactory } from '../server/factory.ts'
import { McpServer, TO_SERVER } from '../server/mcp-server.ts'
import { AgentContext } from './agent-base.ts'
import type { AgentClass } from './agent-class.ts'

/**
 * @param binding of the session objects. It also names the server in what is sealed, because the name of
 *   its `McpServer` is known only after `init()`
 * @throws {TypeError} for invalid options
 */
export function createAgentServer(
  agentClass: AgentClass,
  binding: string,
  needsSession: boolean,
  paths: Pick<EdgewayOptions, 'path' | 'httpSse' | 'allowedOrigins'>,
): Edgeway {
  const { auth, subject, renewCaller, unattendedMs, sharesInstances, ...options } =
    agentClass.edgeway
  const settings: FactoryOptions = {
    ...options,
    ...paths,
    audience: binding,
    sessionBinding: binding,
    sessionsOnly: options.needsSession ?? needsSession,
    definitionPer: sharesInstances === true ? 'caller' : 'session',
    auth:
      auth ??
      fromContext({
        anonymous: true,
        ...(subject !== undefined && { subject }),
        ...(renewCaller !== undefined && { renewCaller }),
        ...(unattendedMs !== undefined && { unattendedMs }),
      }),
  }
  // The object does not know on which paths its class is served.
  // The name of the class may change with each build.
  const naming = { paths: [], className: agentClass.name }
  return createNamedEdgeway(createFactory(agentClass), settings, naming)
}

function createFactory(agentClass: AgentClass): ServerFactory {
  return async ({ env, auth }) => {
    const agent = new agentClass(new AgentContext(), env)
    // Agents may change their props, which must not change those of other requests.
    agent.props = structuredClone(auth?.props)
    await agent.init()
    const server = await agent.server
    if (server instanceof McpServer || TO_SERVER in Object(server)) return server
    throw new TypeError(
      `The server of ${agentClass.name} is not of Edgeway: import McpServer from edgeway/sdk`,
    )
  }
}
