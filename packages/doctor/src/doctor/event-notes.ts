/** What was not examined about events, and what would. */

import { isChallenge } from './http/event-receiver.ts'
import { eventTypesOf } from './probes/events/event-types.ts'
import type { EventsObservation } from './probes/events/events.ts'
import { CALLBACK_PORT, type WebhookObservation } from './probes/events/webhook.ts'

export function eventNotes(seen: EventsObservation | undefined, isActive: boolean): string[] {
  if (seen === undefined) return []
  const { list, untestable, webhook, push } = seen
  const notes: string[] = []
  const offered = eventTypesOf(list).flatMap(({ delivery }) => delivery)
  if (untestable.length > 0) {
    notes.push(
      `No event was asked for by ${untestable.join(' and ')}: each type needs arguments that the doctor does not know.`,
    )
  }
  if (!isActive && offered.includes('webhook') && !untestable.includes('webhook')) {
    notes.push(
      'Subscriptions by webhook were not examined. Pass --active; each subscription is ended again.',
    )
  }
  if (!isActive && push?.stream !== undefined) {
    notes.push('The heartbeats of events/stream were not examined. Pass --active to wait for one.')
  }
  return [...notes, ...webhookNotes(webhook)]
}

const NOT_RUN: Readonly<Record<NonNullable<WebhookObservation['notRun']>, string>> = {
  'no-callback': `No subscription was made, because the server cannot reach this computer. Pass --callback with an https URL that leads to port ${CALLBACK_PORT} of it, such as that of a tunnel.`,
  'port-in-use':
    'No subscription was made, because another program has the port of the callback. Pass --callback-port.',
  'local-callback-refused':
    'No subscription was made: the server refuses a callback on this computer, as it should. Let it trust an origin such as http://127.0.0.1:8976 for the examination, and pass --callback http://127.0.0.1:8976.',
}

function webhookNotes(webhook: WebhookObservation | undefined): string[] {
  const { notRun, subscription } = webhook ?? {}
  if (notRun !== undefined) return [NOT_RUN[notRun]]
  if (subscription?.subscribed.kind !== 'result') return []
  const hasDelivery = subscription.received.some(({ value }) => !isChallenge(value))
  if (hasDelivery) return []
  const seconds = Math.round(subscription.waitedMs / 1000)
  return [
    `No event occurred within ${seconds} seconds, so no delivery was examined. Make one occur while the doctor waits; --event-wait says how long.`,
  ]
}
