/**
 * Creates or refreshes a subscription: reserves it, verifies its callback, registers it at the log and activates it. Every
 * step but the last may be interrupted, and the last one is done only for the call that still holds the row: what has ended
 * or was replaced meanwhile is not revived.
 */

import { randomToken } from '../../../../../src/platform/random-token.ts'
import { invalid, type Result, valid } from '../../../../../src/platform/result.ts'
import {
  callbackError,
  exhausted,
  unknownEvent,
  unsupportedMode,
} from '../../../../../src/protocol/event-errors.ts'
import type { DeliveryStatus, EventError } from '../../../../../src/protocol/events.ts'
import type { CompiledEventType } from '../../compiled-event-type.ts'
import type { Registered, Subscribed, SubscribeRequest } from '../port.ts'
import { grantedTtl } from './decide-ttl.ts'
import {
  endUnknownTypes,
  forgetRegistration,
  removeExpired,
  removeSubscription,
  unregisterSoon,
} from './endings.ts'
import {
  hasCursors,
  logNameOf,
  reportSubscription,
  type SubscribeCall,
  type SubscriberParts,
} from './parts.ts'
import type { SubscriptionRow } from './schema.ts'
import { openSecret, sealSecret } from './secrets.ts'
import { oldestPending, saveSubscription, subscriptionIn, subscriptionOf } from './statements.ts'
import { createTables, write } from './subscriber-storage.ts'
import { subscriptionId } from './subscription-id.ts'
import { verifyCallback } from './verification.ts'

/** Longer than the verification of a callback and the registration together. */
const RESERVATION_MS = 5 * 60_000

/** A row that no call has. */
const RELEASED = { operation: null, operation_until: null }

export async function subscribe(
  parts: SubscriberParts,
  request: SubscribeRequest,
): Promise<Result<Subscribed, EventError>> {
  const id = await subscriptionId(parts.context.principal, request)
  removeExpired(parts)
  endUnknownTypes(parts)
  const refuse = (error: EventError): Result<never, EventError> => {
    const reason = String(Object.values(error.data)[0] ?? error.name)
    reportSubscription(parts, { id, type: request.type }, { outcome: 'refused', reason })
    return invalid(error)
  }
  const type = parts.context.host.types.get(request.type)
  const refusal = refusalOfType(type, request)
  if (type === undefined || refusal !== undefined) return refuse(refusal ?? unknownEvent)
  // A client that has lost the answer, or asks twice, has one call with one challenge.
  const text = JSON.stringify(request)
  const running = parts.calls.get(subscriptionOf(parts.sql, id)?.operation ?? '')
  if (running?.request === text) return running.result
  const row = reserve(parts, id, request, type.isPersonal)
  if (row === undefined)
    return refuse(exhausted('subscriptions', parts.limits.subscriptionsPerPrincipal))
  const run = async () => {
    try {
      // Without a result, the key was unsubscribed or ended meanwhile, or a later call has it.
      const result =
        (await complete(parts, request, row)) ??
        invalid(call.ended ?? exhausted('concurrent_requests', 1))
      return result.ok ? result : refuse(result.error)
    } catch (error) {
      refuse(callbackError('internal_error'))
      throw error
    } finally {
      parts.calls.delete(operation)
    }
  }
  const operation = String(row.operation)
  const call: SubscribeCall = { request: text, result: run() }
  parts.calls.set(operation, call)
  return call.result
}

function refusalOfType(
  type: CompiledEventType | undefined,
  { subject }: SubscribeRequest,
): EventError | undefined {
  if (type?.delivery.includes('webhook') === false) {
    return unsupportedMode('webhook')
  }
  return type?.isPersonal && subject === undefined ? { name: 'Forbidden', data: {} } : undefined
}

/** Makes the call the one that may activate the row. Undefined when the principal has too many. */
function reserve(
  parts: SubscriberParts,
  id: string,
  { type, url, arguments: args, caller, profile, subject }: SubscribeRequest,
  isPersonal: boolean,
): SubscriptionRow | undefined {
  const { storage, sql, limits, now } = parts
  const known = subscriptionOf(sql, id)
  if (known === undefined && sql.count('subscriptions') >= limits.subscriptionsPerPrincipal) {
    return undefined
  }
  const held = {
    operation: randomToken(16),
    operation_until: now + RESERVATION_MS,
    is_personal: Number(isPersonal),
  }
  createTables(storage)
  return write(storage, () => {
    if (known !== undefined) {
      // The type is personal now, or is not any more: it continues in another log.
      if (known.is_personal !== held.is_personal) forgetRegistration(parts, known)
      saveSubscription(sql, known.registration, held)
    } else {
      sql.insert('subscriptions', {
        ...held,
        id,
        registration: `${id}.${randomToken(9)}`,
        type,
        url,
        arguments: args,
        subject: subject ?? null,
        client_id: caller?.auth.clientId ?? null,
        grant_id: caller?.grant?.id ?? null,
        profile,
        state: 'reserved',
        created_at: now,
      })
    }
    return subscriptionOf(sql, id)
  })
}

