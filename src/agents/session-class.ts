/** The session objects of an agent class: the class itself is what the platform creates. */
import type {
  SessionObjectClass,
  SessionRpc,
} from '../../durable-objects/session/session-object.ts'
import type { AgentClass } from './agent-class.ts'
import { createAgentServer } from './agent-server.ts'

/** The methods of a session object that the platform and the Worker call. */
export interface SessionObject extends SessionRpc {
  fetch(request: Request): Response | Promise<Response>
  alarm(): void | Promise<void>
  webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void | Promise<void>
  webSocketClose(
    socket: WebSocket,
    code: number,
    reason: string,
    wasClean: boolean,
  ): void | Promise<void>
  webSocketError(socket: WebSocket, error: unknown): void | Promise<void>
}

const classes = new WeakMap<AgentClass, SessionObjectClass>()

/** Creates what an instance of the class does as a Durable Object. */
export function openSessionObject(
  agentClass: AgentClass,
  ctx: DurableObjectState,
  env: object,
): SessionObject {
  const known = classes.get(agentClass)
  if (known !== undefined) return new known(ctx, env as Cloudflare.Env) as SessionObject
  // The Worker refuses modern requests itself.
  const { McpSession } = createAgentServer(agentClass, bindingOf(ctx.id, env), false, {}).objects
  classes.set(agentClass, McpSession as SessionObjectClass)
  return openSessionObject(agentClass, ctx, env)
}

/** An object is not told its binding, and `serve()` may never be called where it runs. */
function bindingOf(id: DurableObjectId, env: object): string {
  const found = Object.entries(env).find(([, value]) => isNamespaceOf(id, value))
  if (found === undefined) throw new TypeError('The class of this Durable Object has no binding')
  return found[0]
}

function isNamespaceOf(id: DurableObjectId, value: object | null): boolean {
  // Not a method: a service binding has every one, and calls the other Worker. Not the text of the object:
  // before the compatibility date 2024-09-26, it does not contain the class.
  if (value?.constructor.name !== 'DurableObjectNamespace') return false
  try {
    ;(value as DurableObjectNamespace).idFromString(id.toString())
    return true
  } catch {
    // The id belongs to another class.
    return false
  }
}
