/** The one Durable Object class of a Worker: its objects are those of one or more servers. */
import type { EdgewayObjectClass } from '../src/ports/object-class.ts'
import type { ObjectSupport, ServerObjects } from '../src/ports/objects.ts'
import { HostedObject, OPENED } from './hosted-object.ts'
import { UnusedPart } from './unused-part.ts'

/** `edgeway doctor --config` reads the audiences: it loads the main module. */
const SERVERS: unique symbol = Symbol.for('edgeway.servers')

/** The servers of a class, or of a subclass of the author. */
export const serversOf = (objects: EdgewayObjectClass): readonly ServerObjects[] =>
  Reflect.get(objects, SERVERS)

/** @param open An object that is not opened keeps its rows and serves nothing. */
export function createObjectsClass(
  servers: readonly ServerObjects[],
  open?: ObjectSupport['openPart'],
): EdgewayObjectClass {
  return class McpObjects extends HostedObject {
    static readonly [SERVERS] = servers

    constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
      super(ctx, env)
      this[OPENED] = open?.(servers, ctx, env) ?? { kind: '', part: new UnusedPart(ctx) }
    }
  }
}
