/** A Durable Object that has the log of an event type alone. The test gives its types and the objects of principals. */
import { DurableObject } from 'cloudflare:workers'
import type { CompiledEventType } from '../../packages/events/src/compiled-event-type.ts'
import type { EventSettings } from '../../packages/events/src/objects/event-settings.ts'
import { EventLog } from '../../packages/events/src/objects/log/event-log.ts'
import type {
  EventLogRpc,
  HandedPage,
  LeaseRequest,
  LogName,
  LogQuery,
  NewOccurrence,
  Registration,
} from '../../packages/events/src/objects/port.ts'
import type { TelemetryEvent } from '../../src/ports/telemetry.ts'

export interface LogWorld {
  readonly types: Map<string, CompiledEventType>
  readonly settings: EventSettings
  readonly reports: TelemetryEvent[]
  accept(principal: string, page: HandedPage, ctx: DurableObjectState): Promise<readonly string[]>
}

/** By the first part of the name of an object. */
export const worlds = new Map<string, LogWorld>()

export class EventLogObject extends DurableObject implements EventLogRpc {
  readonly #log: EventLog

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    const [id = ''] = ctx.id.name?.split('/') ?? []
    const world = worlds.get(id)
    if (world === undefined) throw new Error('The test has no world for this object')
    const { types, settings, reports } = world
    const host = {
      types,
      settings,
      deploymentOf: () => ({
        audience: 'test',
        services: {} as never,
        report: (event: TelemetryEvent) => void reports.push(event),
      }),
      renewCaller: undefined,
      allowsAnonymous: true,
      limitOfCallback: () => undefined,
      ownOrigins: () => [],
    }
    const context = { state: ctx, env: { ofTheTest: true }, host, now: () => Date.now() }
    this.#log = new EventLog(context, (principal, page) => world.accept(principal, page, ctx))
  }

  emit(name: LogName, occurrence: NewOccurrence) {
    return this.#log.emit(name, occurrence)
  }

  read(name: LogName, query: LogQuery) {
    return this.#log.read(name, query)
  }

  lease(name: LogName, lease: LeaseRequest) {
    return this.#log.lease(name, lease)
  }

  register(name: LogName, registration: Registration) {
    return this.#log.register(name, registration)
  }

  unregister(name: LogName, id: string) {
    return this.#log.unregister(name, id)
  }

  override fetch(request: Request) {
    return this.#log.fetch(request)
  }

  override webSocketClose(socket: WebSocket) {
    this.#log.webSocketClose(socket)
  }

  override webSocketError(socket: WebSocket) {
    this.#log.webSocketError(socket)
  }

  override alarm() {
    return this.#log.alarm()
  }
}
