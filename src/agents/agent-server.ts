/** Builds the server of an agent class: a factory that creates an instance for each definition. */

import type { EdgewayCore } from '../app/edgeway.ts'
import {
  createNamedEdgeway,
  type EdgewayObjectClass,
  type EdgewayOptions,
  type FactoryOptions,
} from '../app.ts'
import { fromContext } from '../auth/from-context.ts'
import { type SessionsOptions, sessions } from '../features/sessions/sessions.ts'
import type { ServerFactory } from '../server/factory.ts'
import { McpServer, TO_SERVER } from '../server/mcp-server.ts'
import { AgentContext } from './agent-base.ts'
import type { AgentClass } from './agent-class.ts'

export type AgentPaths = Pick<EdgewayOptions, 'path' | 'allowedOrigins'> &
  Pick<SessionsOptions, 'httpSse'>

/** The classes of features. Reading one that the agent does not have throws. */
export type AgentObjects = Readonly<
  Record<'McpAccount' | 'McpHub' | 'McpKeyring' | 'McpState' | 'McpTask', EdgewayObjectClass>
>

export interface AgentServer extends EdgewayCore {
  readonly objects: AgentObjects & { readonly McpSession: EdgewayObjectClass }
}

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
): AgentServer {
  const { auth, subject, renewCaller, unattendedMs, sharesInstances, ...settings } =
    agentClass.edgeway
  const { needsSession: asked = needsSession, features = [], ...options } = settings
  const appOptions: FactoryOptions = {
    ...options,
    ...paths,
    audience: binding,
    features: [
      sessions({ binding, only: asked, ...(httpSse !== undefined && { httpSse }) }),
      ...features,
    ],
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
  return createNamedEdgeway(createFactory(agentClass), appOptions, naming) as AgentServer
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
