/**
 * State: JSON values by name, in entries. Each principal has its own entries, in an object of its own;
 * each session has some too, which end with it.
 */

/** What an entry becomes. Plain data: it crosses an RPC. */
export interface EntryWrite {
  /** JSON text. */
  readonly value: string
  /** Digest of the value. Equal values have equal digests. */
  readonly digest: string
  /**
   * Identifies the operation. One that is repeated after an interruption has its result again, without a
   * second effect, as long as no other operation has written the entry.
   */
  readonly operation: string
  /** Whether the entry must exist. Otherwise it is created. */
  readonly mustExist: boolean
  /** The digest that the value before must have; undefined for any. */
  readonly expected: string | undefined
  /** Milliseconds from now on until the entry expires; undefined leaves that as it is. */
  readonly lifetimeMs: number | undefined
  /** Entries at the same time. */
  readonly limit: number
}

/**
 * - `absent`: the entry does not exist.
 * - `changed`: its value is not the expected one.
 * - `full`: there are as many entries as the limit.
 */
export type EntryWritten = 'written' | 'absent' | 'changed' | 'full'

/** The entries of one owner. */
export interface StateEntries {
  /** Returns JSON text; undefined when there is no entry, or it has expired. */
  read(name: string): Promise<string | undefined>
  write(name: string, write: EntryWrite): Promise<EntryWritten>
  /** False when there was no entry. */
  delete(name: string, operation: string): Promise<boolean>
}

export interface StateStore {
  /** @param owner the digest of a principal, of a network or of an operation */
  of(owner: string): StateEntries
  /** Deletes all entries of an owner. False when there were none. */
  erase(owner: string): Promise<boolean>
}
