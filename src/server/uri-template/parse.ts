/** Parses URI templates (RFC 6570, all four levels) and rejects those that cannot be matched unambiguously. */

/** How an operator writes its values, and which characters end a value. */
export interface Operator {
  readonly symbol: '' | '+' | '#' | '.' | '/' | ';' | '?' | '&'
  readonly first: string
  readonly separator: string
  readonly named: boolean
  readonly allowsReserved: boolean
  /** The suffix of an empty named variable: `=` for `?` and `&`, none for `;`. */
  readonly ifEmpty: string
  /** The characters that end a value when a URI is matched. */
  readonly stops: string
}

/** @see https://www.rfc-editor.org/rfc/rfc6570#appendix-A */
const OPERATORS: Readonly<Record<string, Operator>> = {
  '': op('', '', ',', false, false, '', '/?#'),
  '+': op('+', '', ',', false, true, '', ''),
  '#': op('#', '#', ',', false, true, '', ''),
  '.': op('.', '.', '.', false, false, '', '/?#'),
  '/': op('/', '/', '/', false, false, '', '?#'),
  ';': op(';', ';', ';', true, false, '', '/?#'),
  '?': op('?', '?', '&', true, false, '=', '#'),
  '&': op('&', '&', '&', true, false, '=', '#'),
}

function op(
  symbol: Operator['symbol'],
  first: string,
  separator: string,
  named: boolean,
  allowsReserved: boolean,
  ifEmpty: string,
  stops: string,
): Operator {
  return { symbol, first, separator, named, allowsReserved, ifEmpty, stops }
}

export interface VariableSpec {
  readonly name: string
  readonly explode: boolean
  /** Maximum number of characters of the value (`{name:3}`). */
  readonly maxLength: number | undefined
}

export interface Expression {
  readonly kind: 'expression'
  readonly operator: Operator
  readonly variables: readonly VariableSpec[]
}

export interface Literal {
  readonly kind: 'literal'
  readonly text: string
}

export interface UriTemplate {
  readonly source: string
  readonly parts: readonly (Literal | Expression)[]
  /** Names in order of appearance. */
  readonly variables: readonly string[]
}

const MAX_TEMPLATE_LENGTH = 2048
const MAX_EXPRESSIONS = 32
const VARIABLE = /^(\w+(?:\.\w+)*)(\*|:([1-9]\d{0,3}))?$/

/**
 * Parses a URI template.
 *
 * @throws {TypeError} for a malformed template, a repeated variable, and adjacent expressions without a
 *   character between their values
 */
export function parseUriTemplate(source: string): UriTemplate {
  const fail = (why: string) => new TypeError(`URI template "${source.slice(0, 200)}": ${why}`)
  if (source.length > MAX_TEMPLATE_LENGTH) {
    throw fail(`longer than ${MAX_TEMPLATE_LENGTH} characters`)
  }
  const parts: (Literal | Expression)[] = []
  let at = 0
  while (at < source.length) {
    const open = source.indexOf('{', at)
    const text = source.slice(at, open === -1 ? undefined : open)
    if (text.includes('}')) throw fail('a "}" without its "{"')
    if (text !== '') parts.push({ kind: 'literal', text })
    if (open === -1) break
    const close = source.indexOf('}', open)
    if (close === -1) throw fail('a "{" without its "}"')
    parts.push(parseExpression(source.slice(open + 1, close), fail))
    at = close + 1
  }
  const expressions = parts.filter((part) => part.kind === 'expression')
  const variables = expressions.flatMap((part) => part.variables.map(({ name }) => name))
  if (expressions.length > MAX_EXPRESSIONS) throw fail(`more than ${MAX_EXPRESSIONS} expressions`)
  if (new Set(variables).size !== variables.length) throw fail('a variable is repeated')
  parts.forEach((part, index) => {
    const next = parts[index + 1]
    if (part.kind === 'expression' && next?.kind === 'expression' && next.operator.first === '') {
      throw fail('adjacent expressions need a character between their values')
    }
  })
  return { source, parts, variables }
}

function parseExpression(body: string, fail: (why: string) => TypeError): Expression {
  const symbol = OPERATORS[body.charAt(0)] === undefined ? '' : body.charAt(0)
  const operator = OPERATORS[symbol]
  if (operator === undefined) throw fail(`unknown operator in {${body}}`)
  const variables = body
    .slice(symbol.length)
    .split(',')
    .map((text): VariableSpec => {
      const [, name, modifier, length] = VARIABLE.exec(text) ?? []
      if (name === undefined) throw fail(`{${body}} is not an expression`)
      const maxLength = length === undefined ? undefined : Number(length)
      return { name, explode: modifier === '*', maxLength }
    })
  return { kind: 'expression', operator, variables }
}
