/** What the platform calls of an object, and what of it reaches the part of its kind. */
import { DurableObject } from '#runtime'
import { notInThisVersion } from '../src/platform/object-error.ts'
import type { OpenedPart } from '../src/ports/objects.ts'
import { UnusedPart } from './unused-part.ts'

/** The member of an object that has its part. No RPC reaches it: it is no method. */
export const OPENED: unique symbol = Symbol('edgeway.part')

/** Its subclass sets the part in the constructor. */
export class HostedObject<Env = Cloudflare.Env> extends DurableObject<Env> {
  /** @internal */
  [OPENED]!: OpenedPart

  /**
   * The one RPC of all kinds. Only Edgeway calls it.
   *
   * @throws {Error} for another kind, and a method that this version does not have: see `isNotInThisVersion`
   */
  async call(kind: string, method: string, parameters: readonly unknown[]): Promise<unknown> {
    const { kind: own, part } = this[OPENED]
    // Members of every object and events of the platform are no calls.
    const called = kind === own && !(method in UnusedPart.prototype) && Reflect.get(part, method)
    if (typeof called !== 'function') throw notInThisVersion(`${kind}.${method}`)
    return called.apply(part, parameters)
  }

  override fetch(request: Request): Response | Promise<Response> {
    return this[OPENED].part.fetch?.(request) ?? UnusedPart.prototype.fetch()
  }

  override alarm(): void | Promise<void> {
    return this[OPENED].part.alarm?.()
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer) {
    return this[OPENED].part.webSocketMessage?.(socket, message)
  }

  override webSocketClose(socket: WebSocket) {
    return this[OPENED].part.webSocketClose?.(socket)
  }

  override webSocketError(socket: WebSocket) {
    return this[OPENED].part.webSocketError?.(socket)
  }
}
