/** The Durable Object of MCP Events. Its class belongs to an app, because the functions of its event types run in it. */
import { DurableObject } from '#runtime'
import type { EdgewayObjectClass } from '../../src/feature/object-class.ts'
import type {
  EndReason,
  HandedPage,
  LeaseRequest,
  LogName,
  LogQuery,
  NewOccurrence,
  Registration,
  SubscribeRequest,
  SubscriptionKey,
} from '../../src/ports/events.ts'
import { callerOf } from '../object-call.ts'
import { ServerGuard } from '../run/server-guard.ts'
import { createLogCaller, type EventsNamespace, type EventsRpc } from './event-objects.ts'
import type { EventsHost, EventsObjectContext } from './events-host.ts'
import { EventLog } from './log/event-log.ts'
import { serverOfListener } from './log/log-wire.ts'
import { isLogName } from './object-names.ts'
import { Subscriber } from './subscriber/subscriber.ts'

export interface EventsClassHost extends EventsHost {
  /** The server whose objects these are, from `serverText`. */
  readonly server: string
  /** The objects of this class. */
  readonly objectsIn: (env: unknown) => EventsNamespace
}

export type EventsObjectClass = new (
  ...parameters: ConstructorParameters<EdgewayObjectClass>
) => EventsObject

/**
 * One class with two kinds of objects, by name: the log of an event type, and the object of a principal. Each calls the
 * other kind: the log hands occurrences over, and a subscription is registered in the log. Requests of another server
 * of the Worker are refused: it does not ask the authorization of this one.
 */
class EventsObject extends DurableObject implements EventsRpc {
  /** One of the two. The calls of the other kind throw a TypeError. */
  readonly #part: EventLog & Subscriber
  readonly #guard: ServerGuard

  constructor(ctx: DurableObjectState, env: Cloudflare.Env, host: EventsClassHost) {
    super(ctx, env)
    const { server } = host
    const deployment = host.deploymentOf(env)
    // The rows do not name their server.
    this.#guard = new ServerGuard({ host, deployment, storedServer: () => undefined }, 'events')
    const context: EventsObjectContext = { state: ctx, env, host, now: () => Date.now() }
    const call = callerOf(host.objectsIn(env))
    const callLog = createLogCaller(call, deployment.audience)
    // One kind alone: both have tables with the same names.
    const part = isLogName(ctx.id.name)
      ? new EventLog(context, (principal, page) =>
          call(principal, (subscriber) => subscriber.accept(page, server)),
        )
      : new Subscriber({
          ...context,
          fetch: (input, init) => fetch(input, init),
          log: {
            register: (name, registration) =>
              callLog(name, (log) => log.register(name, registration, server)),
            unregister: (name, id) => callLog(name, (log) => log.unregister(name, id, server)),
          },
        })
    this.#part = part as EventLog & Subscriber
  }

  /** @throws {OtherServerError} for a request of another server */
  #partFor(server: string | undefined): EventLog & Subscriber {
    this.#guard.check(server)
    return this.#part
  }

  emit(name: LogName, occurrence: NewOccurrence, server: string) {
    return this.#partFor(server).emit(name, occurrence)
  }

  read(name: LogName, query: LogQuery, server: string) {
    return this.#partFor(server).read(name, query)
  }

  lease(name: LogName, lease: LeaseRequest, server: string) {
    return this.#partFor(server).lease(name, lease)
  }

  register(name: LogName, registration: Registration, server: string) {
    return this.#partFor(server).register(name, registration)
  }

  unregister(name: LogName, id: string, server: string) {
    return this.#partFor(server).unregister(name, id)
  }

  subscribe(request: SubscribeRequest, server: string) {
    return this.#partFor(server).subscribe(request)
  }

  unsubscribe(key: SubscriptionKey, server: string) {
    return this.#partFor(server).unsubscribe(key)
  }

  accept(page: HandedPage, server: string) {
    return this.#partFor(server).accept(page)
  }

  subscriptions(server: string) {
    return this.#partFor(server).subscriptions()
  }

  end(reason: EndReason, id: string | undefined, grant: string | undefined, server: string) {
    return this.#partFor(server).end(reason, id, grant)
  }

  erase(server: string) {
    return this.#partFor(server).erase()
  }

  override fetch(request: Request): Promise<Response> {
    return this.#partFor(serverOfListener(request)).fetch(request)
  }

  override webSocketClose(socket: WebSocket): void {
    this.#part.webSocketClose(socket)
  }

  override webSocketError(socket: WebSocket): void {
    this.#part.webSocketError(socket)
  }

  override alarm(): Promise<void> {
    return this.#part.alarm()
  }
}

/** The class of one app. */
export function createEventsClass(host: EventsClassHost): EventsObjectClass {
  return class McpEvents extends EventsObject {
    constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
      super(ctx, env, host)
    }
  }
}
