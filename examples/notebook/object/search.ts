/** Full-text search: ranks the matching notes and extracts the matching passage of each. */
import type { Note, Page, SearchPage } from '../note.ts'
import { NotebookError } from '../outcome.ts'
import { normalizeTags } from './names.ts'
import { toNote, toNoteInfo } from './rows.ts'
import { createSearchExpression } from './search-expression.ts'
import { joinSegments } from './segment.ts'
import type { Statements } from './statements.ts'

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