/**
 * One call, from its reservation on. Undefined when another one has the row, or when the row has ended. Rejects when the log
 * does, and when the keyring is unreachable.
 *
 * @param reserved names the call in `operation`
 */
async function complete(
  parts: SubscriberParts,
  request: SubscribeRequest,
  reserved: SubscriptionRow,
): Promise<Result<Subscribed, EventError> | undefined> {
  const { storage, sql, context, callers, limits } = parts
  const { id, registration, subject, arguments: args, operation } = reserved
  const current = () => {
    const row = subscriptionOf(sql, id)
    return row?.operation === operation ? row : undefined
  }
  let hasRegistered = false
  let subscribed: Subscribed | undefined
  try {
    const error = await verifyCallback(parts, id, request, () => current() !== undefined)
    if (error !== undefined) return invalid(error)
    const secret = await sealedSecret(parts, reserved, request.secret)
    const caller = request.caller === undefined ? null : await callers.seal(request.caller)
    if (current() !== undefined) {
      hasRegistered = true
      const answer = await context.log.register(logNameOf(reserved), {
        id: registration,
        principal: context.principal,
        subject: subject ?? undefined,
        arguments: args,
        // A live subscription continues, wherever its client has read to.
        start: reserved.state === 'reserved' ? request.start : undefined,
      })
      if (answer === 'full') return invalid(exhausted('upstreams', limits.upstreamsPerPrincipal))
      subscribed = write(storage, () => {
        const row = current()
        return row && activate(parts, request, row, answer, { secret, caller })
      })
    }
  } finally {
    if (subscribed === undefined) {
      // A call that has failed leaves a live subscription as it is, and no reservation.
      const row = current()
      if (row?.state === 'reserved') removeSubscription(parts, row, hasRegistered)
      else if (row !== undefined)
        write(storage, () => saveSubscription(sql, registration, RELEASED))
      // It has ended before the log knew it.
      else if (hasRegistered && !subscriptionIn(sql, registration))
        forgetRegistration(parts, reserved)
      unregisterSoon(parts)
    }
  }
  return subscribed && valid(subscribed)
}

/** Nothing is rotated by the same secret. */
async function sealedSecret(
  parts: SubscriberParts,
  { id, secret }: SubscriptionRow,
  wanted: string,
): Promise<string> {
  if (secret !== null && (await openSecret(parts, id, secret)) === wanted) return secret
  return sealSecret(parts, id, wanted)
}

function activate(
  parts: SubscriberParts,
  { caller, profile, type, ttlMs }: SubscribeRequest,
  row: SubscriptionRow,
  { log, position, truncated }: Registered,
  sealed: Pick<SubscriptionRow, 'secret' | 'caller'>,
): Subscribed {
  const { now, limits, sql } = parts
  const ttl = grantedTtl(ttlMs, parts.context.host.settings)
  const expiresAt = ttl === null ? null : now + ttl
  const isSameLog = row.log === null || row.log === log
  const accepted = isSameLog ? Math.max(row.accepted, position) : position
  const isNew = row.secret === null
  saveSubscription(sql, row.registration, {
    ...sealed,
    ...(!isNew &&
      row.secret !== sealed.secret && {
        previous_secret: row.secret,
        previous_until: now + limits.secretOverlapMs,
      }),
    ...(row.state === 'suspended' && { outcomes: '[]' }),
    state: 'active',
    ...RELEASED,
    client_id: caller?.auth.clientId ?? null,
    grant_id: caller?.grant?.id ?? null,
    profile,
    expires_at: expiresAt,
    log,
    accepted,
    lost: 0,
  })
  reportSubscription(parts, row, { outcome: isNew ? 'created' : 'refreshed' })
  const isReplayed = hasCursors(parts, type)
  const oldest = oldestPending(sql, row.registration, log)
  return {
    id: row.id,
    expiresAt,
    position: isReplayed
      ? { log, position: oldest === undefined ? accepted : oldest - 1 }
      : undefined,
    truncated: isReplayed && (truncated || row.lost === 1 || !isSameLog),
    status: isNew ? undefined : statusOf(row),
  }
}

/** As it was before this refresh. */
function statusOf({
  state,
  last_delivery_at,
  last_error,
  failed_since,
}: SubscriptionRow): DeliveryStatus {
  return {
    active: state !== 'suspended',
    ...(last_delivery_at !== null && { lastDeliveryAt: new Date(last_delivery_at).toISOString() }),
    lastError: last_error,
    ...(failed_since !== null && { failedSince: new Date(failed_since).toISOString() }),
  }
}
