/** `edgeway.events(env)`: what an author does with events outside of a handler. */
import type { Emit, EventType } from '../../../src/internal.ts'
import { randomToken } from '../../../src/platform/random-token.ts'
import type { SubscriptionView } from '../../../src/ports/subscriptions.ts'
import { forbidden } from '../../../src/protocol/event-errors.ts'
import { principalDigest } from '../../../src/protocol/principal.ts'
import { type EmitContext, emitTo, findType, subjectFor } from './emit.ts'
import { anonymousDigest, type EventServer } from './event-caller.ts'
import type { EventControlWord } from './objects/port.ts'

/** Whom something about an event type concerns. */
export interface EventScope {
  /** `ctx.auth.subject` of one person. Default: everyone. */
  readonly subject?: string
}

/** Whose subscriptions: such as `ctx.auth`. */
export interface EventPrincipal {
  readonly issuer: string
  readonly subject: string
  readonly resource: string
}

export interface EventsControl {
  readonly emit: Emit
  /** Tells the subscribers that events of the type are lost, for example because its source was not reachable. */
  gap(type: EventType | string, scope?: EventScope): Promise<void>
  /**
   * Tells the open streams of the type about a fault of its source. They stay open.
   *
   * @param reason for the model and the person: no secret
   */
  reportFault(type: EventType | string, reason: string, scope?: EventScope): Promise<void>
  /**
   * Ends the streams and subscriptions of the type. Each client learns it once.
   *
   * @param reason for the model and the person: no secret
   */
  terminate(type: EventType | string, reason: string, scope?: EventScope): Promise<void>
  /**
   * The subscriptions by webhook of a principal.
   *
   * @param principal such as `ctx.auth`. Undefined: that of anonymous callers
   */
  subscriptions(principal?: EventPrincipal): Promise<readonly SubscriptionView[]>
  /**
   * Ends a subscription by webhook. Its client learns it once. Returns false when there is none with this id.
   *
   * @param principal such as `ctx.auth`. Undefined: that of anonymous callers
   */
  endSubscription(id: string, reason: string, principal?: EventPrincipal): Promise<boolean>
}

export function createControl(server: EventServer, context: EmitContext): EventsControl {
  const { types, objects } = context
  const control = async (
    event: EventType | string,
    word: EventControlWord,
    data: object,
    { subject }: EventScope = {},
  ) => {
    const type = findType(types, event)
    const concerned = subjectFor(type, subject)
    await objects.emit(
      { type: type.name, subject: type.isPersonal ? concerned : undefined },
      {
        eventId: `msg_${word}_${randomToken(16)}`,
        timestamp: new Date().toISOString(),
        data: JSON.stringify(data),
        subject: concerned,
        control: word,
      },
    )
  }
  const subscriberOf = async (principal: EventPrincipal | undefined) => {
    const digest =
      principal === undefined ? await anonymousDigest(server) : await principalDigest(principal)
    return digest === undefined ? undefined : objects.subscriber(digest)
  }
  return {
    emit: (event: EventType | string, data: unknown, options?: object) =>
      emitTo(context, event, data, options),
    gap: (event, scope) => control(event, 'gap', {}, scope),
    reportFault: (event, reason, scope) =>
      control(event, 'error', { reason: String(reason) }, scope),
    terminate: (event, reason, scope) =>
      control(event, 'terminated', forbidden(String(reason)), scope),
    subscriptions: async (principal) =>
      (await (await subscriberOf(principal))?.subscriptions()) ?? [],
    endSubscription: async (id, reason, principal) => {
      // Without an id, the object ends all.
      if (typeof id !== 'string') return false
      const ended = await (await subscriberOf(principal))?.end(forbidden(String(reason)), id)
      return ended === 1
    },
  }
}
