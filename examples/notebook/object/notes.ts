/** Writes, imports, deletes and restores notes. The methods run inside the object's transaction. */
import {
  BIN_TTL_MS,
  type BinnedNote,
  type Fault,
  LIMITS,
  type Note,
  NotebookError,
  type NoteInfo,
  type NoteList,
  type Page,
} from '../note.ts'
import { createSearchExpression } from './find.ts'
import { type NoteRow, toBinnedNote, toNote, toNoteInfo } from './schema.ts'
import type { Statements } from './statements.ts'
import {
  checkId,
  checkTitle,
  cleanText,
  cutText,
  firstFree,
  joinSegments,
  normalizeTags,
  segment,
  slugOf,
  titleKeyOf,
} from './text.ts'

export interface NoteDraft {
  /** Id of the note to replace or to create. Without it, a new note gets an id derived from its title. */
  readonly id?: string | undefined
  readonly title: string
  readonly body: string
  /** Without it, a replaced note keeps its tags. */
  readonly tags?: readonly string[] | undefined
  /** The revision that the note must have. Another revision is a conflict. */
  readonly expectedRevision?: number | undefined
}

export interface WriteResult {
  readonly note: NoteInfo
  /** `unchanged` when the stored note is already identical, for example after a retry. */
  readonly effect: 'created' | 'replaced' | 'unchanged'
}

export interface TagChange {
  readonly add: readonly string[]
  readonly remove: readonly string[]
}

/** How many similar ids a not-found fault contains. */
const SIMILAR_NOTES = 3

export class Notes {
  readonly #statements: Statements
  readonly #now: () => number

  constructor(statements: Statements, now: () => number) {
    this.#statements = statements
    this.#now = now
  }

  /** @throws {NotebookError} */
  write(draft: NoteDraft): WriteResult {
    const { id, expectedRevision } = draft
    const title = checkTitle(draft.title)
    const text = storedBody(cleanText(draft.body))
    const tags = draft.tags && JSON.stringify(normalizeTags(draft.tags))
    const noteWithTitle = this.#statements.noteByTitleKey(titleKeyOf(title))
    const current = id === undefined ? noteWithTitle : this.#statements.noteById(checkId(id))
    if (current !== undefined) {
      const next = { ...current, ...text, title: segment(title), tags: tags ?? current.tags }
      // Checked before the revision, because a retried call carries the revision before its own change.
      if (isSame(next, current)) return { note: toNoteInfo(current), effect: 'unchanged' }
      if (expectedRevision !== undefined && expectedRevision !== current.revision) {
        const { revision } = current
        throw new NotebookError({ code: 'stale-revision', id: current.id, revision })
      }
      if (id !== undefined && (noteWithTitle === undefined || noteWithTitle.id === id)) {
        return { note: this.#update(next), effect: 'replaced' }
      }
    }
    if (noteWithTitle !== undefined) {
      throw new NotebookError({ code: 'title-taken', title, id: noteWithTitle.id })
    }
    if (expectedRevision !== undefined) throw this.#notFound(id ?? slugOf(title))
    const now = this.#now()
    const note = this.insert({
      ...text,
      id: id ?? this.freeId(slugOf(title)),
      title: segment(title),
      tags: tags ?? '[]',
      revision: 1,
      created_at: now,
      updated_at: now,
    })
    return { note, effect: 'created' }
  }

  /** Appends a paragraph. @throws {NotebookError} not-found, body-too-long */
  append(id: string, text: string): NoteInfo {
    const row = this.#find(id)
    const body = joinSegments(row.body)
    const gap = body === '' || body.endsWith('\n\n') ? '' : body.endsWith('\n') ? '\n' : '\n\n'
    return this.#update({ ...row, ...storedBody(`${body}${gap}${cleanText(text)}`) })
  }

  /** @throws {NotebookError} not-found, bad-tag, too-many-tags */
  retag(id: string, { add, remove }: TagChange): NoteInfo {
    const row = this.#find(id)
    const info = toNoteInfo(row)
    const removed = new Set(normalizeTags(remove))
    const remaining = info.tags.filter((tag) => !removed.has(tag))
    const tags = JSON.stringify(normalizeTags([...remaining, ...normalizeTags(add)]))
    return tags === row.tags ? info : this.#update({ ...row, tags })
  }

  /** @throws {NotebookError} not-found */
  read(id: string): Note {
    return toNote(this.#find(id))
  }

  /** Returns the id of the note with this title. Case is ignored. */
  findByTitle(title: string): string | undefined {
    return this.#statements.noteByTitleKey(titleKeyOf(title))?.id
  }

  /** Returns the id, with a number appended if another note has it. */
  freeId(id: string): string {
    const base = cutText(id, LIMITS.idCharacters - '-10000'.length)
    const exists = (name: string) => this.#statements.noteById(name) !== undefined
    return firstFree(id, (count) => `${base}-${count}`, exists)
  }

  /** Returns the title, with a number appended if another note has it. */
  freeTitle(title: string): string {
    const base = cutText(title, LIMITS.titleCharacters - ' (10000)'.length)
    const exists = (name: string) => this.findByTitle(name) !== undefined
    return firstFree(title, (count) => `${base} (${count})`, exists)
  }

  /** @throws {NotebookError} notebook-full */
  insert(row: Omit<NoteRow, 'number'>): NoteInfo {
    if (this.#statements.countNotes() >= LIMITS.notes) {
      throw new NotebookError({ code: 'notebook-full' })
    }
    this.#statements.insertNote(row, titleKeyOf(joinSegments(row.title)))
    return toNoteInfo({ ...row, number: 0 })
  }

  #update(row: NoteRow): NoteInfo {
    const next = { ...row, revision: row.revision + 1, updated_at: this.#now() }
    this.#statements.updateNote(next, titleKeyOf(joinSegments(row.title)))
    return toNoteInfo(next)
  }

  #find(id: string): NoteRow {
    const row = this.#statements.noteById(id)
    if (row === undefined) throw this.#notFound(id)
    return row
  }

  /** Creates a not-found fault with similar ids, because models often misremember an id. */
  #notFound(id: string): NotebookError {
    const expression = createSearchExpression(id.replaceAll(/[-_.]/g, ' '))
    const similar =
      expression === undefined
        ? []
        : this.#statements.matches('[]', expression.any, SIMILAR_NOTES, 0).map((row) => row.id)
    return new NotebookError({ code: 'not-found', id, similar })
  }
}

