/** The SQL statements on a task's tables, by name. */
import type { StoredState } from '../run/run-state.ts'
import { createRows } from '../sql-rows.ts'
import type {
  FinalState,
  FollowerRow,
  InboxRow,
  JobRow,
  JournalRow,
  TaskRow,
  WaitRow,
} from './schema.ts'

export type Statements = ReturnType<typeof createStatements>

type NewTask = Pick<
  TaskRow,
  | 'request'
  | 'task_id'
  | 'sent'
  | 'caller'
  | 'owner'
  | 'created_at'
  | 'ttl_ms'
  | 'poll_interval_ms'
  | 'max_poll_interval_ms'
  | 'access'
>

export function createStatements(sql: SqlStorage) {
  const { all, first, run: execute, insert: insertRow } = createRows(sql)
  /** The row of the task, read once until the next write. */
  let known: TaskRow | undefined
  const run: typeof execute = (...query) => {
    known = undefined
    return execute(...query)
  }
  const insert: typeof insertRow = (...row) => {
    known = undefined
    return insertRow(...row)
  }
  return {
    task: () => {
      known ??= first<TaskRow>('SELECT * FROM task')
      return known
    },
    /** A transaction has failed, so what it wrote was undone. */
    forgetTask: () => {
      known = undefined
    },
    insertTask: (task: NewTask) =>
      insert('task', { id: 1, state: 'running', updated_at: task.created_at, ...task }),
    saveState: ({ name, rounds, interruptions }: StoredState) =>
      run('UPDATE task SET state = ?, rounds = ?, interruptions = ?', name, rounds, interruptions),
    saveSent: (sent: string) => run('UPDATE task SET sent = ?', sent),
    /** Counts a change that the client can see. */
    saveChange: (message: string | null, at: number) =>
      run('UPDATE task SET status_message = ?, updated_at = ?, version = version + 1', message, at),
    saveWatch: (until: number) => run('UPDATE task SET watched_until = ?', until),
    takeAskNumber: () => {
      known = undefined
      const taken = 'UPDATE task SET next_ask = next_ask + 1 RETURNING next_ask - 1 AS number'
      return first<{ number: number }>(taken)?.number ?? 0
    },
    /** Keeps what the client may still ask for, and nothing else. */
    finish: (state: FinalState, outcome: string | null) => {
      run('UPDATE task SET state = ?, outcome = ?, caller = NULL', state, outcome)
      run('DELETE FROM journal')
      run('DELETE FROM waits')
      run("DELETE FROM parts WHERE owner <> 'outcome' AND owner <> 'request'")
    },

    journal: () => all<JournalRow>('SELECT * FROM journal'),
    entry: (key: string) => first<JournalRow>('SELECT * FROM journal WHERE key = ?', key),
    writeEntry: (row: JournalRow) => insert('journal', row, 'INSERT OR REPLACE'),
    deleteEntry: (key: string) => run('DELETE FROM journal WHERE key = ?', key),
    countFresh: () =>
      first<{ count: number }>("SELECT count(*) AS count FROM journal WHERE kind = 'fresh'")
        ?.count ?? 0,

    waits: () => all<WaitRow>('SELECT * FROM waits'),
    wait: (key: string) => first<WaitRow>('SELECT * FROM waits WHERE key = ?', key),
    insertWait: (row: WaitRow) => insert('waits', row, 'INSERT OR REPLACE'),
    deleteWait: (key: string) => run('DELETE FROM waits WHERE key = ?', key),
    deleteWaits: () => run('DELETE FROM waits'),
    dueWaits: (now: number) => all<WaitRow>('SELECT * FROM waits WHERE until <= ?', now),
    nextWake: () =>
      first<{ at: number | null }>('SELECT min(until) AS at FROM waits')?.at ?? undefined,

    followers: () => all<FollowerRow>('SELECT * FROM followers'),
    /** A session that follows already stays as it is. */
    insertFollower: (row: FollowerRow) => insert('followers', row, 'INSERT OR IGNORE'),
    saveNotified: (session: string, version: number) =>
      run('UPDATE followers SET notified = ? WHERE session = ?', version, session),
    deleteFollower: (session: string) => run('DELETE FROM followers WHERE session = ?', session),

    job: () => first<JobRow>('SELECT * FROM job'),
    insertJob: (row: Omit<JobRow, 'attempts'>) => insert('job', { id: 1, ...row }),
    saveJobAttempt: (attempts: number, nextAt: number) =>
      run('UPDATE job SET attempts = ?, next_at = ?', attempts, nextAt),
    deleteJob: () => run('DELETE FROM job'),

    inbox: () => first<InboxRow>('SELECT * FROM inbox'),
    /** An inbox that exists is open again, and never deleted earlier. */
    openInbox: (expiresAt: number) => {
      insert('inbox', { id: 1, expires_at: expiresAt }, 'INSERT OR IGNORE')
      run('UPDATE inbox SET is_over = 0, expires_at = max(expires_at, ?)', expiresAt)
    },
    closeInbox: () => run('UPDATE inbox SET is_over = 1'),

    insertPart: (owner: string, part: number, text: string) =>
      insert('parts', { owner, part, text }, 'INSERT OR REPLACE'),
    deleteParts: (owner: string) => run('DELETE FROM parts WHERE owner = ?', owner),
    parts: (owner: string) =>
      all<{ text: string }>('SELECT text FROM parts WHERE owner = ? ORDER BY part', owner).map(
        ({ text }) => text,
      ),
  }
}
