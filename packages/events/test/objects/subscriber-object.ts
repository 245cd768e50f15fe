/** The object of a principal alone, in a class of its own. The test that names an object supplies its surroundings. */
import { DurableObject } from 'cloudflare:workers'
import type { EventError } from '../../../../src/protocol/events.ts'
import type { HandedPage, SubscribeRequest, SubscriptionKey } from '../../src/objects/port.ts'
import { Subscriber } from '../../src/objects/subscriber/subscriber.ts'
import { type World, worlds } from './subscriber-world.ts'

export class SubscriberObject extends DurableObject {
  readonly #subscriber: Subscriber

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    const world = worlds.get(ctx.id.name ?? '') as World
    world.kill = () => ctx.abort('killed')
    this.#subscriber = new Subscriber(world.contextOf(ctx, env))
  }

  subscribe(request: SubscribeRequest) {
    return this.#subscriber.subscribe(request)
  }

  unsubscribe(key: SubscriptionKey) {
    return this.#subscriber.unsubscribe(key)
  }

  accept(page: HandedPage) {
    return this.#subscriber.accept(page)
  }

  subscriptions() {
    return this.#subscriber.subscriptions()
  }

  end(reason: EventError, id?: string, grant?: string) {
    return this.#subscriber.end(reason, id, grant)
  }

  erase() {
    return this.#subscriber.erase()
  }

  override alarm() {
    return this.#subscriber.alarm()
  }
}
