/** `defineEvent()`: an event type as a value, with the types of its arguments and its data. */

import type { InferArguments, Schema, Visible } from '../../../src/index.ts'
import type { EventType, InferInput } from '../../../src/internal.ts'
import type { MaybePromise } from '../../../src/platform/maybe-promise.ts'
import type { AuthInfo, GrantProps } from '../../../src/protocol/auth-info.ts'
import type { DeliveryMode } from '../../../src/protocol/events.ts'
import { compileEvent, type ErasedEventOptions, type EventDefinition } from './compile-event.ts'

/** The arguments of a subscription. Without an input schema it has none. */
export type EventArguments<Input extends Schema | undefined> = Input extends Schema
  ? InferArguments<Input>
  : Record<string, never>

/** For whom and for what a function of an event type decides. */
export interface EventContext<Input extends Schema | undefined, Env = unknown, Props = GrantProps> {
  /** The caller; undefined for an anonymous one. */
  readonly auth: AuthInfo<Props> | undefined
  readonly arguments: EventArguments<Input>
  readonly env: Env
}

/** Of `authorize`. */
export interface EventAuthorization<
  Input extends Schema | undefined,
  Env = unknown,
  Props = GrantProps,
> extends EventContext<Input, Env, Props> {
  /** `subscribe`: a poll, a stream or a subscription begins or is refreshed. `deliver`: before each delivery. */
  readonly phase: 'subscribe' | 'deliver'
}

/** What a listener of an upstream is for. */
export interface EventLease<Input extends Schema | undefined, Env = unknown> {
  readonly arguments: EventArguments<Input>
  /** The subject of a personal type; undefined for any other. */
  readonly subject: string | undefined
  readonly env: Env
}

/** A listener of an upstream, which runs while someone waits for events. */
export interface EventUpstream<Input extends Schema | undefined, Env = unknown> {
  /** Called again after a restart for a listener that runs: it must be idempotent. */
  readonly start: (lease: EventLease<Input, Env>) => MaybePromise<void>
  /** Idempotent too. */
  readonly stop: (lease: EventLease<Input, Env>) => MaybePromise<void>
  /** How long the listener runs after the last poll, in milliseconds. Default 5 minutes. */
  readonly pollLeaseMs?: number
}

export interface EventOptions<
  Payload extends Schema,
  Input extends Schema | undefined = undefined,
  Env = unknown,
  Props = GrantProps,
> {
  /** What has happened when the event occurs, and when to subscribe. The model reads it. */
  readonly description: string
  /** The schema of the arguments of a subscription, of an object. Default: no arguments. */
  readonly input?: Input
  /** The schema of the data, of an object. */
  readonly payload: Payload
  /** How clients can receive it. Default all three. */
  readonly delivery?: readonly DeliveryMode[]
  /** Whether the caller may have the events for these arguments. Default: yes. */
  readonly authorize?: (access: EventAuthorization<Input, Env, Props>) => MaybePromise<boolean>
  /**
   * Whether an occurrence concerns a subscription with these arguments. Default: each argument that was given equals
   * the member of the data with the same name.
   */
  readonly match?: (
    args: EventArguments<Input>,
    data: InferArguments<Payload>,
  ) => MaybePromise<boolean>
  /** What one subscriber receives of the data. Default: all. */
  readonly transform?: (
    data: InferArguments<Payload>,
    subscriber: EventContext<Input, Env, Props>,
  ) => MaybePromise<InferArguments<Payload>>
  /** How long occurrences are kept for replay, in milliseconds. Default 0: the type has no cursors. */
  readonly history?: number
  /** Whether each occurrence is for one person: `emit` needs a subject, and each person has a log. Default false. */
  readonly personal?: boolean
  /** Whether a caller sees the type. To any other it does not exist. */
  readonly visible?: Visible<Props>
  /** The scopes that a token needs for it. */
  readonly scopes?: readonly string[]
  readonly upstream?: EventUpstream<Input, Env>
  /** Sent to clients in the description of the type. */
  readonly _meta?: { readonly [key: string]: unknown }
}

/** An event type, for `events({ types })` and `emit`. */
export interface DefinedEvent<Name extends string = string, Data = unknown>
  extends EventType<Name, Data> {
  /** @internal */
  readonly [EVENT_DEFINITION]: EventDefinition
}

/** The member with the compiled type. */
export const EVENT_DEFINITION: unique symbol = Symbol('edgeway.event')

/**
 * Defines an event type.
 *
 * @param name 1 to 128 of the characters `A-Z a-z 0-9 _ - .`, unique in an app. Clients know the type by it: a change
 *   that an earlier subscription does not fit needs another name
 * @throws {TypeError} that names the type and the fault
 *
 * @see https://github.com/modelcontextprotocol/ext-events
 */
export function defineEvent<
  const Name extends string,
  Payload extends Schema,
  Input extends Schema | undefined = undefined,
  Env = unknown,
  Props = GrantProps,
>(
  name: Name,
  options: EventOptions<Payload, Input, Env, Props>,
): DefinedEvent<Name, InferInput<Payload>> {
  const definition = compileEvent(name, options as ErasedEventOptions)
  return { name, [EVENT_DEFINITION]: definition }
}
