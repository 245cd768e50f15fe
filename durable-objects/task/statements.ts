/** The SQL statements on a task's tables, by name. */
import { createOptionalRows } from '../optional-tables.ts'
import { createRunStatements } from '../run/run-statements.ts'
import { createRows, insertText, type Rows } from '../sql-rows.ts'
import {
  type EndRow,
  type FollowerRow,
  type InboxRow,
  type JobRow,
  OPTIONAL_TABLES,
  type TaskRow,
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

export function createStatements(sql: SqlStorage, isNew: boolean) {
  /** The row of the task, read once until the next write of it. */
  let known: TaskRow | undefined
  const forget = () => {
    known = undefined
  }
  const rows = createRows(sql, forget)
  const optional = createOptionalRows(sql, createRows(sql), OPTIONAL_TABLES, isNew)
  return {
    ...createRunStatements({
      runs: 'task',
      rows,
      journal: optional('journal'),
      waits: optional('waits'),
      parts: optional('parts'),
    }),
    task: () => {
      known ??= rows.first<TaskRow>('SELECT * FROM task')
      return known
    },
    insertTask: (task: NewTask) => {
      const row = { id: 1, state: 'running', updated_at: task.created_at, ...task }
      known = rows.first<TaskRow>(`${insertText('task', row)} RETURNING *`, ...Object.values(row))
    },
    saveAccess: (access: string) => rows.run('UPDATE task SET access = ?', access),
    takeAskNumber: () => {
      forget()
      const taken = 'UPDATE task SET next_ask = next_ask + 1 RETURNING next_ask - 1 AS number'
      return rows.first<{ number: number }>(taken)?.number ?? 0
    },
    ...followerStatements(optional('followers')),
    ...jobStatements(optional('job')),
    ...endStatements(optional('ended')),
    ...inboxStatements(optional('inbox')),
  }
}

function followerStatements({ all, insert, run }: Rows) {
  return {
    followers: () => all<FollowerRow>('SELECT * FROM followers'),
    /** A session that follows already stays as it is. */
    insertFollower: (row: FollowerRow) => insert('followers', row, 'INSERT OR IGNORE'),
    saveNotified: (session: string, version: number) =>
      run('UPDATE followers SET notified = ? WHERE session = ?', version, session),
    deleteFollower: (session: string) => run('DELETE FROM followers WHERE session = ?', session),
  }
}

function jobStatements({ first, insert, run }: Rows) {
  return {
    job: () => first<JobRow>('SELECT * FROM job'),
    insertJob: (row: Omit<JobRow, 'attempts'>) => insert('job', { id: 1, ...row }),
    saveJobAttempt: (attempts: number, nextAt: number) =>
      run('UPDATE job SET attempts = ?, next_at = ?', attempts, nextAt),
    deleteJob: () => run('DELETE FROM job'),
  }
}

function endStatements({ first, insert, run }: Rows) {
  return {
    end: () => first<EndRow>('SELECT * FROM ended'),
    insertEnd: (row: Omit<EndRow, 'attempts'>) =>
      insert('ended', { id: 1, ...row }, 'INSERT OR IGNORE'),
    saveEndAttempt: (attempts: number, nextAt: number) =>
      run('UPDATE ended SET attempts = ?, next_at = ?', attempts, nextAt),
    deleteEnd: () => run('DELETE FROM ended'),
  }
}

function inboxStatements({ first, insert, run }: Rows) {
  return {
    inbox: () => first<InboxRow>('SELECT * FROM inbox'),
    /** An inbox that exists is open again, and never deleted earlier. */
    openInbox: (expires_at: number) => {
      insert('inbox', { id: 1, expires_at }, 'INSERT OR IGNORE')
      run('UPDATE inbox SET is_over = 0, expires_at = max(expires_at, ?)', expires_at)
    },
    closeInbox: () => run('UPDATE inbox SET is_over = 1'),
  }
}
