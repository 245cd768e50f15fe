/** The one Durable Object class of a Worker: its objects are those of one or more servers. */
import type { EdgewayObjectClass } from '../src/ports/object-class.ts'
import type { ServerObjects } from '../src/ports/objects.ts'
import { UnusedObject } from './unused-object.ts'

/** `edgeway doctor --config` reads the audiences: it loads the main module. */
const SERVERS: unique symbol = Symbol.for('edgeway.servers')

/** The servers of a class, or of a subclass of the author. */
export const serversOf = (objects: object): readonly ServerObjects[] =>
  Reflect.get(objects, SERVERS) ?? []

/** @param base `HostedObject` where a server brings a kind of objects */
export function createObjectsClass(
  servers: readonly ServerObjects[],
  base: EdgewayObjectClass = UnusedObject,
): EdgewayObjectClass {
  return class McpObjects extends base {
    static readonly [SERVERS] = servers
  }
}
