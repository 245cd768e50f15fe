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

/**
 * Reads the databases of a class. The server that wrote them must have ended.
 *
 * @param table counts only the objects that have this table
 */
export function readStorage(storage: string, className: string, table?: string): Stored {
  const folder = join(storage, className)
  // Measured before the databases are opened, because closing one may truncate its log.
  const sizes = new Map(
    readdirSync(folder).map((file) => [file, statSync(join(folder, file)).size]),
  )
  const size = (file: string) => sizes.get(file) ?? 0
  const databases = [...sizes.keys()].filter(
    (file) =>
      file.endsWith('.sqlite') &&
      file !== METADATA &&
      (table === undefined || hasTable(join(folder, file), table)),
  )
  const used = databases.reduce((sum, name) => sum + size(name) + size(`${name}-wal`), 0)
  const rows = databases.reduce((sum, name) => sum + countRows(join(folder, name)), 0)
  return {
    objects: databases.length,
    rows: rows + countAlarms(join(folder, METADATA)),
    bytes: used - databases.length * UNUSED_BYTES,
  }
}

function hasTable(file: string, table: string): boolean {
  using database = new DatabaseSync(file, { readOnly: true })
  const found = database.prepare('SELECT name FROM sqlite_schema WHERE name = ?').get(table)
  return found !== undefined
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
