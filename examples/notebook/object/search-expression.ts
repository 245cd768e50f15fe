/**
 * Converts a search query to an FTS5 expression. Every term becomes a quoted string, so the query
 * cannot contain FTS5 syntax: `NEAR`, `*`, `^`, `:` and parentheses are searched for as text or
 * ignored as punctuation.
 *
 * @see https://www.sqlite.org/fts5.html#full_text_query_syntax
 */
import { LIMITS } from '../note.ts'
import { cleanText, segment } from './segment.ts'

export interface SearchExpression {
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
