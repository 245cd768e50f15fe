/** Stores deleted notes until they are restored or expire. */
import {
  BIN_TTL_MS,
  type BinnedNote,
  LIMITS,
  type NoteInfo,
  type NoteList,
  type Page,
} from '../note.ts'
import { NotebookError } from '../outcome.ts'
import type { Notes } from './notes.ts'
import { toBinnedNote } from './rows.ts'
import { joinSegments, segment } from './segment.ts'
import type { Statements } from './statements.ts'

export class Bin {
  readonly #statements: Statements
  readonly #notes: Notes
  readonly #now: () => number

  constructor(statements: Statements, notes: Notes, now: () => number) {
    this.#statements = statements
    this.#notes = notes
    this.#now = now
  }

  /**
   * Moves a note into the bin. A full bin drops its oldest note.
   *
   * @param revision the revision that the note must have; undefined accepts every revision
   * @throws {NotebookError} not-found, changed-meanwhile
   */
  put(id: string, revision?: number): BinnedNote {
    const { body: _, ...note } = this.#notes.read(id)
    if (revision !== undefined && revision !== note.revision) {
      throw new NotebookError({ code: 'changed-meanwhile', id })
    }
    const expiresAt = this.#now() + BIN_TTL_MS
    this.#statements.moveToBin(id, expiresAt)
    this.#statements.trimBin(LIMITS.binnedNotes)
    return { ...note, expiresAt }
  }

  /**
   * Restores the most recently deleted note with this id. If another note uses the id or the title
   * by now, the restored note gets a numbered one.
   *
   * @throws {NotebookError} not-in-bin, notebook-full
   */
  restore(id: string): NoteInfo {
    this.purge()
    const row = this.#statements.binnedById(id)
    if (row === undefined) throw new NotebookError({ code: 'not-in-bin', id })
    const { expires_at: _, number, ...note } = row
    this.#statements.deleteBinned(number)
    return this.#notes.insert({
      ...note,
      id: this.#notes.freeId(note.id),
      title: segment(this.#notes.freeTitle(joinSegments(note.title))),
      revision: note.revision + 1,
      updated_at: this.#now(),
    })
  }

  /** Lists the notes that can be restored, the most recently deleted first. */
  list({ limit, offset }: Page): NoteList<BinnedNote> {
    this.purge()
    return {
      notes: this.#statements.listBin(limit, offset).map(toBinnedNote),
      total: this.#statements.countBin(),
    }
  }

  /** Drops the notes that have expired. */
  purge(): void {
    this.#statements.deleteExpired(this.#now())
  }

  /** Returns the time of the next expiry in milliseconds since the epoch; undefined for an empty bin. */
  nextPurge(): number | undefined {
    return this.#statements.nextExpiry()
  }
}
