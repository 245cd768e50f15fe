/** The session objects of an agent class: the class itself is what the platform creates. */
import { serversOf } from '../../../durable-objects/objects-class.ts'
import type { OpenedPart, ServerObjects } from '../../../src/ports/objects.ts'
import type { AgentClass } from './agent-class.ts'
import { createAgentServer } from './agent-server.ts'

const servers = new WeakMap<AgentClass, ServerObjects>()

/** Creates what an instance of the class does as a Durable Object. Its class decides its kind, and its name is its key. */
export function openSessionObject(
  agentClass: AgentClass,
  ctx: DurableObjectState,
  env: object,
): OpenedPart {
  const known = servers.get(agentClass)
  if (known?.parts.session !== undefined) {
    const part = known.parts.session.create(ctx, env as Cloudflare.Env, known.objectsIn(env))
    return { kind: 'session', part }
  }
  // The Worker refuses modern requests itself. It alone knows the option, and the platform the jurisdiction of the object.
  const jurisdiction = ctx.id.jurisdiction as DurableObjectJurisdiction | undefined
  const place = jurisdiction === undefined ? {} : { jurisdiction }
  const { Objects } = createAgentServer(agentClass, bindingOf(ctx.id, env), false, place)
  for (const server of serversOf(Objects)) servers.set(agentClass, server)
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
