/**
 * The two kinds of objects of MCP Events, and what they exchange. The log of an event type keeps its occurrences and
 * the registrations of its subscriptions; the object of a principal keeps the subscriptions and delivers to their callbacks.
 */
import type { Result } from '../../../../src/platform/result.ts'
import type { Caller } from '../../../../src/ports/authenticator.ts'
import { ServiceKey } from '../../../../src/ports/service-key.ts'
import type { SubscriptionView } from '../../../../src/ports/subscriptions.ts'
import type { DeliveryStatus, EventError, EventProfile } from '../../../../src/protocol/events.ts'

/** Which log: that of a type, or that of one person of a personal type. */
export interface LogName {
  readonly type: string
  /** Of a personal type alone. */
  readonly subject: string | undefined
}

/** An occurrence that is emitted. */
export interface NewOccurrence {
  readonly eventId: string
  /** ISO 8601: when it has occurred. */
  readonly timestamp: string
  /** The JSON text of an object. */
  readonly data: string
  /** The one person whom it concerns; undefined: everyone. */
  readonly subject: string | undefined
  /** Set for what the author says of the type itself, which concerns every subscriber. `data` is then that of the word. */
  readonly control?: EventControlWord | undefined
}

/**
 * `gap`: events are lost. `error`: the upstream has a fault, `data.reason`. `terminated`: all subscriptions end, with the
 * {@link EventError} in `data`.
 */
export type EventControlWord = 'gap' | 'error' | 'terminated'

/** An occurrence in a log. */
export interface LoggedOccurrence extends NewOccurrence {
  /** Above 0, and above that of every earlier occurrence. */
  readonly position: number
}

/** What `emit` has stored. */
export interface Emitted {
  readonly position: number
  /** False for an event id that the log has already for the same subject. */
  readonly isNew: boolean
}

/** A position of one log. Positions of another log, such as one that was deleted, are unknown to it. */
export interface LogPosition {
  /** The random name of the log; before its first row, a name of its object. */
  readonly log: string
  readonly position: number
}

/** From where a reader begins. */
export interface LogStart {
  /** Undefined: from now. */
  readonly after: LogPosition | undefined
  /** Milliseconds. No occurrence that was emitted earlier is returned. */
  readonly maxAgeMs: number | undefined
}

/** A part of the log. */
export interface LogPage {
  readonly log: string
  /** In order; those for other persons than the reader are left out. */
  readonly occurrences: readonly LoggedOccurrence[]
  /** Up to where the log was read. */
  readonly position: number
  /** Whether there are more after `position`. */
  readonly hasMore: boolean
  /** Whether occurrences after the start are not available: the reader has lost some. */
  readonly truncated: boolean
}

export interface LogQuery extends LogStart {
  /** Most occurrences that are read, those for others included. */
  readonly limit: number
  /** Whose occurrences are read besides those for everyone. */
  readonly subject: string | undefined
}

/** The listener at the upstream that a poll or a stream needs. */
export interface LeaseRequest {
  /** The canonical JSON text of the arguments. */
  readonly arguments: string
  readonly forMs: number
  /** By whom leases are counted. */
  readonly holder: string
}

/** `full`: the holder has leases of too many arguments. Undefined: the listener runs. */
export type Leased = 'full' | undefined

/** One life of a subscription, as its log knows it. */
export interface Registration {
  /** A subscription that ends and begins anew has another, so that nothing that is late concerns its successor. */
  readonly id: string
  /** The name of the object of its principal. */
  readonly principal: string
  /** Whose occurrences it gets besides those for everyone. */
  readonly subject: string | undefined
  /** The canonical JSON text of the arguments. */
  readonly arguments: string
  /** For one that the log does not have, or that is to begin anew: from where. Undefined: it continues. */
  readonly start: LogStart | undefined
}

export interface Registered {
  readonly log: string
  /** Everything for it up to here was accepted by the object of its principal. */
  readonly position: number
  readonly truncated: boolean
}

/** The RPC of the log. Each method takes its name, which an object cannot know before its first row. */
export interface EventLogRpc {
  emit(name: LogName, occurrence: NewOccurrence): Promise<Emitted>
  read(name: LogName, query: LogQuery): Promise<LogPage>
  /** Rejects when the author's listener cannot be started. */
  lease(name: LogName, lease: LeaseRequest): Promise<Leased>
  /** `full`: the principal has started too many listeners. Rejects when the author's listener cannot be started. */
  register(name: LogName, registration: Registration): Promise<Registered | 'full'>
  unregister(name: LogName, id: string): Promise<void>
}

