/** What is delivered, decided anew before each attempt: by the access of the subscriber, and by the author's functions. */
import { createReference, hasScopes, isVisible } from '../../../../../src/internal.ts'
import {
  forbidden,
  unknownEvent,
  unsupported,
  unsupportedMode,
} from '../../../../../src/protocol/event-errors.ts'
import type { EventError, EventOccurrence } from '../../../../../src/protocol/events.ts'
import { type JsonObject, jsonText } from '../../../../../src/protocol/json.ts'
import type { CompiledEventType, EventAccess } from '../../compiled-event-type.ts'
import type { SubscriberParts } from './parts.ts'
import type { PendingEvent, SubscriptionRow } from './schema.ts'

export type Content =
  | { readonly kind: 'ready'; readonly write: (cursor: string | null) => string }
  /** The subscription ends. */
  | { readonly kind: 'ended'; readonly error: EventError }
  /** The event is not for this subscriber. */
  | { readonly kind: 'dropped'; readonly reason: string }
  /** It cannot be decided now. */
  | { readonly kind: 'failed'; readonly reason: string }

const ended = (error: EventError): Content => ({ kind: 'ended', error })

const schemaChanged = (feature: string): Content =>
  ended(unsupported(feature, { reason: 'schema_changed' }))

export async function contentOf(
  parts: SubscriberParts,
  row: SubscriptionRow,
  pending: PendingEvent,
): Promise<Content> {
  const type = parts.context.host.types.get(row.type)
  if (type === undefined) return ended(unknownEvent)
  if (!type.delivery.includes('webhook')) return ended(unsupportedMode('webhook'))
  const caller = await parts.callers.renew(row.caller).catch(() => 'unknown' as const)
  if (caller === 'unknown') return { kind: 'failed', reason: 'access_unknown' }
  if (caller === undefined) return ended(forbidden('access_ended'))
  try {
    const { auth } = caller
    if (!isVisible(type, auth)) return ended(forbidden('not_visible'))
    if (!hasScopes(type, auth)) return ended(forbidden('scopes_missing'))
    const access = { auth, arguments: JSON.parse(row.arguments), env: parts.context.env }
    return await contentFor(type, access, pending)
  } catch (error) {
    const subject = `Event ${row.type}`
    parts.report({ type: 'handler-error', subject, reference: createReference(), error })
    return { kind: 'failed', reason: 'handler_error' }
  }
}

/** Rejects with what the author's functions throw. */
async function contentFor(
  type: CompiledEventType,
  access: EventAccess,
  { event_id: eventId, timestamp, data: text }: PendingEvent,
): Promise<Content> {
  if ((await type.checkArguments(access.arguments)) !== undefined) {
    return schemaChanged('inputSchema')
  }
  if (text === null) {
    return { kind: 'ready', write: (cursor) => jsonText({ type: 'gap', cursor }) }
  }
  if (!(await type.authorize(access, 'deliver'))) {
    return ended(forbidden('not_authorized'))
  }
  const stored: JsonObject = JSON.parse(text)
  if (!type.acceptsData(stored)) return schemaChanged('payloadSchema')
  if (type.isFor?.(stored, access) === false) return { kind: 'dropped', reason: 'not_authorized' }
  const data = await type.transform(stored, access)
  const event = { eventId, name: type.name, timestamp, data }
  return {
    kind: 'ready',
    write: (cursor) => jsonText({ ...event, cursor } satisfies EventOccurrence),
  }
}
