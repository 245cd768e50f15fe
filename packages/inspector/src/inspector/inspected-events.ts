/** What the inspector shows of events. Types alone: the page imports them. */
import type { SubscriptionView } from '../../../../src/ports/subscriptions.ts'
import type { EventDescriptor } from '../../../../src/protocol/events.ts'

/** As `GET /inspect/events.json` sends it. */
export interface InspectedEvents {
  readonly types: readonly EventDescriptor[]
  /** Null where the principals of the subject are not known. */
  readonly subscriptions: readonly SubscriptionView[] | null
}
