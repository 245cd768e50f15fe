/** Divides code into tokens, as far as types need it: where texts, comments and brackets begin and end. */

type TokenKind = 'word' | 'text' | 'number' | 'sign'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly start: number
  readonly end: number
  /** Whether a line ends before it. */
  readonly isFirst: boolean
  /** The place of the bracket that closes this one, or that it closes. */
  pair: number | undefined
}

/** Words after which an expression begins. */
const BEFORE_EXPRESSION = new Set(
  (
    'return typeof instanceof in of new delete void throw case do else await yield extends default const let var if for ' +
    'while switch function class'
  ).split(' '),
)

const SPACE = String.raw`\s+|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)`
const WORD = String.raw`[\p{ID_Start}$_#][\p{ID_Continue}$\u200c\u200d]*`
const NUMBER = String.raw`\.?\d[\w.]*`
const QUOTED = String.raw`"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?`
/** Never `>>`, which may end two lists of types. */
const SIGN = String.raw`=>|\.\.\.|\?\.(?!\d)|===?|!==?|<=|<<=?|>=|\*\*=?|&&=?|\|\|=?|\?\?=?|\+\+|--|[-+*%&|^]=|[^]`
const TOKEN = new RegExp(
  [SPACE, WORD, NUMBER, QUOTED, SIGN].map((part) => `(${part})`).join('|'),
  'uy',
)
const REG_EXP = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y
/** A part of a template, until its end or the next expression. */
const TEMPLATE = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{|$)/y

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '${': '}' }

/** Whether an expression may end with a token. */
export function endsExpression(token: Token | undefined): boolean {
  if (token === undefined) return false
  if (token.kind === 'word') return !BEFORE_EXPRESSION.has(token.text)
  return token.kind !== 'sign' || [')', ']', '}'].includes(token.text)
}

/** Undefined for code whose brackets do not fit. Each token is longer than nothing, so the work is linear. */
export function tokensOf(code: string): readonly Token[] | undefined {
  const tokens: Token[] = []
  const open: number[] = []
  let at = 0
  let isFirst = true
  const matched = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at
    return pattern.exec(code) ?? undefined
  }
  const add = (kind: TokenKind, text: string, pair?: number) => {
    tokens.push({ kind, text, start: at, end: at + text.length, isFirst, pair })
    at += text.length
    isFirst = false
  }
  /** Adds a part of a template: a text at its end, a bracket before an expression. */
  const addTemplate = (part: string) => {
    const isOpen = part.endsWith('${')
    if (isOpen) open.push(tokens.length)
    add(isOpen ? 'sign' : 'text', part)
  }
  while (at < code.length) {
    const [, space, word, number, quoted, sign = ''] = matched(TOKEN) ?? []
    if (space !== undefined) {
      isFirst ||= space.includes('\n')
      at += space.length
    } else if (word !== undefined) add('word', word)
    else if (number !== undefined) add('number', number)
    else if (quoted !== undefined) add('text', quoted)
    else if (sign === '`') {
      at += 1
      const [part = ''] = matched(TEMPLATE) ?? []
      at -= 1
      addTemplate(`\`${part}`)
    } else if (sign === '/' && !endsExpression(tokens.at(-1))) {
      const [text] = matched(REG_EXP) ?? []
      add(text === undefined ? 'sign' : 'text', text ?? sign)
    } else if (sign === ')' || sign === ']' || sign === '}') {
      const opened = open.pop()
      const bracket = opened === undefined ? undefined : tokens[opened]
      if (opened === undefined || bracket === undefined) return undefined
      const isTemplate = bracket.text.endsWith('${')
      if (CLOSING[isTemplate ? '${' : bracket.text] !== sign) return undefined
      bracket.pair = tokens.length
      add('sign', sign, opened)
      if (isTemplate) addTemplate(matched(TEMPLATE)?.[0] ?? '')
    } else {
      if (Object.hasOwn(CLOSING, sign)) open.push(tokens.length)
      add('sign', sign)
    }
  }
  return open.length === 0 ? tokens : undefined
}
