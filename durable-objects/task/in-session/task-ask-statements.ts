/** The SQL statements of `tasks()` on the tables of a session, which deletes the rows when they expire. */
import type { WaitRow } from '../../run/run-statements.ts'
import type { TaskAskRow } from '../../session/schema.ts'
import type { SessionStorage } from '../../session/session-storage.ts'
import type { Statements } from '../../session/statements.ts'

export function taskAskStatements({ rows: { all, first, run, insert } }: Statements) {
  return {
    find: (id: string) => first<TaskAskRow>('SELECT * FROM task_asks WHERE id = ?', id),
    all: () => all<TaskAskRow>('SELECT * FROM task_asks'),
    ofTask: (task: string) => all<TaskAskRow>('SELECT * FROM task_asks WHERE task = ?', task),
    insert: (row: TaskAskRow) => insert('task_asks', row),
    saveSent: (id: string, stream: string, at: number) =>
      run('UPDATE task_asks SET stream_id = ?, sent_at = ? WHERE id = ?', stream, at, id),
    saveAnswered: (id: string, answered: boolean) =>
      run('UPDATE task_asks SET answered = ? WHERE id = ?', answered ? 1 : 0, id),
  }
}

/** What the runs of a session wait for that the end of a task ends, with the stream of each run. */
export function waitsForTask({ existing }: Pick<SessionStorage, 'existing'>, taskId: string) {
  return (
    existing?.rows.all<WaitRow & { stream_id: string }>(
      `SELECT waits.*, stream_id FROM waits JOIN runs ON runs.id = run_id
       WHERE kind = 'task' AND detail = ?`,
      taskId,
    ) ?? []
  )
}
