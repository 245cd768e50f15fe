/**
 * Matches a URI against a URI template and extracts the variables. The match is one pass from left to
 * right without regular expressions or backtracking, so its time is linear in the length of the URI.
 * Each value ends at the first possible position; a literal that ends the template is matched at the
 * end of the URI.
 */
import { tryDecodeUri } from '../../platform/try-parse.ts'
import type { Expression, Operator, UriTemplate, VariableSpec } from './parse.ts'

/** The variables of a match, percent-decoded: a list for an exploded variable (`{/tag*}`), otherwise a string. */
export type Variables = { readonly [name: string]: string | readonly string[] }

/** Maximum length of a URI, in UTF-16 code units. */
export const MAX_URI_LENGTH = 8192

/** Returns the variables of `uri` under `template`, or undefined if it does not match. */
export function matchUriTemplate(template: UriTemplate, uri: string): Variables | undefined {
  if (uri.length > MAX_URI_LENGTH) return undefined
  const found: Record<string, string | readonly string[]> = Object.create(null)
  const { parts } = template
  let at = 0
  for (const [index, part] of parts.entries()) {
    if (part.kind === 'literal') {
      if (!uri.startsWith(part.text, at)) return undefined
      at += part.text.length
      continue
    }
    const end = valueEnd(template, index, part, uri, at)
    if (end === undefined || !readExpression(part, uri.slice(at, end), found)) return undefined
    at = end
  }
  return at === uri.length ? found : undefined
}

/** Returns the end of the expression at `index`, which depends on the part that follows it. */
function valueEnd(
  { parts }: UriTemplate,
  index: number,
  { operator, variables }: Expression,
  uri: string,
  at: number,
): number | undefined {
  // Without the operator's first character, the expression has no value and the next part begins here.
  if (!uri.startsWith(operator.first, at)) return at
  // Skips this character, which may also be one that ends a value.
  let run = at + operator.first.length
  while (run < uri.length && !operator.stops.includes(uri.charAt(run))) run++
  const next = parts[index + 1]
  if (next === undefined) return run
  if (next.kind === 'expression') {
    if (operator.named && operator.separator === next.operator.first) {
      return endOfPairs(operator, variables, uri, at, run)
    }
    const first = uri.indexOf(next.operator.first, at + operator.first.length)
    return first === -1 || first > run ? run : first
  }
  const last = index + 2 === parts.length
  const start = last ? uri.length - next.text.length : uri.indexOf(next.text, at)
  return start < at || start > run ? undefined : start
}

/** Returns the end of the pairs that belong to these variables: the next ones belong to the next expression. */
function endOfPairs(
  { separator }: Operator,
  variables: readonly VariableSpec[],
  uri: string,
  at: number,
  end: number,
): number {
  const pairs = uri.slice(at + 1, end).split(separator)
  let pairsEnd = at
  for (const pair of pairs) {
    const [name] = pair.split('=', 1)
    if (!variables.some((variable) => variable.name === name)) break
    pairsEnd += 1 + pair.length
  }
  return pairsEnd
}

function readExpression(
  { operator, variables }: Expression,
  text: string,
  found: Record<string, string | readonly string[]>,
): boolean {
  const optional = operator.first !== ''
  if (text === '' && optional) {
    for (const { name, explode } of variables) if (explode) found[name] = []
    return true
  }
  if (text === '' || !text.startsWith(operator.first)) return false
  const body = text.slice(operator.first.length)
  return operator.named
    ? readNamed(variables, body.split(operator.separator), found)
    : readPositional(variables, body, operator.separator, found)
}

function readPositional(
  variables: readonly VariableSpec[],
  body: string,
  separator: string,
  found: Record<string, string | readonly string[]>,
): boolean {
  const [only] = variables
  // A single variable takes the whole text: a separator in it is part of the value.
  const whole = variables.length === 1 && only?.explode === false && separator === ','
  const items = whole ? [body] : body.split(separator)
  let next = 0
  for (const variable of variables) {
    const values = variable.explode ? items.slice(next) : items.slice(next, next + 1)
    next += values.length
    if (!assign(variable, values, found)) return false
  }
  return next === items.length
}

function readNamed(
  variables: readonly VariableSpec[],
  pairs: readonly string[],
  found: Record<string, string | readonly string[]>,
): boolean {
  const values = new Map<string, string[]>()
  for (const pair of pairs) {
    const equals = pair.indexOf('=')
    const name = equals === -1 ? pair : pair.slice(0, equals)
    const value = equals === -1 ? '' : pair.slice(equals + 1)
    const same = values.get(name)
    if (same === undefined) values.set(name, [value])
    else same.push(value)
  }
  for (const variable of variables) {
    if (!assign(variable, values.get(variable.name) ?? [], found)) return false
    values.delete(variable.name)
  }
  return values.size === 0
}

function assign(
  { name, explode, maxLength }: VariableSpec,
  texts: readonly string[],
  found: Record<string, string | readonly string[]>,
): boolean {
  const values: string[] = []
  for (const text of texts) {
    // A stray "%", or bytes that are not UTF-8: the URI does not match.
    const value = tryDecodeUri(text)
    if (value === undefined || (maxLength !== undefined && [...value].length > maxLength)) {
      return false
    }
    values.push(value)
  }
  const [first] = values
  if (explode) found[name] = values
  else if (values.length > 1) return false
  else if (first !== undefined) found[name] = first
  return true
}
