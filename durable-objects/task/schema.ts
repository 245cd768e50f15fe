/** A task's tables: row types and migrations. Times are epoch milliseconds. */
import type { EntryKind } from '../../src/dispatch/journal/journal.ts'
import type { Wait } from '../../src/dispatch/journal/wait.ts'

/** The only row of the task. The texts are JSON. */
export type TaskRow = {
  /** The `TaskRequest`; null when the text is in parts. */
  request: string | null
  /** The task id as the client knows it; null in a row of an earlier version, whose request has it. */
  task_id: string | null
  state: 'running' | 'waiting' | 'ready' | 'completed' | 'failed' | 'cancelled'
  rounds: number
  interruptions: number
  /** The `SentRecord` of the earlier rounds. */
  sent: string
  /** The sealed record of the caller; null on a server without authorization, and of a task that is over. */
  caller: string | null
  /** The digest under which a shard of the keyring lists the task; null when it does not, and in a row of some earlier versions. */
  owner: string | null
  status_message: string | null
  created_at: number
  updated_at: number
  ttl_ms: number
  /** How often a client asks for the state while a handler runs. */
  poll_interval_ms: number
  /** The longest time between two requests for the state while the task waits for more than a time. */
  max_poll_interval_ms: number
  version: number
  /** Until when changes are published to listeners; 0: there is no listener. */
  watched_until: number
  /** The number that the next ask has in its key on the wire. */
  next_ask: number
  /** The result or the error of a task that is over; null when there is none, or the text is in parts. */
  outcome: string | null
  /** The `TaskAccess`, as JSON; null in a row of an earlier version, whose request names the tool. */
  access: string | null
}

/** The state of a task that is over. */
export type FinalState = Extract<TaskRow['state'], 'completed' | 'failed' | 'cancelled'>

export function isFinalState(state: TaskRow['state']): state is FinalState {
  return state === 'completed' || state === 'failed' || state === 'cancelled'
}

/** `fresh` is an answer, a wake-up or an event that no handler has read yet. The value is null when the text is in parts. */
export type JournalRow = { key: string; kind: EntryKind | 'fresh'; value: string | null }

/** An open ask of the client, a sleep, or a wait for an event. */
export type WaitRow = {
  key: string
  kind: 'ask' | Wait['kind']
  /** The key on the wire, which no other ask of this task ever has; null for a wait. */
  wire_key: string | null
  /** The request of an ask, the schema of an event; null for a sleep. JSON. */
  detail: string | null
  /** When a sleep ends, or an event is not waited for any more. */
  until: number | null
}

/** A session that receives the changes of the task. */
export type FollowerRow = {
  /** The name of the session object. */
  session: string
  /** The `TaskFollower`. JSON. */
  follower: string
  /** The version of the task that the session has received last; 0 for none. */
  notified: number
}

/** The only row of a job that must be cancelled, because its task has ended before it. */
export type JobRow = {
  /** What `start` returned; null when it has not returned. */
  job_id: string | null
  /** The sealed record of the caller, as in the row of the task. */
  caller: string | null
  attempts: number
  next_at: number
}

/** The only row of an inbox: the events of a call that is not a task. It has no row in `task`. */
export type InboxRow = {
  expires_at: number
  /** 1 when the call has ended. */
  is_over: 0 | 1
}

/** Applied in order, each once. Append only: existing objects have applied the earlier ones. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE task (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    request TEXT,
    state TEXT NOT NULL,
    rounds INTEGER NOT NULL DEFAULT 0,
    interruptions INTEGER NOT NULL DEFAULT 0,
    sent TEXT NOT NULL,
    caller TEXT,
    owner TEXT,
    status_message TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ttl_ms INTEGER NOT NULL,
    poll_interval_ms INTEGER NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    watched_until INTEGER NOT NULL DEFAULT 0,
    next_ask INTEGER NOT NULL DEFAULT 1,
    outcome TEXT
  ) STRICT;

  CREATE TABLE journal (key TEXT PRIMARY KEY, kind TEXT NOT NULL, value TEXT) STRICT, WITHOUT ROWID;

  CREATE TABLE waits (
    key TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    wire_key TEXT,
    detail TEXT,
    until INTEGER
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE parts (
    owner TEXT NOT NULL,
    part INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (owner, part)
  ) STRICT, WITHOUT ROWID;`,

  `ALTER TABLE task ADD COLUMN task_id TEXT;

  CREATE TABLE followers (
    session TEXT PRIMARY KEY,
    follower TEXT NOT NULL,
    notified INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;`,

  `CREATE TABLE job (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    job_id TEXT,
    caller TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER NOT NULL
  ) STRICT;`,

  'ALTER TABLE task ADD COLUMN access TEXT;',
  `CREATE TABLE inbox (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    expires_at INTEGER NOT NULL,
    is_over INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  ALTER TABLE task ADD COLUMN max_poll_interval_ms INTEGER NOT NULL DEFAULT 30000;`,
]
