/** What the parts of the object of a principal share. */

import { CallerRecords, type Rows } from '../../../../../src/internal.ts'
import type { Fetch } from '../../../../../src/platform/bounded-fetch.ts'
import type { Result } from '../../../../../src/platform/result.ts'
import type { Sealer } from '../../../../../src/ports/sealer.ts'
import type {
  EventReport,
  TelemetryEvent,
  TelemetrySink,
} from '../../../../../src/ports/telemetry.ts'
import type { EventError } from '../../../../../src/protocol/events.ts'
import type { CallbackPolicy } from '../callback-rules.ts'
import type { EventLimits } from '../event-settings.ts'
import type { EventsObjectContext } from '../events-host.ts'
import type { EventLogRpc, LogName, Subscribed } from '../port.ts'
import type { SubscriptionRow } from './schema.ts'
import { createSubscriberStorage, type SubscriberStorage } from './subscriber-storage.ts'

export interface SubscriberContext extends EventsObjectContext {
  /** The digest of the principal: the key of the object, which its logs know the principal by. */
  readonly principal: string
  readonly fetch: Fetch
  readonly log: Pick<EventLogRpc, 'register' | 'unregister'>
  /** Between 0 and 1. Default `Math.random`. */
  readonly random?: () => number
}

type Report<Type extends TelemetryEvent['type']> = Omit<
  Extract<TelemetryEvent, { type: Type }>,
  'type' | 'event' | 'subscription'
>

type Subject = Pick<SubscriptionRow, 'id' | 'type'>

export interface SubscribeCall {
  /** The request as JSON. */
  readonly request: string
  readonly result: Promise<Result<Subscribed, EventError>>
  /** Set when its subscription has ended without its client. */
  ended?: EventError
}

export interface SubscriberParts {
  readonly context: SubscriberContext
  readonly limits: EventLimits
  readonly storage: SubscriberStorage
  readonly sql: Rows
  /** For the secrets of callbacks: see `secrets.ts`. */
  readonly sealer: () => Sealer | undefined
  readonly callers: CallerRecords
  readonly report: TelemetrySink
  readonly reportEvent: (event: EventReport) => void
  /** The calls of `subscribe` that are under way, by the operations of their rows. */
  readonly calls: Map<string, SubscribeCall>
  readonly now: number
}

export function createParts(context: SubscriberContext): SubscriberParts {
  const { host, env, state, principal } = context
  const { services, report, recorder } = host.deploymentOf(env)
  const { sealer } = services
  const storage = createSubscriberStorage(state)
  const waitUntil = (work: Promise<unknown>) => state.waitUntil(work)
  return {
    context,
    limits: host.settings.limits,
    storage,
    sql: storage.sql,
    sealer,
    callers: new CallerRecords({ host, env, sealer, nameOf: () => principal }),
    report,
    reportEvent: (event) =>
      recorder === undefined ? report(event) : recorder.reportInObject(event, env, waitUntil),
    calls: new Map(),
    get now() {
      return context.now()
    },
  }
}

export function policyOf({ context }: SubscriberParts): CallbackPolicy {
  const { host, env } = context
  return { rules: host.settings.callbacks, env, ownOrigins: host.ownOrigins(env) }
}

/** Whether the occurrences of a type have cursors. */
export function hasCursors({ context }: SubscriberParts, type: string): boolean {
  return (context.host.types.get(type)?.historyMs ?? 0) > 0
}

export function reportDelivery(
  { reportEvent }: SubscriberParts,
  { id, type }: Subject,
  event: Report<'event-delivery'>,
): void {
  reportEvent({ type: 'event-delivery', event: type, subscription: id, ...event })
}

export function reportSubscription(
  { reportEvent }: SubscriberParts,
  { id, type }: Subject,
  event: Report<'event-subscription'>,
): void {
  reportEvent({ type: 'event-subscription', event: type, subscription: id, ...event })
}

/** The log of a subscription. */
export function logNameOf({
  type,
  subject,
  is_personal,
}: Pick<SubscriptionRow, 'type' | 'subject' | 'is_personal'>): LogName {
  return { type, subject: is_personal === 1 ? (subject ?? undefined) : undefined }
}
