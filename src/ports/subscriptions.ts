/** The event subscriptions of a person, over all of its principals. Authorization and the admin API end them. */
import { type Principal, principalDigest } from '../protocol/principal.ts'
import type { EventObjects, SubscriberRpc, SubscriptionView } from './events.ts'

/** Why an operator, a person or a revocation ends a subscription, as its client receives it. */
export type EndOfSubscription = 'access_ended' | 'ended_by_person' | 'ended_by_operator'

/** Which of the subscriptions; neither member: all. */
export interface SubscriptionSelection {
  readonly id?: string | undefined
  readonly grant?: string | undefined
}

/** @param events undefined in an app without events: it has no subscriptions */
export async function listSubscriptions(
  events: EventObjects | undefined,
  principals: readonly Principal[],
): Promise<readonly SubscriptionView[]> {
  return (await ofEach(events, principals, (subscriber) => subscriber.subscriptions())).flat()
}

/** Returns how many have ended. */
export async function endSubscriptions(
  events: EventObjects | undefined,
  principals: readonly Principal[],
  reason: EndOfSubscription,
  { id, grant }: SubscriptionSelection = {},
): Promise<number> {
  const error = { name: 'Forbidden', data: { reason } } as const
  const ended = await ofEach(events, principals, (subscriber) => subscriber.end(error, id, grant))
  return ended.reduce((sum, count) => sum + count, 0)
}

/** Ends all, and deletes what would be kept about them. Returns how many have ended. */
export async function eraseSubscriptions(
  events: EventObjects | undefined,
  principals: readonly Principal[],
): Promise<number> {
  const ended = await endSubscriptions(events, principals, 'access_ended')
  await ofEach(events, principals, (subscriber) => subscriber.erase())
  return ended
}

async function ofEach<T>(
  events: EventObjects | undefined,
  principals: readonly Principal[],
  work: (subscriber: SubscriberRpc) => Promise<T>,
): Promise<readonly T[]> {
  if (events === undefined) return []
  const digests = new Set(await Promise.all(principals.map(principalDigest)))
  return Promise.all([...digests].map((digest) => work(events.subscriber(digest))))
}
