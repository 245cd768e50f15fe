/** The rows of a task with a job, as a test reads and changes them. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { jobObjectOf } from '../../support/job-server.ts'
import { tableNames } from './table-names.ts'

type Row = Record<string, SqlStorageValue>

export async function rowsOf<T extends Row>(
  taskId: string,
  query: string,
  ...values: SqlStorageValue[]
): Promise<T[]> {
  return runInDurableObject(await jobObjectOf(taskId), (_, { storage }) =>
    storage.sql.exec<T>(query, ...values).toArray(),
  )
}

/** The cancellation of the job that is planned; undefined without one. */
export async function plannedCancellation(taskId: string) {
  const names = await runInDurableObject(await jobObjectOf(taskId), (_, { storage }) =>
    tableNames(storage.sql),
  )
  if (!names.includes('job')) return undefined
  const [row] = await rowsOf<{ job_id: string | null; attempts: number; next_at: number }>(
    taskId,
    'SELECT * FROM job',
  )
  return row
}

/** Runs the alarm now, whenever it is due. */
export async function runAlarm(taskId: string): Promise<void> {
  await runDurableObjectAlarm(await jobObjectOf(taskId))
}

/** Milliseconds until the status is asked for again; undefined while a handler runs. */
export async function pauseOf(taskId: string): Promise<number | undefined> {
  const [row] = await rowsOf<{ until: number }>(
    taskId,
    "SELECT until FROM waits WHERE key = 'job:pause'",
  )
  return row && row.until - Date.now()
}

/** Ends the pause at once. */
export async function endPause(taskId: string): Promise<void> {
  await rowsOf(taskId, "UPDATE waits SET until = 0 WHERE key = 'job:pause'")
  await runAlarm(taskId)
}

/** Lets the job have been started so long ago. */
export async function age(taskId: string, milliseconds: number): Promise<void> {
  await rowsOf(
    taskId,
    "UPDATE journal SET value = json_set(value, '$.startedAt', ?) WHERE key = 'job:record'",
    Date.now() - milliseconds,
  )
}

/** Ends the object at once, as a kill of its process does. */
export async function kill(taskId: string): Promise<void> {
  const stub = await jobObjectOf(taskId)
  await runInDurableObject(stub, (_, ctx) => ctx.abort('killed')).catch(() => undefined)
}
