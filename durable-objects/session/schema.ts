/** A session's tables: row types and migrations. */
import type { StreamKind } from '../../src/ports/sessions.ts'
import { ENTRIES_TABLE } from '../entries/schema.ts'
import type { RunRow as StoredRunRow } from '../run/run-statements.ts'

/** Times are epoch milliseconds, sizes are UTF-16 code units. */
export type StreamRow = {
  id: string
  kind: StreamKind
  /** The number before the first event. */
  starts_at: number
  /** The number of the last pruned event; 0 before any was pruned. */
  pruned_to: number
  /** When the stream ended, and the size of its log at that time. */
  ended_at: number | null
  size: number
}

/**
 * How long an event stays in its log.
 * - `prunable`: a notification; deleted when the log is full.
 * - `always`: an ask, or the answer that ends a stream; deleted with the log.
 * - `timed`: an answer on a stream that does not end; deleted after the retention time.
 */
export const Retention = { prunable: 0, always: 1, timed: 2 } as const

export type Retention = (typeof Retention)[keyof typeof Retention]

export type EventRow = {
  /** The run that sent the event; null for any other. */
  run_id: string | null
  seq: number
  /** Null when the text is in parts. */
  data: string | null
  size: number
  retention: Retention
  at: number
}

/** A run that outlives the object's memory. */
export type RunRow = StoredRunRow & { id: string; stream_id: string; request_id: string }

/** An ask of a task, which this session sends to its client. */
export type TaskAskRow = {
  /** The id of the request to the client. */
  id: string
  /** The name of the task object. */
  task: string
  task_id: string
  /** Its key in the task. */
  key: string
  method: string
  /** The params as the task asks, as JSON; null when the text is in parts. */
  params: string | null
  /** The stream on which it was sent; null before it was. */
  stream_id: string | null
  sent_at: number | null
  /** 1 after the client has answered. */
  answered: number
  /** When the task ends. */
  expires_at: number
}

/** Applied in order, each once. Append only: existing objects have applied the earlier ones. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE streams (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    starts_at INTEGER NOT NULL,
    pruned_to INTEGER NOT NULL DEFAULT 0,
    ended_at INTEGER,
    size INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE events (
    stream_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    run_id TEXT,
    data TEXT,
    size INTEGER NOT NULL,
    retention INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (stream_id, seq)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    stream_id TEXT NOT NULL,
    request_id TEXT NOT NULL,
    request TEXT,
    state TEXT NOT NULL,
    interruptions INTEGER NOT NULL DEFAULT 0,
    rounds INTEGER NOT NULL DEFAULT 0,
    sent TEXT NOT NULL,
    caller TEXT
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE journal (
    run_id TEXT NOT NULL,
    key TEXT NOT NULL,
    kind TEXT NOT NULL,
    value TEXT,
    PRIMARY KEY (run_id, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE waits (
    run_id TEXT NOT NULL,
    key TEXT NOT NULL,
    kind TEXT NOT NULL,
    wire_key TEXT,
    detail TEXT,
    until INTEGER NOT NULL,
    PRIMARY KEY (run_id, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE subscriptions (uri TEXT PRIMARY KEY, spelling TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE elicitations (id TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE parts (
    owner TEXT NOT NULL,
    part INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (owner, part)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE task_asks (
    id TEXT PRIMARY KEY,
    task TEXT NOT NULL,
    task_id TEXT NOT NULL,
    key TEXT NOT NULL,
    method TEXT NOT NULL,
    params TEXT,
    stream_id TEXT,
    sent_at INTEGER,
    answered INTEGER NOT NULL DEFAULT 0,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  ${ENTRIES_TABLE}`,
]

/** The names of all tables. */
export const TABLES = [...MIGRATIONS.join('').matchAll(/CREATE TABLE (\w+)/g)].map(
  ([, name]) => name,
)
