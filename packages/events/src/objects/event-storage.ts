/** What both kinds of event objects store with: their tables, and one alarm. */
import { EarliestAlarm, Tables } from '../../../../src/internal.ts'

export interface EventStorage<Statements> {
  readonly state: DurableObjectState
  readonly tables: Tables<Statements>
  readonly alarm: EarliestAlarm
}

/** Call it in the constructor of the object: its alarm is read from storage. */
export function createEventStorage<Statements>(
  state: DurableObjectState,
  migrations: readonly string[],
  createStatements: (sql: SqlStorage) => Statements,
): EventStorage<Statements> {
  const tables = new Tables(state.storage, migrations, createStatements)
  return { state, tables, alarm: new EarliestAlarm(state, tables.existing !== undefined) }
}

export function storedBytes({ state }: Pick<EventStorage<unknown>, 'state'>): number {
  return state.storage.sql.databaseSize
}
