/**
 * What an object of the Worker does: it creates the part of its kind, and passes on what it is called for. An object of
 * a kind that this version of the Worker has no part for, or without a name, keeps its rows and serves nothing.
 */
import { notInThisVersion } from '../src/platform/object-error.ts'
import type { ObjectEvents } from '../src/ports/objects.ts'
import { partMethods } from './object-part.ts'

/** How long the alarms of an object without a part are deferred: at first, and at most. */
const FIRST_DELAY_MS = 10_000
const LONGEST_DELAY_MS = 60 * 60 * 1000

/** The delay of the last alarm in milliseconds, beside the rows of the kind. */
const DELAY = 'edgeway:unused-alarm-delay'

/** The answer to a request for a socket. The Worker reads the header. */
export const NOT_IN_VERSION_HEADER = 'edgeway-not-in-version'

export class ObjectHost {
  readonly #state: DurableObjectState
  readonly #kind: string
  readonly part: ObjectEvents | undefined

  constructor(state: DurableObjectState, kind: string, part: ObjectEvents | object | undefined) {
    this.#state = state
    this.#kind = kind
    this.part = part
  }

  /** @throws {Error} for another kind, and a method that this version does not have: see `isNotInThisVersion` */
  async call(kind: string, method: string, parameters: readonly unknown[]): Promise<unknown> {
    const part = kind === this.#kind ? this.part : undefined
    const called = part && partMethods(part).get(method)
    if (called === undefined) throw notInThisVersion(`${kind}.${method}`)
    return called.apply(part, parameters as unknown[])
  }

  async fetch(request: Request): Promise<Response> {
    const response = this.part?.fetch?.(request)
    if (response !== undefined) return response
    return new Response(null, { status: 503, headers: { [NOT_IN_VERSION_HEADER]: this.#kind } })
  }

  webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void | Promise<void> {
    return this.part?.webSocketMessage?.(socket, message)
  }

  webSocketClose(socket: WebSocket): void | Promise<void> {
    return this.part?.webSocketClose?.(socket)
  }

  webSocketError(socket: WebSocket): void | Promise<void> {
    return this.part?.webSocketError?.(socket)
  }

  /**
   * The platform forgets an alarm that has run, so one that is due is deferred where nothing serves it: each time by
   * twice the last delay, and at most by an hour. An object whose feature returns goes on after an hour at the latest.
   */
  async alarm(): Promise<void> {
    if (this.part !== undefined) return this.part.alarm?.()
    const { storage } = this.#state
    const last = storage.kv.get<number>(DELAY)
    const delay = last === undefined ? FIRST_DELAY_MS : Math.min(last * 2, LONGEST_DELAY_MS)
    storage.kv.put(DELAY, delay)
    await storage.setAlarm(Date.now() + delay)
  }
}
