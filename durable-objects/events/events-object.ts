/** The Durable Object of MCP Events. Its class belongs to an app, because the functions of its event types run in it. */
import { DurableObject } from '#runtime'
import type { Result } from '../../src/platform/result.ts'
import type {
  Emitted,
  EndReason,
  EventLogRpc,
  HandedPage,
  LeaseRequest,
  LogName,
  LogPage,
  LogQuery,
  NewOccurrence,
  Registered,
  Registration,
  Subscribed,
  SubscribeRequest,
  SubscriberRpc,
  SubscriptionKey,
  SubscriptionView,
} from '../../src/ports/events.ts'
import type { EventError } from '../../src/protocol/events.ts'
import type { EventsHost, EventsObjectContext } from './events-host.ts'
