/** `events/subscribe` and `events/unsubscribe`: deliveries to a callback of the client. */

import { canonicalText } from '../../../src/protocol/canonical-json.ts'
import {
  forbidden,
  unknownSubscription,
  unsupportedMode,
} from '../../../src/protocol/event-errors.ts'
import { isJsonObject, type JsonObject } from '../../../src/protocol/json.ts'
import { invalidParams } from '../../../src/protocol/protocol-error.ts'
import { admit } from './admit.ts'
import { type EventCaller, type EventServer, principalOf } from './event-caller.ts'
import { eventError } from './event-error.ts'
import { readEventParams, readTarget, startOf } from './event-params.ts'
import { checkCallback } from './objects/callback-rules.ts'
import { parseCallbackSecret } from './objects/callback-secret.ts'
import { formatCursor } from './objects/cursor.ts'
import type { Subscribed, SubscribeRequest } from './objects/port.ts'
import { refusalOf } from './refusal-of.ts'

/** @throws {ProtocolError} */
export async function subscribe(
  server: EventServer,
  asking: EventCaller,
  params: JsonObject = {},
): Promise<JsonObject> {
  const { name } = params
  const event = typeof name === 'string' && server.types.has(name) ? name : ''
  let isAtObject = false
  try {
    const { principal, request } = await readRequest(server, asking, params)
    isAtObject = true
    const subscribed = await asking.objects.subscriber(principal).subscribe(request)
    if (!subscribed.ok) throw eventError(subscribed.error, asking.profile)
    asking.observe?.({ type: 'subscribing', event, refusal: undefined })
    return resultOf(subscribed.value)
  } catch (error) {
    const refusal = refusalOf(error)
    asking.observe?.({ type: 'subscribing', event, refusal })
    // The object reports what it refuses.
    if (!isAtObject) {
      const { reason } = refusal
      const outcome = { outcome: 'refused', subscription: undefined, reason } as const
      asking.report({ type: 'event-subscription', event: event || 'unknown', ...outcome })
    }
    throw error
  }
}

async function readRequest(
  server: EventServer,
  asking: EventCaller,
  params: JsonObject,
): Promise<{ readonly principal: string; readonly request: SubscribeRequest }> {
  const { caller, profile, env } = asking
  const principal = await principalOf(server, asking)
  if (principal === undefined) throw eventError(forbidden('Sign in to subscribe'), profile)
  const { mode = 'webhook', secret, ...delivery } = readDelivery(params)
  if (mode !== 'webhook') throw eventError(unsupportedMode(mode), profile)
  const read = readEventParams(params)
  const { type, subject, argumentsText } = await admit(server, asking, read, 'webhook')
  const url = await readUrl(server, delivery.url, env)
  if (typeof secret !== 'string' || parseCallbackSecret(secret) === undefined) {
    throw invalidParams('params.delivery.secret must be whsec_ and the base64 of 24 to 64 bytes')
  }
  const request: SubscribeRequest = {
    ...{ type: type.name, url, arguments: argumentsText, caller, subject, secret, profile },
    start: startOf(type, read),
    ttlMs: readTtl(params.ttlMs),
  }
  return { principal, request }
}

function resultOf({ id, expiresAt, position, truncated, status }: Subscribed): JsonObject {
  return {
    id,
    refreshBefore: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    cursor: position === undefined ? null : formatCursor(position),
    truncated,
    ...(status === undefined ? undefined : { deliveryStatus: { ...status } }),
  }
}

/**
 * The arguments are not checked: the type may have changed, or be gone.
 *
 * @throws {ProtocolError}
 */
export async function unsubscribe(
  server: EventServer,
  asking: EventCaller,
  params: JsonObject = {},
): Promise<JsonObject> {
  const { profile, objects } = asking
  const principal = await principalOf(server, asking)
  if (principal === undefined) throw eventError(forbidden('Sign in to unsubscribe'), profile)
  const { name, arguments: args } = readTarget(params)
  const { url } = readDelivery(params)
  if (typeof url !== 'string') throw invalidParams('params.delivery.url must be a URL')
  const key = { type: name, url, arguments: canonicalText(args) }
  if (!(await objects.subscriber(principal).unsubscribe(key))) {
    throw eventError(unknownSubscription, profile)
  }
  return {}
}

function readDelivery({ delivery }: JsonObject): JsonObject {
  if (isJsonObject(delivery)) return delivery
  throw invalidParams('params.delivery must be an object with mode, url and secret')
}

/** The URL as the client wrote it, byte for byte: its query may be the client's own key. */
async function readUrl(
  { callbacks: rules, ownOrigins }: EventServer,
  url: unknown,
  env: unknown,
): Promise<string> {
  if (typeof url !== 'string') throw invalidParams('params.delivery.url must be a string')
  const checked = await checkCallback(url, { rules, env, ownOrigins: ownOrigins(env) })
  if (checked.ok) return url
  throw invalidParams(`params.${checked.error}`)
}

/** A suggestion that is no number of milliseconds counts as absent: no lifetime is an error. */
function readTtl(ttlMs: unknown): number | null | undefined {
  if (ttlMs === null) return null
  return typeof ttlMs === 'number' && Number.isFinite(ttlMs)
    ? Math.max(0, Math.floor(ttlMs))
    : undefined
}
