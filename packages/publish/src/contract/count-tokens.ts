/** Counts tokens. The ranks of the encoding are 2 MB, so this module is loaded for `edgeway contract` alone. */
import { countTokens as count } from 'gpt-tokenizer/encoding/o200k_base'

/** Names of special tokens count as the text that they are in a definition. */
const AS_TEXT = { disallowedSpecial: new Set<string>() }

/**
 * A run of letters, of spaces or of other signs. The encoding takes it as one word, and the time for a word grows with the
 * square of its length: a minute for 300,000 letters. Digits are taken in threes.
 */
const LONG_RUN = /[\p{L}\p{M}]{500}|\s{500}|[^\s\p{L}\p{M}\p{N}]{500}/gu

/** Of a run of more than 500 signs, each 500 are counted by themselves, which differs by a token or none. */
export function countTokens(text: string): number {
  let tokens = 0
  let from = 0
  for (const { index, 0: run } of text.matchAll(LONG_RUN)) {
    const end = index + run.length
    tokens += count(text.slice(from, end), AS_TEXT)
    from = end
  }
  return tokens + count(text.slice(from), AS_TEXT)
}
