/** The tables of a log: row types and migrations. Times are epoch milliseconds. */
import type { EventControlWord } from '../port.ts'

export type OccurrenceRow = {
  position: number
  event_id: string
  timestamp: string
  data: string
  /** Null: it concerns everyone. */
  subject: string | null
  /** Null for an occurrence with data of the type. */
  control: EventControlWord | null
  emitted_at: number
}

/** The one row about the log itself. */
export type LogRow = {
  /** Random: positions of another log are recognised by it. */
  name: string
  type: string
  subject: string | null
  /** Everything up to here was handed to every subscription that is not late. */
  handed: number
  /** The end of the batch that is handed over now; null between two batches. */
  batch_end: number | null
  /** The last principal to which the batch was handed over, in the order of principals. */
  batch_principal: string | null
  /** When expired rows are deleted. */
  sweep_at: number
  /** Whether the last sweep has left no rows. */
  is_quiet: number
}

/** One life of a subscription, a row of `subscriptions`. It is late while `retry_at` is set, and on time otherwise. */
export type RegistrationRow = {
  /** Another one each time that it begins anew. */
  number: number
  /** The name that its subscriber has given it. */
  id: string
  principal: string
  subject: string | null
  arguments: string
  /** Up to here, everything was accepted or is not wanted. Of one that is on time, the progress of the fan-out may be later. */
  position: number
  /** Whether occurrences before the next one are lost. */
  lost: number
  /** How often the object of the principal has failed, since it has last accepted. */
  failures: number
  /** How often the author's `matches` has thrown at the occurrence after `position`. */
  faults: number
  retry_at: number | null
  late_since: number | null
}

/** A listener at the upstream. `key` is the digest of the arguments. */
export type ListenerRow = {
  key: string
  arguments: string
  /** When it is next examined whether the listener is needed. */
  leased_until: number
  /** How often the author's `stop` has failed. */
  failures: number
}

/** Append-only: an existing object has applied the earlier ones. */
export const MIGRATIONS: readonly string[] = [
  // AUTOINCREMENT: neither a position nor the number of a registration is given twice.
  `CREATE TABLE occurrences (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    event_id TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    data TEXT NOT NULL,
    subject TEXT,
    control TEXT,
    emitted_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE event_ids (
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    due_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE log (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    subject TEXT,
    handed INTEGER NOT NULL DEFAULT 0,
    batch_end INTEGER,
    batch_principal TEXT,
    sweep_at INTEGER NOT NULL,
    is_quiet INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE subscriptions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    principal TEXT NOT NULL,
    subject TEXT,
    arguments TEXT NOT NULL,
    position INTEGER NOT NULL,
    lost INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    faults INTEGER NOT NULL DEFAULT 0,
    retry_at INTEGER,
    late_since INTEGER
  ) STRICT;
  CREATE INDEX subscriptions_by_principal ON subscriptions (principal);
  CREATE INDEX subscriptions_by_subject ON subscriptions (subject, principal);
  CREATE INDEX late_subscriptions ON subscriptions (retry_at) WHERE retry_at IS NOT NULL;

  CREATE TABLE listeners (
    key TEXT PRIMARY KEY,
    arguments TEXT NOT NULL,
    leased_until INTEGER NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;`,
]
