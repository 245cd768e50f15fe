/**
 * A person's words as an FTS5 expression. Nothing of what was typed is ever syntax: every term is
 * a quoted string, so `NEAR`, `*`, `^`, `:` and parentheses are searched for, or ignored as
 * punctuation, like anything else.
 *
 * @see https://www.sqlite.org/fts5.html#full_text_query_syntax
 */
import { LIMITS } from '../note.ts'
import { cleanText, segment } from './segment.ts'

export interface SearchExpression {
  /** Every term, in any order. */
  readonly all: string
  /** At least one of them. */
  readonly any: string
}

/** Text in double quotes is one term: a phrase. Any other run without spaces is one, too. */
const TERM = /"([^"]*)"|[^\s"]+/gu
/** What the tokenizer makes words of; see the table in `schema.ts`. */
const WORD = /[\p{L}\p{N}\p{M}\p{Co}\p{So}]/u

/**
 * The expression for a query; undefined where it holds no word. The last term also matches longer
 * words, because a query is often typed or cut short.
 */
export function createSearchExpression(query: string): SearchExpression | undefined {
  const terms = Array.from(cleanText(query).matchAll(TERM), ([term, phrase]) => phrase ?? term)
    .filter((term) => WORD.test(term))
    .slice(0, LIMITS.queryTerms)
    // A term cannot hold a double quote, so quoting needs no escape.
    .map((term) => `"${segment(term)}"`)
  if (terms.length === 0) return undefined
  const quoted = terms.map((term, index) => (index === terms.length - 1 ? `${term}*` : term))
  return { all: quoted.join(' AND '), any: quoted.join(' OR ') }
}
