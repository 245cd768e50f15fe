/** `edgeway/events`: the feature, its options and its types. */

export type {
  Emit,
  EmitErrorReason,
  EmitOptions,
  EmittedEvent,
  EventType,
} from '../../../src/internal.ts'
export type { SubscriptionView } from '../../../src/ports/subscriptions.ts'
export type { EventPrincipal, EventScope, EventsControl } from './control.ts'
export {
  type DefinedEvent,
  defineEvent,
  type EventArguments,
  type EventAuthorization,
  type EventContext,
  type EventLease,
  type EventOptions,
  type EventUpstream,
} from './define-event.ts'
export { type Events, type EventsApi, type EventsOptions, events } from './events.ts'
export type { CallbackRules, EventLimits } from './objects/event-settings.ts'
export { type WaitTool, waitTool } from './wait-tool.ts'
