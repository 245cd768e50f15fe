/** The event subscriptions of people, each principal of them in an object of its own. */
import type { Subscriptions } from '../../../../src/ports/subscriptions.ts'
import type { EventObjects, SubscriberRpc } from './port.ts'

export function createSubscriptions(events: EventObjects): Subscriptions {
  const ofEach = <T>(
    principals: readonly string[],
    work: (subscriber: SubscriberRpc) => Promise<T>,
  ): Promise<readonly T[]> =>
    Promise.all(principals.map((principal) => work(events.subscriber(principal))))

  const end: Subscriptions['end'] = async (principals, reason, { id, grant } = {}) => {
    const error = { name: 'Forbidden', data: { reason } } as const
    const ended = await ofEach(principals, (subscriber) => subscriber.end(error, id, grant))
    return ended.reduce((sum, count) => sum + count, 0)
  }

  return {
    end,
    list: async (principals) =>
      (await ofEach(principals, (subscriber) => subscriber.subscriptions())).flat(),
    async erase(principals) {
      const ended = await end(principals, 'access_ended')
      await ofEach(principals, (subscriber) => subscriber.erase())
      return ended
    },
  }
}
