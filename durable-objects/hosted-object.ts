/** An object with the part of its kind: what the platform calls reaches the part. */
import type { OpenedPart } from '../src/ports/objects.ts'
import { serversOf } from './objects-class.ts'
import { openPart } from './open-part.ts'
import { UnusedObject } from './unused-object.ts'

/** The member of an object that has its part. No RPC reaches it: it is no method. */
export const OPENED: unique symbol = Symbol('edgeway.part')

/** An object of a server of its class. Without a part, the object is not used. */
export class HostedObject<Env = Cloudflare.Env> extends UnusedObject<Env> {
  /** @internal */
  [OPENED]: OpenedPart | undefined

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this[OPENED] = openPart(serversOf(new.target), ctx, env as Cloudflare.Env)
  }

  override async call(kind: string, method: string, parameters: readonly unknown[]) {
    const { kind: own, part } = this[OPENED] ?? {}
    // Members of every object and events of the platform are no calls.
    const called =
      kind === own && !(method in HostedObject.prototype) && Reflect.get(Object(part), method)
    if (typeof called !== 'function') return super.call(kind, method, parameters)
    return called.apply(part, parameters)
  }

  override fetch(request: Request): Response | Promise<Response> {
    return this[OPENED]?.part.fetch?.(request) ?? super.fetch(request)
  }

  override alarm(): void | Promise<void> {
    const { [OPENED]: opened } = this
    return opened === undefined ? super.alarm() : opened.part.alarm?.()
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer) {
    return this[OPENED]?.part.webSocketMessage?.(socket, message)
  }

  override webSocketClose(socket: WebSocket) {
    return this[OPENED]?.part.webSocketClose?.(socket)
  }

  override webSocketError(socket: WebSocket) {
    return this[OPENED]?.part.webSocketError?.(socket)
  }
}