function isSame(one: NoteRow, other: NoteRow): boolean {
  return one.title === other.title && one.body === other.body && one.tags === other.tags
}

/** @throws {NotebookError} body-too-long */
function storedBody(body: string): Pick<NoteRow, 'body' | 'characters'> {
  const bytes = new TextEncoder().encode(body).byteLength
  if (bytes > LIMITS.bodyBytes) throw new NotebookError({ code: 'body-too-long', bytes })
  return { body: segment(body), characters: body.length }
}

/** How to import a note whose title already exists. */
export type Duplicates = 'skip' | 'replace' | 'copy'

export type ImportDraft = Pick<NoteDraft, 'title' | 'body' | 'tags'>

export type ImportResult =
  | {
      readonly effect: 'created' | 'replaced' | 'unchanged' | 'skipped'
      readonly id: string
      readonly title: string
    }
  | { readonly effect: 'refused'; readonly fault: Fault }

/** Imports one note. */
export function importNote(notes: Notes, draft: ImportDraft, duplicates: Duplicates): ImportResult {
  try {
    const title = checkTitle(draft.title)
    const existing = notes.findByTitle(title)
    if (existing !== undefined && duplicates === 'skip') {
      return { effect: 'skipped', id: existing, title }
    }
    const { note, effect } =
      duplicates === 'copy'
        ? notes.write({ ...draft, title: notes.freeTitle(title) })
        : notes.write({ ...draft, title, id: existing })
    return { effect, id: note.id, title: note.title }
  } catch (error) {
    if (error instanceof NotebookError) return { effect: 'refused', fault: error.fault }
    throw error
  }
}

/** Returns the titles that notes already have. Invalid titles are left out. */
export function existingTitles(notes: Notes, titles: readonly string[]): string[] {
  return titles.filter((title) => {
    try {
      return notes.findByTitle(checkTitle(title)) !== undefined
    } catch (error) {
      if (error instanceof NotebookError) return false
      throw error
    }
  })
}

/** Stores deleted notes until they are restored or expire. */
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
