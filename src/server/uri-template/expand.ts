/** Expands a URI template to a URI. */
import type { Expression, Operator, UriTemplate, VariableSpec } from './parse.ts'

export type ExpandValues = {
  readonly [name: string]: string | number | boolean | readonly string[] | undefined
}

/**
 * Expands a template. Undefined values and empty lists are omitted.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6570#section-3
 */
export function expandUriTemplate({ parts }: UriTemplate, values: ExpandValues): string {
  return parts
    .map((part) => (part.kind === 'literal' ? encode(part.text, true) : expand(part, values)))
    .join('')
}

function expand({ operator, variables }: Expression, values: ExpandValues): string {
  const pieces = variables.flatMap((variable) => expandVariable(operator, variable, values))
  return pieces.length === 0 ? '' : operator.first + pieces.join(operator.separator)
}

function expandVariable(
  operator: Operator,
  { name, explode, maxLength }: VariableSpec,
  values: ExpandValues,
): string[] {
  const value = values[name]
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return []
  const texts = (Array.isArray(value) ? value : [String(value)]).map((text: string) =>
    encode(
      maxLength === undefined ? text : [...text].slice(0, maxLength).join(''),
      operator.allowsReserved,
    ),
  )
  const named = (text: string) =>
    operator.named ? `${name}${text === '' ? operator.ifEmpty : `=${text}`}` : text
  return explode ? texts.map(named) : [named(texts.join(','))]
}

const RESERVED = /[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]|%(?![0-9A-Fa-f]{2})/gu
const UNRESERVED = /[^A-Za-z0-9\-._~]/gu

function encode(text: string, allowsReserved: boolean): string {
  return text
    .toWellFormed()
    .replace(allowsReserved ? RESERVED : UNRESERVED, (character) =>
      Array.from(
        new TextEncoder().encode(character),
        (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
      ).join(''),
    )
}
