/**
 * Removes the types that models write in code, because the declarations that they read are TypeScript. What is removed is
 * replaced by spaces, so lines and columns stay. Only code that is no JavaScript is run in this form (`../harness.ts`): the
 * meaning of valid JavaScript never changes.
 *
 * It knows annotations of variables, parameters and results, `as`, `satisfies`, `!`, lists of types, `interface`, `type` and
 * `declare const`. What needs code in its place, as `enum`, and the types of classes stay, and are errors of syntax.
 */
import { endOfType, endOfTypeList, type TypeSource } from './read-type.ts'
import { endsExpression, type Token, tokensOf } from './tokens.ts'

/** Words before the parenthesis of a statement, whose content has no parameters. */
const STATEMENTS = new Set(['if', 'for', 'while', 'switch', 'with', 'await', 'return'])

/** How often each token is read as the beginning of a type, on average. */
const READ_SHARE = 4

const DECLARING = new Set(['const', 'let', 'var'])

/** The code without types; the same text where none was found. */
export function stripTypes(code: string): string {
  const tokens = tokensOf(code)
  if (tokens === undefined) return code
  const removed = new TypeFinder(tokens).ranges()
  if (removed.length === 0) return code
  let text = ''
  let at = 0
  for (const [start, end] of removed) {
    if (start < at) continue
    text += code.slice(at, start) + code.slice(start, end).replace(/[^\n\r]/g, ' ')
    at = end
  }
  return text + code.slice(at)
}

