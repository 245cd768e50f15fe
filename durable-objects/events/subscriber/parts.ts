/** What the parts of the object of a principal share. */
import type { Fetch } from '../../../src/platform/bounded-fetch.ts'
import type { LogName, Registered, Registration } from '../../../src/ports/events.ts'
import type { EventReport, TelemetryEvent, TelemetrySink } from '../../../src/ports/telemetry.ts'
import { CallerRecords } from '../../run/caller-records.ts'
import type { Rows } from '../../sql-rows.ts'
import { checkCallback } from '../callback-rules.ts'
import type { EventLimits } from '../event-settings.ts'
import type { EventsObjectContext } from '../events-host.ts'
import type { SubscriptionRow } from './schema.ts'
import { Secrets } from './secrets.ts'
import { SubscriberStorage } from './subscriber-storage.ts'

export interface SubscriberContext extends EventsObjectContext {
  readonly fetch: Fetch
  readonly log: {
    register(name: LogName, registration: Registration): Promise<Registered>
    unregister(name: LogName, id: string): Promise<void>
  }
  /** Between 0 and 1. Default `Math.random`. */
  readonly random?: () => number
}

type Report<Type extends TelemetryEvent['type']> = Omit<
  Extract<TelemetryEvent, { type: Type }>,
  'type' | 'event' | 'subscription'
>

type Subject = Pick<SubscriptionRow, 'id' | 'type'>

export class SubscriberParts {
  readonly context: SubscriberContext
  readonly limits: EventLimits
  readonly storage: SubscriberStorage
  readonly sql: Rows
  readonly secrets: Secrets
  readonly callers: CallerRecords
  readonly report: TelemetrySink
  readonly #reportEvent: (event: EventReport) => void

  constructor(context: SubscriberContext) {
    const { host, env, state } = context
    const { services, report, recorder } = host.deploymentOf(env)
    this.context = context
    this.limits = host.settings.limits
    this.report = report
    const waitUntil = (work: Promise<unknown>) => state.waitUntil(work)
    this.#reportEvent = (event) =>
      recorder === undefined ? report(event) : recorder.reportInObject(event, env, waitUntil)
    this.storage = new SubscriberStorage(state)
    this.sql = this.storage.sql
    this.secrets = new Secrets(services.sealer, () => this.name)
    const { sealer } = services
    this.callers = new CallerRecords({ host, env, sealer, nameOf: () => this.name })
  }

  /** The name of the object, which its log knows the principal by. */
  get name(): string {
    const { name } = this.context.state.id
    if (name === undefined) throw new TypeError('The object of a principal needs a name')
    return name
  }

  get now(): number {
    return this.context.now()
  }

  checkCallback(url: string) {
    const { host, env } = this.context
    const ownOrigins = host.ownOrigins(env)
    return checkCallback(url, { rules: host.settings.callbacks, env, ownOrigins })
  }

  /** Whether the occurrences of a type have cursors. */
  hasCursors(type: string): boolean {
    return (this.context.host.types.get(type)?.historyMs ?? 0) > 0
  }

  reportDelivery({ id, type }: Subject, event: Report<'event-delivery'>): void {
    this.#reportEvent({ type: 'event-delivery', event: type, subscription: id, ...event })
  }

  reportSubscription({ id, type }: Subject, event: Report<'event-subscription'>): void {
    this.#reportEvent({ type: 'event-subscription', event: type, subscription: id, ...event })
  }
}

/** The log of a subscription. */
export function logNameOf({
  type,
  subject,
  is_personal,
}: Pick<SubscriptionRow, 'type' | 'subject' | 'is_personal'>): LogName {
  return { type, subject: is_personal === 1 ? (subject ?? undefined) : undefined }
}
