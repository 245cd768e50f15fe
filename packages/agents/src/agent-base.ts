/**
 * The base of agents. One class is both the Durable Object of a session, which the platform creates, and
 * the agent that serves a caller, which `agent-server.ts` creates: an existing binding and migration of
 * the class stay as they are.
 */
import { HostedObject } from '../../../durable-objects/hosted-object.ts'
import { findContext } from '../../../src/context/index.ts'
import { notCarried } from './not-carried.ts'
import { OBJECT_MEMBERS } from './not-carried-members.ts'

/** `this.ctx` of an agent that is no Durable Object. */
export class AgentContext {
  /**
   * An id without a name. `wrangler dev` wraps each class of Durable Objects in a subclass whose constructor
   * reads `ctx.id.name`, and in a session that subclass is the agent.
   */
  readonly id = {
    name: undefined,
    equals: refuseId,
    toString: refuseId,
  }

  /** Extends the lifetime of the running call beyond its answer. Has no effect in `init()`. */
  waitUntil(promise: Promise<unknown>): void {
    findContext()?.waitUntil(promise)
  }
}

function refuseId(): never {
  throw notCarried('this.ctx.id', OBJECT_MEMBERS.id)
}

for (const [name, instead] of Object.entries(OBJECT_MEMBERS)) {
  if (name === 'id') continue
  Object.defineProperty(AgentContext.prototype, name, {
    get() {
      throw notCarried(`this.ctx.${name}`, instead)
    },
  })
}

// Not a class: only a function may return without calling the constructor of its base, which the platform
// refuses to run without a Durable Object.
function construct(ctx: object, env: unknown): object {
  if (!(ctx instanceof AgentContext)) return Reflect.construct(HostedObject, [ctx, env], new.target)
  return Object.assign(Object.create(new.target.prototype), { ctx, env })
}
construct.prototype = HostedObject.prototype
// The platform recognises a class of Durable Objects by this chain.
Object.setPrototypeOf(construct, HostedObject)

/** `HostedObject`, which can also be constructed with an {@link AgentContext}. */
// A function has no construct signature.
export const AgentBase = construct as unknown as typeof HostedObject
