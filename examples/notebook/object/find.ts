/** Finds notes: by full-text search, by tags and by recency. Counts the tags in use. */
import {
  LIMITS,
  type Note,
  NotebookError,
  type NoteInfo,
  type NoteList,
  type Page,
  type SearchPage,
  type TagCount,
} from '../note.ts'
import { toNote, toNoteInfo } from './schema.ts'
import type { Statements } from './statements.ts'
import { cleanText, joinSegments, normalizeTags, segment, titleKeyOf } from './text.ts'

export interface SearchRequest extends Page {
  readonly query: string
  /** Only notes with all of these tags are searched. */
  readonly tags: readonly string[]
}

/**
 * Returns one page of hits, best first. The hits contain all words of the query. If no note contains
 * all of them, the hits contain at least one, because models often search with whole sentences.
 *
 * @throws {NotebookError} nothing-to-search, bad-tag, too-many-tags
 */
export function searchNotes(
  statements: Statements,
  { query, tags, limit, offset }: SearchRequest,
): SearchPage {
  const expression = createSearchExpression(query)
  if (expression === undefined) throw new NotebookError({ code: 'nothing-to-search' })
  const wanted = JSON.stringify(normalizeTags(tags))
  const withAll = statements.countMatches(wanted, expression.all)
  const matched = withAll > 0 ? 'all' : 'any'
  const total = withAll > 0 ? withAll : statements.countMatches(wanted, expression.any)
  const hits = statements.matches(wanted, expression[matched], limit, offset).map((row) => ({
    ...toNoteInfo(row),
    snippet: joinSegments(statements.snippet(expression[matched], row.number)),
  }))
  return { hits, total, matched }
}

/** Returns the notes that match a topic best, with their bodies; none when the topic contains no token. */
export function notesAbout(statements: Statements, topic: string, limit: number): Note[] {
  const expression = createSearchExpression(topic)
  if (expression === undefined) return []
  const withAll = statements.matches('[]', expression.all, limit, 0)
  const rows = withAll.length > 0 ? withAll : statements.matches('[]', expression.any, limit, 0)
  return rows.flatMap(({ id }) => {
    const row = statements.noteById(id)
    return row === undefined ? [] : [toNote(row)]
  })
}

/**
 * A query as FTS5 expressions. Every term becomes a quoted string, so the query cannot contain FTS5
 * syntax: `NEAR`, `*`, `^`, `:` and parentheses are searched for as text or ignored as punctuation.
 *
 * @see https://www.sqlite.org/fts5.html#full_text_query_syntax
 */
interface SearchExpression {
  /** Matches notes that contain every term, in any order. */
  readonly all: string
  /** Matches notes that contain at least one of the terms. */
  readonly any: string
}

/** Matches one term: a phrase in double quotes, or a run of characters without spaces. */
const TERM = /"([^"]*)"|[^\s"]+/gu
/** Matches a character that the tokenizer treats as part of a token; see `note_index` in `schema.ts`. */
const WORD = /[\p{L}\p{N}\p{M}\p{Co}\p{So}]/u

/**
 * Returns the expression for a query; undefined when the query contains no token. The last term also
 * matches longer words, because queries are often incomplete.
 */
export function createSearchExpression(query: string): SearchExpression | undefined {
  const terms = Array.from(cleanText(query).matchAll(TERM), ([term, phrase]) => phrase ?? term)
    .filter((term) => WORD.test(term))
    .slice(0, LIMITS.queryTerms)
    // A term cannot contain a double quote, so quoting needs no escape.
    .map((term) => `"${segment(term)}"`)
  if (terms.length === 0) return undefined
  const quoted = terms.map((term, index) => (index === terms.length - 1 ? `${term}*` : term))
  return { all: quoted.join(' AND '), any: quoted.join(' OR ') }
}

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
