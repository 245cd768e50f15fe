/** The Durable Object of MCP Events. Its class belongs to an app, because the functions of its event types run in it. */
import { DurableObject } from '#runtime'
import type { ObjectClass } from '../../src/feature/object-class.ts'
import type {
  EndReason,
  EventLogRpc,
  HandedPage,
  LeaseRequest,
  LogName,
  LogQuery,
  NewOccurrence,
  Registration,
  SubscribeRequest,
  SubscriberRpc,
  SubscriptionKey,
} from '../../src/ports/events.ts'
import { callerOf } from '../object-call.ts'
import { createLogCaller, type EventsNamespace } from './event-objects.ts'
import type { EventsHost, EventsObjectContext } from './events-host.ts'
import { EventLog } from './log/event-log.ts'
import { isLogName } from './object-names.ts'
import { Subscriber } from './subscriber/subscriber.ts'

export interface EventsClassHost extends EventsHost {
  /** The objects of this class. */
  readonly objectsIn: (env: unknown) => EventsNamespace
}

export type EventsObjectClass = ObjectClass<EventLogRpc & SubscriberRpc>

/**
 * One class with two kinds of objects, by name: the log of an event type, and the object of a principal. Each calls the
 * other kind: the log hands occurrences over, and a subscription is registered in the log.
 */
class EventsObject extends DurableObject implements EventLogRpc, SubscriberRpc {
  /** One of the two. The calls of the other kind throw a TypeError. */
  readonly #part: EventLog & Subscriber

  constructor(ctx: DurableObjectState, env: Cloudflare.Env, host: EventsClassHost) {
    super(ctx, env)
    const { audience } = host.deploymentOf(env)
    const context: EventsObjectContext = { state: ctx, env, host, now: () => Date.now() }
    const call = callerOf(host.objectsIn(env))
    const callLog = createLogCaller(call, audience)
    // One kind alone: both have tables with the same names.
    const part = isLogName(ctx.id.name)
      ? new EventLog(context, (principal, page) =>
          call(principal, (subscriber) => subscriber.accept(page)),
        )
      : new Subscriber({
          ...context,
          fetch: (input, init) => fetch(input, init),
          log: {
            register: (name, registration) =>
              callLog(name, (log) => log.register(name, registration)),
            unregister: (name, id) => callLog(name, (log) => log.unregister(name, id)),
          },
        })
    this.#part = part as EventLog & Subscriber
  }

  emit(name: LogName, occurrence: NewOccurrence) {
    return this.#part.emit(name, occurrence)
  }

  read(name: LogName, query: LogQuery) {
    return this.#part.read(name, query)
  }

  lease(name: LogName, lease: LeaseRequest) {
    return this.#part.lease(name, lease)
  }

  register(name: LogName, registration: Registration) {
    return this.#part.register(name, registration)
  }

  unregister(name: LogName, id: string) {
    return this.#part.unregister(name, id)
  }

  subscribe(request: SubscribeRequest) {
    return this.#part.subscribe(request)
  }

  unsubscribe(key: SubscriptionKey) {
    return this.#part.unsubscribe(key)
  }

  accept(page: HandedPage) {
    return this.#part.accept(page)
  }

  subscriptions() {
    return this.#part.subscriptions()
  }

  end(reason: EndReason, id?: string, grant?: string) {
    return this.#part.end(reason, id, grant)
  }

  erase() {
    return this.#part.erase()
  }

  override fetch(request: Request): Promise<Response> {
    return this.#part.fetch(request)
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
