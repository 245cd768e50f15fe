/** What a server has on disk of its sessions, read beside it while it runs. */
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type FixtureServer, startFixtureServer } from '../../support/node/fixture-server.ts'

const OBJECTS = 'do/edgeway-fixture-McpSession'

/** The platform's own: when each object is to be woken. */
const ALARMS = 'metadata.sqlite'

export interface KeptServer extends FixtureServer {
  /** Where it keeps its state. */
  readonly directory: string
}

/** A server whose files can be looked at; they go when it stops. */
export async function startKeptServer(options: { readonly short: boolean }): Promise<KeptServer> {
  const directory = await mkdtemp(join(tmpdir(), 'edgeway-attacked-'))
  const server = await startFixtureServer({ ...options, state: directory })
  return {
    ...server,
    directory,
    stop: async () => {
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Rows of all sessions together in the tables that grow with what a session does. */
export function countRows({ directory }: KeptServer, ...tables: readonly string[]): number {
  let rows = 0
  for (const file of filesOf(directory).filter((name) => name !== ALARMS)) {
    rows += read(join(directory, OBJECTS, file), (database) =>
      tables.reduce((sum, table) => sum + countOf(database, table), 0),
    )
  }
  return rows
}

/** When sessions are to be woken, in epoch milliseconds. */
export function alarmsOf({ directory }: KeptServer): number[] {
  return read(join(directory, OBJECTS, ALARMS), (database) =>
    database
      .prepare('SELECT CAST(scheduled_time / 1000000 AS INTEGER) AS at FROM _cf_ALARM')
      .all()
      .map(({ at }) => Number(at)),
  )
}

function filesOf(directory: string): string[] {
  return readdirSync(join(directory, OBJECTS)).filter((name) => name.endsWith('.sqlite'))
}

function read<T>(path: string, look: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 1000 })
  try {
    return look(database)
  } finally {
    database.close()
  }
}

function countOf(database: DatabaseSync, table: string): number {
  const exists = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
  if (exists.get(table) === undefined) return 0
  return Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count)
}
