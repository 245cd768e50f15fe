/** What the objects of a fixture server have stored in its state directory. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { PersistentServer } from '../../faults/sessions/persistent-server.ts'

const OBJECTS = 'do/edgeway-fixture-McpObjects'

/** The database of the platform that stores the alarm of each object. */
const ALARMS = 'metadata.sqlite'

/** A server whose files a test can read. */
type Stored = Pick<PersistentServer, 'directory'>

/** Counts the rows of all objects in the given tables. */
export function countRows({ directory }: Stored, ...tables: readonly string[]): number {
  let rows = 0
  for (const file of filesOf(directory).filter((name) => name !== ALARMS)) {
    rows += read(join(directory, OBJECTS, file), (database) =>
      tables.reduce((sum, table) => sum + countOf(database, table), 0),
    )
  }
  return rows
}

/** The times of all alarms in epoch milliseconds, but those of objects that store what no session does. */
export function alarmsOf({ directory }: Stored): number[] {
  const alarms = read(join(directory, OBJECTS, ALARMS), (database) =>
    database
      .prepare(
        'SELECT actor_id AS id, CAST(scheduled_time / 1000000 AS INTEGER) AS at FROM _cf_ALARM',
      )
      .all(),
  )
  const isOther = (id: unknown) =>
    read(join(directory, OBJECTS, `${id}.sqlite`), (database) => {
      const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
      const own = tables.map(({ name }) => String(name)).filter((name) => !name.startsWith('_cf_'))
      return own.length > 0 && !own.includes('streams')
    })
  return alarms.filter(({ id }) => !isOther(id)).map(({ at }) => Number(at))
}

function filesOf(directory: string): string[] {
  return readdirSync(join(directory, OBJECTS)).filter((name) => name.endsWith('.sqlite'))
}

function read<T>(path: string, query: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 1000 })
  try {
    return query(database)
  } finally {
    database.close()
  }
}

function countOf(database: DatabaseSync, table: string): number {
  const exists = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
  if (exists.get(table) === undefined) return 0
  return Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count)
}
