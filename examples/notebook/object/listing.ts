/** Lists notes by recency, optionally filtered by tags, and counts the tags in use. */
import type { Note, NoteInfo, NoteList, Page, TagCount } from '../note.ts'
import { normalizeTags, titleKeyOf } from './names.ts'
import { toNote, toNoteInfo } from './rows.ts'
import { segment } from './segment.ts'
import type { Statements } from './statements.ts'

export interface ListRequest extends Page {
  /** Only notes with all of these tags are listed. */
  readonly tags: readonly string[]
}

export interface CursorPage {
  readonly notes: readonly NoteInfo[]
  /** Cursor of the next page; undefined on the last page. */
  readonly nextCursor: string | undefined
}

export interface BatchRequest {
  /** Only notes with all of these tags are returned. */
  readonly tags: readonly string[]
  /** 0, or `next` of the batch before. */
  readonly after: number
  readonly limit: number
}

/** Some of all notes, with their bodies. */
export interface NoteBatch {
  readonly notes: readonly Note[]
  /** Undefined in the last batch. */
  readonly next: number | undefined
}

/** The last note of a page in the order of recency, as `updatedAt.number`. */
const CURSOR = /^(\d{1,16})\.(\d{1,16})$/

export class Listing {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** @throws {NotebookError} bad-tag, too-many-tags */
  list({ tags, limit, offset }: ListRequest): NoteList {
    const wanted = JSON.stringify(normalizeTags(tags))
    return {
      notes: this.#statements.listNotes(wanted, limit, offset).map(toNoteInfo),
      total: this.#statements.countTagged(wanted),
    }
  }

  /** Returns the page after a cursor. An absent or invalid cursor returns the first page. */
  page(cursor: string | undefined, limit: number): CursorPage {
    const [, updatedAt, number] = CURSOR.exec(cursor ?? '') ?? []
    const rows = this.#statements.notesBefore(
      Number(updatedAt ?? Number.MAX_SAFE_INTEGER),
      Number(number ?? 0),
      limit + 1,
    )
    const last = rows.length > limit ? rows[limit - 1] : undefined
    return {
      notes: rows.slice(0, limit).map(toNoteInfo),
      nextCursor: last && `${last.updated_at}.${last.number}`,
    }
  }

  /**
   * Returns all notes in the order of creation, in batches: a note that changes between two is in one.
   *
   * @throws {NotebookError} bad-tag, too-many-tags
   */
  batch({ tags, after, limit }: BatchRequest): NoteBatch {
    const wanted = JSON.stringify(normalizeTags(tags))
    const rows = this.#statements.notesAfter(wanted, after, limit)
    return {
      notes: rows.map(toNote),
      next: rows.length < limit ? undefined : rows.at(-1)?.number,
    }
  }

  /** Returns the notes created or changed since a time, newest first, with their bodies. */
  since(time: number, limit: number): NoteList<Note> {
    return {
      notes: this.#statements.notesSince(time, limit).map(toNote),
      total: this.#statements.countSince(time),
    }
  }

  /** Returns the notes whose id or title starts with a prefix, newest first. */
  startingWith(prefix: string, limit: number): NoteInfo[] {
    const key = segment(titleKeyOf(prefix))
    return this.#statements.notesStartingWith(prefix.toLowerCase(), key, limit).map(toNoteInfo)
  }

  /** Returns every tag in use, the most used first. */
  tags(): TagCount[] {
    return this.#statements.tagCounts()
  }
}
