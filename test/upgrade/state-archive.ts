/** The state directory of a server as a value: its SQLite databases, compacted. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The content of each database in hexadecimal, by its path. */
export type Archive = Readonly<Record<string, string>>

/** The Durable Objects in a state directory, beside a cache that servers without one create. */
const OBJECTS = 'do'

/** Packs the state that a killed server has left. Compacts its databases in place. */
export function packState(directory: string): Archive {
  const databases = readdirSync(join(directory, OBJECTS), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.sqlite'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  return Object.fromEntries(
    databases.map((database) => {
      compact(database)
      return [relative(directory, database), readFileSync(database, 'hex')]
    }),
  )
}

export function unpackState(archive: Archive, directory: string): void {
  for (const [name, content] of Object.entries(archive)) {
    const database = join(directory, name)
    mkdirSync(dirname(database), { recursive: true })
    writeFileSync(database, content, 'hex')
  }
}

/** Moves the write-ahead log of a killed process into its database, and removes unused pages. */
function compact(path: string): void {
  const database = new DatabaseSync(path)
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    database.exec('VACUUM')
    database.exec('PRAGMA journal_mode = DELETE')
  } finally {
    database.close()
  }
}
