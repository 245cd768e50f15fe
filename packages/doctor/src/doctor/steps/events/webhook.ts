/** A subscription by webhook: its challenge, its result, its deliveries and its end. */
import { isJsonObject } from '../../../../../../src/protocol/json.ts'
import { quoted, textOf } from '../../../../../text/src/quoted.ts'
import { answered, type Detected, describe, detected } from '../../detected.ts'
import { isChallenge } from '../../http/event-receiver.ts'
import type { RpcReply } from '../../mcp/rpc.ts'
import { isEventError } from '../../probes/events/event-errors.ts'
import type {
  SubscriptionObservation,
  UnroutableCallback,
  WebhookObservation,
} from '../../probes/events/webhook.ts'
import { deliveryFault } from './delivery.ts'

export function webhookFaults(webhook: WebhookObservation | undefined): Detected[] {
  if (webhook === undefined) return []
  const { type, forbidden, unroutable, subscription } = webhook
  if (forbidden !== undefined) {
    return [answered('events-subscribe-failed', `events/subscribe to ${quoted(type)}`, forbidden)]
  }
  return [
    ...unroutable.flatMap(unroutableFault).slice(0, 1),
    ...(subscription === undefined ? [] : subscriptionFaults(subscription)),
  ]
}

/** What a server learns only from a connection. */
const AFTER_CONNECTION = ['connection_refused', 'timeout', 'tls_error', 'http_4xx', 'http_5xx']

function unroutableFault({ url, reply, connections }: UnroutableCallback): Detected[] {
  const code = 'events-callback-private'
  const request = `events/subscribe with the callback ${quoted(url)}`
  if (reply.kind === 'result') return [answered(code, request, reply)]
  if (connections > 0) return [detected(code, `${request} is refused after a connection to it`)]
  const data = reply.kind === 'error' ? reply.data : undefined
  const reason = isJsonObject(data) ? data.reason : undefined
  const hasTried =
    isEventError(reply, 'CallbackEndpointError') && AFTER_CONNECTION.includes(textOf(reason))
  return hasTried ? [detected(code, `${request} is refused with the reason ${quoted(reason)}`)] : []
}

function subscriptionFaults(seen: SubscriptionObservation): Detected[] {
  const { type, subscribed, received, secret, unsubscribed, afterEnd } = seen
  if (subscribed.kind !== 'result') {
    const data = subscribed.kind === 'error' ? subscribed.data : undefined
    const text = `events/subscribe to ${quoted(type)} is answered with ${describe(subscribed)}`
    const why = data === undefined ? '' : ` and ${quoted(data)}`
    return [...challengeFaults(seen), detected('events-subscribe-failed', text + why)]
  }
  const result = resultFault(subscribed, seen.refreshed)
  const deliveries = received.filter(({ value }) => !isChallenge(value))
  const wrong = deliveries
    .map((delivery) => deliveryFault(delivery, { secret, type, id: idOf(subscribed) }))
    .find((text) => text !== undefined)
  return [
    ...challengeFaults(seen),
    ...(result === undefined ? [] : [detected('events-subscribe-invalid', result)]),
    ...(wrong === undefined ? [] : [detected('events-delivery-invalid', wrong)]),
    ...(unsubscribed === undefined || unsubscribed.kind === 'result'
      ? []
      : [answered('events-unsubscribe-failed', 'events/unsubscribe', unsubscribed)]),
    ...(afterEnd === 0
      ? []
      : [detected('events-delivery-after-end', `${afterEnd} came within a second`)]),
  ]
}

function challengeFaults(seen: SubscriptionObservation): Detected[] {
  const { subscribed, received, secret, challengesBefore, wrongEcho, isLocal } = seen
  const challenges = received.filter(({ value }) => isChallenge(value))
  const wrong = challenges
    .map((challenge) => deliveryFault(challenge, { secret, type: undefined, id: idOf(subscribed) }))
    .find((text) => text !== undefined)
  if (wrong !== undefined) return [detected('events-challenge-invalid', wrong)]
  if (subscribed.kind !== 'result') return []
  if (challengesBefore === 0) {
    // A server that accepts a callback on its own computer allows it by its configuration.
    const text = 'No challenge came before the result of events/subscribe'
    return isLocal ? [] : [detected('events-callback-unverified', text)]
  }
  if (wrongEcho === undefined || isEventError(wrongEcho, 'CallbackEndpointError')) return []
  return [answered('events-challenge-unchecked', 'events/subscribe', wrongEcho)]
}

/** What is wrong with the results of a subscription and of its refresh. */
function resultFault(subscribed: RpcReply, refreshed: RpcReply | undefined): string | undefined {
  const of = 'The result of events/subscribe'
  if (refreshed !== undefined && refreshed.kind !== 'result') {
    return `A refresh is answered with ${describe(refreshed)}`
  }
  for (const reply of [subscribed, refreshed]) {
    const result = reply?.kind === 'result' ? reply.result : {}
    if (!isJsonObject(result)) return `${of} is ${quoted(result)}`
    if (reply === undefined) continue
    const { id, refreshBefore, cursor, truncated } = result
    const wrong = Object.entries({
      id: typeof id === 'string' && id !== '',
      refreshBefore: typeof refreshBefore === 'string' && !Number.isNaN(Date.parse(refreshBefore)),
      cursor: cursor === null || typeof cursor === 'string',
      truncated: typeof truncated === 'boolean',
    }).find(([, isRight]) => !isRight)
    if (wrong !== undefined) return `${of} has the ${wrong[0]} ${quoted(result[wrong[0]])}`
  }
  const [first, second] = [idOf(subscribed), refreshed && idOf(refreshed)]
  return second === undefined || first === second
    ? undefined
    : `The refresh of ${quoted(first)} has the id ${quoted(second)}`
}

function idOf(reply: RpcReply): string | undefined {
  const id = reply.kind === 'result' && isJsonObject(reply.result) ? reply.result.id : undefined
  return typeof id === 'string' ? id : undefined
}
