/** A session's tables: row types and migrations. */
import type { StreamKind } from '../../src/ports/sessions.ts'

/**
 * Times are epoch ms. `starts_at` is the number before the first event; `pruned_to` the last event that
 * is gone though the stream is not.
 */
export type StreamRow = {
  id: string
  kind: StreamKind
  starts_at: number
  pruned_to: number
  /** When it ended, and the size of what was left of it then. */
  ended_at: number | null
  size: number
}

/**
 * How long an event is kept: a notification is pruned when there are too many; an answer on a stream
 * that does not end goes with time; a question, and the answer that ends a stream, stay.
 */
export const Retention = { prunable: 0, always: 1, timed: 2 } as const

export type Retention = (typeof Retention)[keyof typeof Retention]

/** `data` is null where the text is in parts; `run_id` is the run that sent it, if one did. */
export type EventRow = {
  run_id: string | null
  seq: number
  data: string | null
  size: number
  retention: Retention
  at: number
}

/** One request that has outlived its first moment. The texts are JSON. */
export type RunRow = {
  id: string
  stream_id: string
  request_id: string
  /** Null where the text is in parts. */
  request: string | null
  state: 'running' | 'waiting'
  /** How often it was cut off, and how often it has asked. */
  interruptions: number
  rounds: number
  /** The `SentRecord` of the earlier rounds. */
  sent: string
}

/** `fresh` is an answer that no run has looked at yet. */
export type JournalRow = { key: string; kind: JournalKind; value: string | null }
export type JournalKind = 'answer' | 'step' | 'refusal' | 'fresh'

export type AskRow = { id: string; run_id: string; key: string; method: string; expires_at: number }

export const TABLES = [
  'settings',
  'streams',
  'events',
  'runs',
  'journal',
  'asks',
  'subscriptions',
  'elicitations',
  'parts',
] as const

/** Applied in order, each once. Append only: an object that exists has run the earlier ones. */
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
    sent TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE journal (
    run_id TEXT NOT NULL,
    key TEXT NOT NULL,
    kind TEXT NOT NULL,
    value TEXT,
    PRIMARY KEY (run_id, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE asks (
    id TEXT PRIMARY KEY,
    run_id TEXT NOT NULL,
    key TEXT NOT NULL,
    method TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE subscriptions (uri TEXT PRIMARY KEY, spelling TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE elicitations (id TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE parts (
    owner TEXT NOT NULL,
    part INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (owner, part)
  ) STRICT, WITHOUT ROWID;`,
]
