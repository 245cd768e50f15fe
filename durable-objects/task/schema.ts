/** A task's tables: row types and migrations. Times are epoch milliseconds. */
import type { StoredState } from '../run/run-state.ts'
import type { RunRow } from '../run/run-statements.ts'

/** The id of the only run of a task, in the rows of its object. */
export const TASK_RUN = '1'

/** The only row of the task: that of its run, whose caller is null when it is over. */
export type TaskRow = RunRow & {
  /** The task id as the client knows it. */
  task_id: string
  state: StoredState['name'] | FinalState
  /** The digest under which a `principals` object lists the task; null when it does not. */
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
  /** The `TaskAccess`, as JSON. */
  access: string
}

/** The state of a task that is over. */
export type FinalState = 'completed' | 'failed' | 'cancelled'

export function isFinalState(state: TaskRow['state']): state is FinalState {
  return state === 'completed' || state === 'failed' || state === 'cancelled'
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

/** The only row of the end of a task that its part in `task-end-part.ts` must report. Code without the part ignores it. */
export type EndRow = {
  /** The sealed record of the caller, as the row of the task had it. */
  caller: string
  ended_at: number
  attempts: number
  next_at: number
}

/** The only row of an inbox: the events of a call that is not a task. It has no row in `task`. */
export type InboxRow = {
  expires_at: number
  /** 1 when the call has ended. */
  is_over: 0 | 1
}

/** The columns of the tables that an object may lack: few tasks have rows in more than the journal. */
export const OPTIONAL_TABLES = {
  journal: `(
    run_id TEXT NOT NULL,
    key TEXT NOT NULL,
    kind TEXT NOT NULL,
    value TEXT,
    PRIMARY KEY (run_id, key)
  ) STRICT, WITHOUT ROWID`,
  waits: `(
    run_id TEXT NOT NULL,
    key TEXT NOT NULL,
    kind TEXT NOT NULL,
    wire_key TEXT,
    detail TEXT,
    until INTEGER,
    PRIMARY KEY (run_id, key)
  ) STRICT, WITHOUT ROWID`,
  parts: `(
    owner TEXT NOT NULL,
    part INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (owner, part)
  ) STRICT, WITHOUT ROWID`,
  followers: `(
    session TEXT PRIMARY KEY,
    follower TEXT NOT NULL,
    notified INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  job: `(
    id INTEGER PRIMARY KEY CHECK (id = 1),
    job_id TEXT,
    caller TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER NOT NULL
  ) STRICT`,
  ended: `(
    id INTEGER PRIMARY KEY CHECK (id = 1),
    caller TEXT NOT NULL,
    ended_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER NOT NULL
  ) STRICT`,
  inbox: `(
    id INTEGER PRIMARY KEY CHECK (id = 1),
    expires_at INTEGER NOT NULL,
    is_over INTEGER NOT NULL DEFAULT 0
  ) STRICT`,
} as const

/** Append-only: an existing object has applied the earlier ones. The first one alone creates the tables of a new object. */
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
    outcome TEXT,
    task_id TEXT NOT NULL,
    access TEXT NOT NULL,
    max_poll_interval_ms INTEGER NOT NULL
  ) STRICT`,
]
