/** Counts what a session object has in storage. */
import { runInDurableObject } from 'cloudflare:test'
import type { SessionClient } from '../../support/session-client.ts'

export interface Stored {
  /** Rows by table, without empty tables and those of the platform. */
  readonly rows: Readonly<Record<string, number>>
  readonly tables: number
  readonly alarm: number | null
}

export const NOTHING: Stored = { rows: {}, tables: 0, alarm: null }

export async function storedBy(session: SessionClient): Promise<Stored> {
  return runInDurableObject(await session.stub(), async (_, { storage }) => {
    const names = storage.sql
      .exec<{ name: string }>(
        `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'`,
      )
      .toArray()
      .map(({ name }) => name)
    const counts = names.map((name) => {
      const query = `SELECT count(*) AS rows FROM ${name}`
      return [name, storage.sql.exec<{ rows: number }>(query).one().rows] as const
    })
    return {
      rows: Object.fromEntries(counts.filter(([, rows]) => rows > 0)),
      tables: names.length,
      alarm: await storage.getAlarm(),
    }
  })
}
