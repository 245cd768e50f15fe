/** What the objects of a class have left on disk. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export interface Stored {
  /** Objects that were ever instantiated: workerd makes a database for each, used or not. */
  readonly objects: number
  /** Rows of every table, schema and alarms, which are what a write can leave. */
  readonly rows: number
  /** Bytes beyond those of databases in which nothing was ever written. */
  readonly bytes: number
}

/** workerd's own, one for each class: the alarms that are set. */
const METADATA = 'metadata.sqlite'

/** An object that has written nothing has the header of its database, and an empty journal. */
const UNUSED_BYTES = 4096

/** Reads the databases of a class; the server that made them must have ended. */
export function storedBy(storage: string, className: string): Stored {
  const folder = join(storage, className)
  const files = readdirSync(folder)
  const databases = files.filter((file) => file.endsWith('.sqlite') && file !== METADATA)
  const journals = databases.map((name) => `${name}-wal`).filter((name) => files.includes(name))
  const bytes = (names: readonly string[]) =>
    names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  // Before the databases are opened: closing one may clear its journal.
  const used = bytes(databases) + bytes(journals) - databases.length * UNUSED_BYTES
  const rows = databases.reduce((sum, name) => sum + countRows(join(folder, name)), 0)
  return {
    objects: databases.length,
    rows: rows + countAlarms(join(folder, METADATA)),
    bytes: used,
  }
}

function countRows(file: string): number {
  using database = new DatabaseSync(file, { readOnly: true })
  const schema = database.prepare('SELECT name, type FROM sqlite_schema').all()
  return schema
    .filter(({ type }) => type === 'table')
    .reduce((sum, { name }) => sum + countOf(database, String(name)), schema.length)
}

function countAlarms(file: string): number {
  using database = new DatabaseSync(file, { readOnly: true })
  return countOf(database, '_cf_ALARM')
}

function countOf(database: DatabaseSync, table: string): number {
  return Number(database.prepare(`SELECT count(*) AS rows FROM "${table}"`).get()?.rows)
}
