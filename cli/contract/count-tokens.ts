/** Counts tokens. The ranks of the encoding are 2 MB, so this module is loaded for `edgeway contract` alone. */
import { countTokens as count } from 'gpt-tokenizer/encoding/o200k_base'

/** Names of special tokens count as the text that they are in a definition. */
const AS_TEXT = { disallowedSpecial: new Set<string>() }

export const countTokens = (text: string): number => count(text, AS_TEXT)
