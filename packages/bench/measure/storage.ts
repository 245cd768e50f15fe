/** Counts what the objects of a class have stored on disk. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export interface Stored {
  /** Objects that were instantiated: workerd creates a database for each, used or not. */
  readonly objects: number
  /** Rows of every table, entries of the schema, and alarms. */
  readonly rows: number
  /** Bytes in excess of databases that were never written. */
  readonly bytes: number
}

/** workerd's own database of each class, which holds the alarms. */
const METADATA = 'metadata.sqlite'

/** An unused database has a header and an empty write-ahead log. */
const UNUSED_BYTES = 4096

/** Reads the databases of a class. The server that wrote them must have ended. */
export function readStorage(storage: string, className: string): Stored {
  const folder = join(storage, className)
  const files = readdirSync(folder)
  const databases = files.filter((file) => file.endsWith('.sqlite') && file !== METADATA)
  const logs = databases.map((name) => `${name}-wal`).filter((name) => files.includes(name))
  const bytes = (names: readonly string[]) =>
    names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  // Measured before the databases are opened, because closing one may truncate its log.
  const used = bytes(databases) + bytes(logs) - databases.length * UNUSED_BYTES
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
