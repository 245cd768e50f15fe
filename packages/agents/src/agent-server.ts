/** Builds the server of an agent class: a factory that creates an instance for each definition. */

import type { EdgewayCore } from '../../../src/app/edgeway.ts'
import { createNamedEdgeway, type EdgewayOptions, type FactoryOptions } from '../../../src/app.ts'
import { fromContext } from '../../../src/auth/from-context.ts'
import { type SessionsOptions, sessions } from '../../../src/features/sessions/sessions.ts'
import type { ServerFactory } from '../../../src/server/factory.ts'
import { McpServer, TO_SERVER } from '../../../src/server/mcp-server.ts'
import { AgentContext } from './agent-base.ts'
import type { AgentClass } from './agent-class.ts'

export type AgentPaths = Pick<EdgewayOptions, 'path' | 'allowedOrigins' | 'jurisdiction'> &
  Pick<SessionsOptions, 'httpSse'>

/**
 * @param binding of the session objects. It also names the server in what is sealed, because the name of
 *   its `McpServer` is known only after `init()`
 * @throws {TypeError} for invalid options
 */
export function createAgentServer(
  agentClass: AgentClass,
  binding: string,
  needsSession: boolean,
  { httpSse, ...paths }: AgentPaths,
): EdgewayCore {
  const { auth, subject, renewCaller, unattendedMs, sharesInstances, ...settings } =
    agentClass.edgeway
  const { needsSession: only = needsSession, features = [], sessions: own, ...options } = settings
  const appOptions: FactoryOptions = {
    ...options,
    ...paths,
    audience: binding,
    features: [sessions({ ...own, only, ...(httpSse !== undefined && { httpSse }) }), ...features],
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
  return createNamedEdgeway(createFactory(agentClass), appOptions, {
    sessionClass: { feature: 'McpAgent', binding, className: agentClass.name },
  })
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
