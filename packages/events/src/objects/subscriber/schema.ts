/** The tables of the object of a principal: row types and migrations. Times are epoch milliseconds. */
import type { CallbackFault, EventProfile } from '../../../../../src/protocol/events.ts'

/** Reserved: its callback is not verified yet, or its log does not know it yet. */
export type SubscriptionState = 'reserved' | 'active' | 'suspended'

export type SubscriptionRow = {
  id: string
  /** Names the life of the row: another one for a subscription that begins anew. */
  registration: string
  type: string
  url: string
  /** Canonical JSON. */
  arguments: string
  /** Of the caller; null for anonymous callers. */
  subject: string | null
  /** Whether the log is that of the subject. */
  is_personal: number
  client_id: string | null
  /** The grant of its caller; null for a caller without one. */
  grant_id: string | null
  profile: EventProfile
  state: SubscriptionState
  /** The call of `subscribe` that may activate the row: the latest one. */
  operation: string | null
  /** Until when the call has the row: a reservation ends then, and what has expired during its refresh. */
  operation_until: number | null
  /** Sealed. Null while the row was never active. */
  secret: string | null
  previous_secret: string | null
  previous_until: number | null
  /** A sealed record; null for an anonymous caller. */
  caller: string | null
  created_at: number
  /** Null: it does not expire. */
  expires_at: number | null
  /** The log of the last page; null before the first one. */
  log: string | null
  /** The position of `log` up to which everything was accepted. */
  accepted: number
  /** 1: events were lost since the last answer. */
  lost: number
  /** 1: a gap waits in the outbox. */
  gap: number
  /** JSON, see `decide-suspension.ts`. */
  outcomes: string
  last_delivery_at: number | null
  last_error: CallbackFault | null
  /** Since when no delivery has succeeded. */
  failed_since: number | null
}

/** Identifies a row of the outbox. */
export type PendingKey = {
  registration: string
  log: string
  position: number
  /** The id of the message. */
  event_id: string
}

/** An event that waits for delivery, or a gap. */
export type PendingEvent = PendingKey & {
  timestamp: string
  /** JSON. Null for a gap. */
  data: string | null
  /** Attempts that have failed. */
  attempts: number
  /** Attempts that have begun, those that were interrupted included. */
  begun: number
  next_at: number
}

/** A registration that the log must forget. */
export type UnregistrationRow = {
  registration: string
  type: string
  subject: string | null
  attempts: number
  next_at: number
}

/** Append-only: an existing object has applied the earlier ones. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE subscriptions (
    id TEXT PRIMARY KEY,
    registration TEXT NOT NULL,
    type TEXT NOT NULL,
    url TEXT NOT NULL,
    arguments TEXT NOT NULL,
    subject TEXT,
    is_personal INTEGER NOT NULL,
    client_id TEXT,
    grant_id TEXT,
    profile TEXT NOT NULL,
    state TEXT NOT NULL,
    operation TEXT,
    operation_until INTEGER,
    secret TEXT,
    previous_secret TEXT,
    previous_until INTEGER,
    caller TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    log TEXT,
    accepted INTEGER NOT NULL DEFAULT 0,
    lost INTEGER NOT NULL DEFAULT 0,
    gap INTEGER NOT NULL DEFAULT 0,
    outcomes TEXT NOT NULL DEFAULT '[]',
    last_delivery_at INTEGER,
    last_error TEXT,
    failed_since INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE outbox (
    registration TEXT NOT NULL,
    log TEXT NOT NULL,
    position INTEGER NOT NULL,
    event_id TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    data TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    begun INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER NOT NULL,
    PRIMARY KEY (registration, log, position, event_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX outbox_due ON outbox (registration, next_at);
  CREATE TABLE unregistrations (
    registration TEXT PRIMARY KEY,
    type TEXT NOT NULL,
    subject TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE marks (name TEXT PRIMARY KEY, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;`,
]

/**
 * What is remembered until a time. The words are in the names of rows.
 *
 * - `ended`: a subscription that has ended, by its id. Unsubscribed again, it is not unknown.
 * - `verified`: a callback with its secret, by a digest.
 * - `challenge`: a challenge that was sent, by a random name.
 */
export type MarkKind = 'ended' | 'verified' | 'challenge'