class TypeFinder {
  readonly #tokens: readonly Token[]
  readonly #source: TypeSource
  readonly #ranges: [number, number][] = []
  /** For each token that is removed, the first one of those that are removed with it; -1 for any other token. */
  readonly #gone: Int32Array
  /** For each open bracket, whether a list of variables is being declared in it. */
  readonly #declaring = [false]

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
    this.#source = { tokens, left: READ_SHARE * tokens.length }
    this.#gone = new Int32Array(tokens.length).fill(-1)
  }

  ranges(): readonly (readonly [number, number])[] {
    for (let at = 0; at < this.#tokens.length; at++) if (this.#gone[at] === -1) this.#read(at)
    return this.#ranges.sort(([a], [b]) => a - b)
  }

  #read(at: number): void {
    const token = this.#tokens[at]
    if (token === undefined) return
    if (token.kind === 'word') this.#readWord(at, token)
    else if (token.kind === 'sign') this.#readSign(at, token)
  }

  #readWord(at: number, { text, isFirst }: Token): void {
    const before = this.#before(at)
    if (before?.text === '.' || before?.text === '?.') return
    if (DECLARING.has(text)) {
      this.#declaring[this.#declaring.length - 1] = true
      this.#readVariable(at + 1)
      return
    }
    if ((text === 'as' || text === 'satisfies') && !isFirst && endsExpression(before)) {
      this.#removeType(at, at + 1)
      return
    }
    const isStatement = isFirst || before === undefined || [';', '{', '}'].includes(before.text)
    if (!isStatement || this.#tokens[at + 1]?.kind !== 'word') return
    if (text === 'interface') this.#removeInterface(at)
    else if (text === 'type') this.#removeAlias(at)
    else if (text === 'declare' && DECLARING.has(this.#text(at + 1))) this.#removeDeclared(at)
  }

  #readSign(at: number, token: Token): void {
    const { text, pair, isFirst } = token
    if (pair !== undefined && pair > at) this.#declaring.push(false)
    else if (pair !== undefined) this.#declaring.pop()
    const before = this.#before(at)
    if (text === '(') this.#readParenthesis(at, pair ?? at)
    else if (text === '<') this.#readList(at, before)
    else if (text === '!' && !isFirst && endsExpression(before) && before?.text !== '}') {
      this.#readAssertion(at, before)
    } else if (text === ';') this.#declaring[this.#declaring.length - 1] = false
    else if (text === ',' && this.#declaring.at(-1) === true) this.#readVariable(at + 1)
  }

  /** `name: Type`, `{ … }: Type`, `name!: Type`. */
  #readVariable(at: number): void {
    const after = this.#afterBinding(at)
    if (after === undefined) return
    const colon = this.#text(after) === '!' ? after + 1 : after
    if (this.#text(colon) === ':') this.#removeType(after, colon + 1)
  }

  #afterBinding(at: number): number | undefined {
    const { kind, text, pair } = this.#tokens[at] ?? {}
    if (kind === 'word') return at + 1
    return (text === '{' || text === '[') && pair !== undefined ? pair + 1 : undefined
  }

  /** The parameters of a function, and the type of its result. */
  #readParenthesis(open: number, close: number): void {
    const result = this.#resultOf(open, close)
    if (result === undefined) return
    if (result > close + 1) this.#remove(close + 1, result)
    for (let at = open + 1; at < close; ) {
      this.#readParameter(this.#text(at) === '...' ? at + 1 : at)
      while (at < close && this.#text(at) !== ',') at = this.#after(at)
      at += 1
    }
  }

  #readParameter(at: number): void {
    const after = this.#afterBinding(at)
    if (after === undefined) return
    const colon = this.#text(after) === '?' ? after + 1 : after
    const end = this.#text(colon) === ':' ? endOfType(this.#source, colon + 1) : colon
    if (end !== undefined && end > after && [',', '=', ')'].includes(this.#text(end))) {
      this.#remove(after, end)
    }
  }

  /** The place after the type of the result of a function; undefined for a parenthesis of anything else. */
  #resultOf(open: number, close: number): number | undefined {
    const before = this.#before(open)
    if (before?.text === 'catch') return close + 1
    const hasType = this.#text(close + 1) === ':'
    const end = hasType ? endOfType(this.#source, close + 2) : close + 1
    if (end === undefined) return undefined
    if (this.#text(end) === '=>') return hasType && before?.text === '?' ? undefined : end
    // Of a function, and of a method.
    const isNamed = before?.kind === 'word' && !STATEMENTS.has(before.text)
    return this.#text(end) === '{' && (isNamed || before?.text === ']') ? end : undefined
  }

  /** The types of a call, and of a function. */
  #readList(at: number, before: Token | undefined): void {
    const end = endOfTypeList(this.#source, at)
    if (end === undefined) return
    const isCall = before?.kind === 'word' && this.#text(end) === '('
    if (isCall || !endsExpression(before)) this.#remove(at, end)
  }

  /** `value!`, after which no expression begins. */
  #readAssertion(at: number, before: Token | undefined): void {
    const next = this.#tokens[at + 1]
    const isCondition = before?.pair !== undefined && this.#isCondition(before.pair)
    const goesOn =
      next !== undefined && !next.isFirst && (next.kind !== 'sign' || next.text === '{')
    if (!isCondition && (!goesOn || ['as', 'in', 'of', 'satisfies'].includes(next.text))) {
      this.#remove(at, at + 1)
    }
  }

  #isCondition(open: number): boolean {
    return ['if', 'while', 'for'].includes(this.#before(open)?.text ?? '')
  }

  #removeInterface(at: number): void {
    let body = at + 2
    while (body < this.#tokens.length && this.#text(body) !== '{') body += 1
    const end = this.#tokens[body]?.pair
    if (end !== undefined) this.#remove(at, end + 1)
  }

  #removeAlias(at: number): void {
    const list = this.#text(at + 2) === '<' ? endOfTypeList(this.#source, at + 2) : at + 2
    if (list !== undefined && this.#text(list) === '=') this.#removeType(at, list + 1)
  }

  #removeDeclared(at: number): void {
    if (this.#text(at + 3) === ':') this.#removeType(at, at + 4)
  }

  /** Removes what begins at a token and ends with the type that begins at another. */
  #removeType(from: number, type: number): void {
    const end = endOfType(this.#source, type)
    if (end !== undefined) this.#remove(from, end)
  }

  #remove(from: number, to: number): void {
    const [first, last] = [this.#tokens[from], this.#tokens[to - 1]]
    if (first === undefined || last === undefined) return
    const joined = this.#gone[from - 1] ?? -1
    this.#gone.fill(joined === -1 ? from : joined, from, to)
    this.#ranges.push([first.start, last.end])
  }

  /** The token before, without those that are removed. */
  #before(at: number): Token | undefined {
    const gone = this.#gone[at - 1] ?? -1
    return this.#tokens[(gone === -1 ? at : gone) - 1]
  }

  /** The place after a token, or after the bracket that closes it. */
  #after(at: number): number {
    const pair = this.#tokens[at]?.pair
    return (pair !== undefined && pair > at ? pair : at) + 1
  }

  #text(at: number): string {
    return this.#tokens[at]?.text ?? ''
  }
}
