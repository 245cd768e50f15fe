/** The event subscriptions of a person, over all of its principals. Authorization and the admin API end them. */

/** A subscription as its person and an operator see it. */
export interface SubscriptionView {
  readonly id: string
  readonly type: string
  readonly arguments: string
  /** The origin of the callback, without its path. */
  readonly callback: string
  readonly clientId: string | undefined
  readonly state: 'reserved' | 'active' | 'suspended'
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly pending: number
  readonly lastDeliveryAt: number | undefined
  readonly lastError: string | undefined
}

/** Why an operator, a person or a revocation ends a subscription, as its client receives it. */
export type EndOfSubscription = 'access_ended' | 'ended_by_person' | 'ended_by_operator'

/** Which of the subscriptions; neither member: all. */
export interface SubscriptionSelection {
  readonly id?: string | undefined
  readonly grant?: string | undefined
}

/** Principals are named by their digests. `events()` brings it. */
export interface Subscriptions {
  list(principals: readonly string[]): Promise<readonly SubscriptionView[]>
  /** Returns how many have ended. */
  end(
    principals: readonly string[],
    reason: EndOfSubscription,
    selection?: SubscriptionSelection,
  ): Promise<number>
  /** Ends all, and deletes what would be kept about them. Returns how many have ended. */
  erase(principals: readonly string[]): Promise<number>
}
