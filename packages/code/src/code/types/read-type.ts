/** Finds where a type of TypeScript ends. It reads their grammar as far as code of a model has it. */
import type { Token } from './tokens.ts'

export interface TypeSource {
  readonly tokens: readonly Token[]
  /** How many types are still read: text that only looks like the beginning of types is read again and again. */
  left: number
}

/** Types inside a type, one in another without brackets. */
const MAX_DEPTH = 50

const PREFIXES = new Set([
  'keyof',
  'typeof',
  'readonly',
  'unique',
  'infer',
  'asserts',
  'abstract',
  'new',
])

/** The place of the token after the type that begins at a token; undefined where there is no type. */
export function endOfType(source: TypeSource, from: number, depth = 0): number | undefined {
  const sign = source.tokens[from]?.text
  let at: number | undefined = sign === '|' || sign === '&' ? from + 1 : from
  for (;;) {
    at = endOfOperand(source, at, depth)
    if (at === undefined) return undefined
    const { text = '' } = source.tokens[at] ?? {}
    if (text === '|' || text === '&' || (text === 'is' && !source.tokens[at]?.isFirst)) at += 1
    else return text === 'extends' ? endOfCondition(source, at, depth) : at
  }
}

/** `A extends B ? C : D`, and `T extends U` of a list. */
function endOfCondition(source: TypeSource, extend: number, depth: number) {
  const after = (sign: string, at: number | undefined) =>
    at !== undefined && source.tokens[at]?.text === sign
      ? endOfType(source, at + 1, depth + 1)
      : undefined
  const bound = depth > MAX_DEPTH ? undefined : endOfType(source, extend + 1, depth + 1)
  if (bound === undefined || source.tokens[bound]?.text !== '?') return bound
  return after(':', after('?', bound))
}

function endOfOperand(source: TypeSource, from: number, depth: number): number | undefined {
  const token = source.tokens[from]
  source.left -= 1
  if (token === undefined || depth > MAX_DEPTH || source.left < 0) return undefined
  const { kind, text, pair } = token
  if (kind === 'text' || kind === 'number') return endOfSuffixes(source, from + 1)
  if (kind === 'word') {
    const next = source.tokens[from + 1]
    const isPrefix = PREFIXES.has(text) && next !== undefined && !next.isFirst
    if (isPrefix && (next.kind === 'word' || ['(', '[', '{'].includes(next.text))) {
      return endOfOperand(source, from + 1, depth + 1)
    }
    return endOfName(source, from, depth)
  }
  if (text === '-') return source.tokens[from + 1]?.kind === 'number' ? from + 2 : undefined
  if (text === '<') {
    const list = endOfTypeList(source, from, depth + 1)
    return list !== undefined && source.tokens[list]?.text === '('
      ? endOfOperand(source, list, depth + 1)
      : undefined
  }
  if (pair === undefined || pair < from) return undefined
  // A function, where an arrow follows.
  if (text === '(' && source.tokens[pair + 1]?.text === '=>') {
    return endOfType(source, pair + 2, depth + 1)
  }
  return endOfSuffixes(source, text.endsWith('${') ? pair + 2 : pair + 1)
}

function endOfName(source: TypeSource, from: number, depth: number): number | undefined {
  let at = from + 1
  while (source.tokens[at]?.text === '.' && source.tokens[at + 1]?.kind === 'word') at += 2
  if (source.tokens[at]?.text === '<') {
    const list = endOfTypeList(source, at, depth + 1)
    if (list === undefined) return undefined
    at = list
  }
  return endOfSuffixes(source, at)
}

/** `[]` and `["member"]`. */
function endOfSuffixes(source: TypeSource, from: number): number {
  let at = from
  for (;;) {
    const token = source.tokens[at]
    if (token?.text !== '[' || token.isFirst || token.pair === undefined) return at
    at = token.pair + 1
  }
}

/** The place after the `>` of a list that begins with `<`: types, or the names of types with bounds and defaults. */
export function endOfTypeList(source: TypeSource, from: number, depth = 0): number | undefined {
  let at: number | undefined = from + 1
  while (at !== undefined && source.tokens[at]?.text !== '>') {
    at = endOfType(source, at, depth + 1)
    if (at !== undefined && source.tokens[at]?.text === '=')
      at = endOfType(source, at + 1, depth + 1)
    if (at === undefined) return undefined
    const { text } = source.tokens[at] ?? {}
    if (text === ',') at += 1
    else if (text !== '>') return undefined
  }
  return at === undefined ? undefined : at + 1
}
