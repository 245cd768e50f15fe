/**
 * Reads and writes the entries of one object. Each operation is one synchronous step.
 *
 * `expected` is a value and not a version: a version would be a second result of every tool that passes it on. Each row
 * names the operation that wrote it, so a repeated operation has no second effect; the row of a deleted entry stays for
 * ten minutes for this.
 */
import type { EntryWrite, EntryWritten } from '../../src/ports/state-store.ts'
import type { LazyStatements } from '../tables.ts'
import type { EntryRow, EntryStatements } from './schema.ts'

/**
 * Longest time between the creation of an entry that expires and its end. A handle is a seal, and the
 * keyring opens a seal for 90 days.
 */
const MAX_LIFETIME_MS = 89 * 24 * 60 * 60 * 1000

/** How long the row of a deleted entry is kept. An interrupted run repeats its operation within minutes. */
const DELETED_MS = 10 * 60 * 1000

type LiveRow = EntryRow & { value: string }

export class Entries {
  readonly #storage: LazyStatements<EntryStatements>

  constructor(storage: LazyStatements<EntryStatements>) {
    this.#storage = storage
  }

  get isEmpty(): boolean {
    return (this.#storage.existing?.countEntries() ?? 0) === 0
  }

  read(name: string): string | undefined {
    return live(this.#storage.existing?.entry(name), Date.now())?.value
  }

  write(name: string, write: EntryWrite): EntryWritten {
    if (write.mustExist && this.#storage.existing === undefined) return 'absent'
    const { value, digest, operation, mustExist, expected, lifetimeMs, limit } = write
    const { entry, saveEntry, deleteExpired, countEntries } = this.#storage.statements
    const now = Date.now()
    const row = entry(name)
    if (row?.operation === operation) return 'written'
    const before = live(row, now)
    if (before === undefined) {
      if (mustExist) return 'absent'
      deleteExpired(now)
      if (countEntries() >= limit) return 'full'
    } else if (expected !== undefined && before.digest !== expected) {
      return 'changed'
    }
    const created_at = before?.created_at ?? now
    const expires_at =
      lifetimeMs === undefined
        ? (before?.expires_at ?? null)
        : Math.min(now + lifetimeMs, created_at + MAX_LIFETIME_MS)
    saveEntry({ name, value, digest, operation, created_at, expires_at })
    return 'written'
  }

  delete(name: string, operation: string): boolean {
    const { existing } = this.#storage
    const row = existing?.entry(name)
    if (existing === undefined || row === undefined) return false
    const now = Date.now()
    if (live(row, now) === undefined) return row.operation === operation
    existing.saveEntry({ ...row, value: null, operation, expires_at: now + DELETED_MS })
    return true
  }
}

/** The row of an entry that has a value and has not expired. */
function live(row: EntryRow | undefined, now: number): LiveRow | undefined {
  if (row === undefined || row.value === null) return undefined
  if (row.expires_at !== null && row.expires_at <= now) return undefined
  return { ...row, value: row.value }
}