/** Occurrences for registrations of one principal, in the order of the log. */
export interface HandedPage {
  readonly name: LogName
  readonly log: string
  readonly entries: readonly HandedOccurrence[]
}

export interface HandedOccurrence {
  readonly occurrence: LoggedOccurrence
  /** The ids of the registrations that it concerns. */
  readonly subscriptions: readonly string[]
  /** Set where occurrences before it are lost, for these registrations. */
  readonly truncated?: true
}

/** What identifies a subscription. All four are immutable; `principal` is the object. */
export interface SubscriptionKey {
  readonly type: string
  readonly url: string
  /** The canonical JSON text of the arguments. */
  readonly arguments: string
}

export interface SubscribeRequest extends SubscriptionKey {
  /** Undefined for the principal of anonymous callers. */
  readonly caller: Caller | undefined
  /** Whose occurrences it gets besides those for everyone. */
  readonly subject: string | undefined
  /** The text `whsec_…`. */
  readonly secret: string
  readonly start: LogStart
  /** Which numbers of errors the client knows. */
  readonly profile: EventProfile
  /** Milliseconds; null: no expiry is wanted; undefined: the default. */
  readonly ttlMs: number | null | undefined
}

export interface Subscribed {
  readonly id: string
  /** Epoch milliseconds; null: it does not expire. */
  readonly expiresAt: number | null
  /** Undefined for a type without cursors. */
  readonly position: LogPosition | undefined
  readonly truncated: boolean
  /** Undefined for a new subscription. */
  readonly status: DeliveryStatus | undefined
}

/** The RPC of the object of a principal. */
export interface SubscriberRpc {
  subscribe(request: SubscribeRequest): Promise<Result<Subscribed, EventError>>
  /** False for a key that never existed, or that ended long ago. */
  unsubscribe(key: SubscriptionKey): Promise<boolean>
  /** Resolves when the page is stored. Returns the ids of registrations that do not exist any more. */
  accept(page: HandedPage): Promise<readonly string[]>
  subscriptions(): Promise<readonly SubscriptionView[]>
  /**
   * Ends subscriptions and sends `terminated` with the reason once. Returns how many.
   *
   * @param id undefined: all of the principal
   * @param grant those alone whose caller has this grant. Undefined: all
   */
  end(reason: EventError, id?: string, grant?: string): Promise<number>
  /** Deletes everything that is stored about the principal. Returns how many subscriptions ended. */
  erase(): Promise<number>
}

/** A feed of what is emitted, as its reader asks for it. */
export interface FeedOptions {
  readonly start: LogStart
  readonly subject: string | undefined
  /** By whom feeds are counted. */
  readonly holder: string
  /**
   * The canonical JSON text of the arguments, for a type with an upstream: its listener for them, which `lease` has
   * started, goes on while the feed is open.
   */
  readonly arguments?: string | undefined
  /** Called once per message of the log, with at least one occurrence, in order. */
  readonly onOccurrences: (occurrences: readonly LoggedOccurrence[]) => void
  /** Called once, when the connection to the log is lost, or with the error that `onOccurrences` has thrown. */
  readonly onLost: (error?: unknown) => void
}

export interface LogFeed {
  readonly log: string
  /** Where the feed begins. Every later occurrence is delivered. */
  readonly position: number
  readonly truncated: boolean
  /** Ends the feed. No callback runs afterwards. */
  close(): void
}

/** `behind`: too much lies between the start and now, so that the reader must read the log first. */
export type FeedRefusal = 'behind' | 'full'

/** The objects of MCP Events as the Worker uses them. Each call is bounded in time, and rejects when it fails. */
export interface EventObjects extends Pick<EventLogRpc, 'emit' | 'read' | 'lease'> {
  openFeed(name: LogName, options: FeedOptions): Promise<Result<LogFeed, FeedRefusal>>
  /** @param principal the digest of the principal, which names its object */
  subscriber(principal: string): SubscriberRpc
}

export const EVENT_OBJECTS = new ServiceKey<EventObjects>('events')
