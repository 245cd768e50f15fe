/**
 * The storage of an object with runs: the texts of their requests, and their journals. The same for sessions and
 * tasks; what the tables are called, and how texts in parts are named, is given by each.
 */
import type { JournalEntry } from '../../src/dispatch/journal/journal.ts'
import type { JsonObject, JsonValue } from '../../src/protocol/json.ts'
import { withoutSecretLines } from '../header-lines.ts'
import { ObjectStorage } from '../object-storage.ts'
import type { RunRequest } from './run.ts'
import type { AskResponse, RunState } from './run-state.ts'
import type { JournalKind, RunRow, RunStatements, WaitRow } from './run-statements.ts'

/** The owners of texts in parts. */
export interface PartOwners {
  readonly request: (runId: string) => string
  /** With `%` as the key, a LIKE pattern for the whole journal. */
  readonly entry: (runId: string, key: string) => string
}

export abstract class RunStorage<
  Statements extends RunStatements = RunStatements,
> extends ObjectStorage<Statements> {
  protected abstract readonly owners: PartOwners

  /** Returns the text for the row. Headers that may contain a credential are not stored. */
  writeRequest<Request extends RunRequest>(runId: string, request: Request): string | null {
    const text = JSON.stringify({ ...request, headers: withoutSecretLines(request.headers) })
    return this.write(this.owners.request(runId), text)
  }

  readRequestOf<Request extends RunRequest>(runId: string, text: string | null): Request {
    return JSON.parse(this.read(this.owners.request(runId), text)) as Request
  }

  writeEntry(runId: string, key: string, kind: JournalKind, value: JsonValue): void {
    const text = this.replace(this.owners.entry(runId, key), JSON.stringify(value))
    this.statements.writeEntry(runId, { key, kind, value: text })
  }

  writeJournal(runId: string, entries: Iterable<readonly [string, JournalEntry]>): void {
    for (const [key, { kind, value }] of entries) this.writeEntry(runId, key, kind, value)
  }

  dropEntry(runId: string, key: string): void {
    this.statements.deleteParts(this.owners.entry(runId, key))
    this.statements.deleteEntry(runId, key)
  }

  /** The value of an entry of a journal; undefined without one. */
  readEntry(runId: string, key: string): JsonValue | undefined {
    const entry = this.existing?.entry(runId, key)
    return entry && JSON.parse(this.read(this.owners.entry(runId, key), entry.value))
  }

  /**
   * The values of the wanted kinds of a journal by key, in one pass over its rows. Other rows are not parsed: a
   * kind of a newer version has no meaning here.
   */
  readEntries<Kind extends JournalKind>(
    runId: string,
    wanted: readonly Kind[],
  ): Readonly<Record<Kind, JsonObject>> {
    // Without a prototype, because a key may be the name of a member of `Object.prototype`.
    const entries = Object.fromEntries(wanted.map((kind) => [kind, Object.create(null)]))
    for (const { key, kind, value } of this.statements.journal(runId)) {
      if (!Object.hasOwn(entries, kind)) continue
      entries[kind][key] = JSON.parse(this.read(this.owners.entry(runId, key), value))
    }
    return entries as Record<Kind, JsonObject>
  }

  /** Writes a response to the journal, and closes what it answers. */
  record(runId: string, key: string, { kind, value }: AskResponse): void {
    this.statements.deleteWait(runId, key)
    this.writeEntry(runId, key, kind, value)
  }

  /** Deletes the journal of a run and what it waits for. */
  deleteJournal(runId: string): void {
    const { statements } = this
    statements.deletePartsLike(this.owners.entry(runId, '%'))
    statements.deleteJournal(runId)
    statements.deleteWaits(runId)
  }
}

/**
 * The state that a row says. A row is read only when no handler of its run is in memory.
 *
 * @param expiresAt of a run that waits, in epoch milliseconds
 */
export function readState(
  { state: name, rounds, interruptions }: RunRow,
  waits: readonly WaitRow[],
  expiresAt: number,
): RunState {
  switch (name) {
    case 'running':
      return { name: 'interrupted', rounds, interruptions }
    case 'ready':
      return { name, rounds, interruptions, wasInterrupted: true }
    case 'waiting': {
      const openAsks = waits.map(({ key }) => key)
      return { name, rounds, interruptions, openAsks, expiresAt }
    }
    default:
      return { name: name === 'cancelled' ? name : 'answered' }
  }
}
