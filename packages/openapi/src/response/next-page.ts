/** The next page of a list, from the `Link` header. @see https://www.rfc-editor.org/rfc/rfc8288#section-3 */
import type { ArgumentOfParameter } from '../request/operation-arguments.ts'

/** Maximum length of a `Link` header that is read, in characters. */
const MAX_LINK_LENGTH = 16 * 1024

/** Arguments of the next page, by name. */
export type NextPage = Readonly<Record<string, string | number | boolean>>

/**
 * Returns the arguments that lead to the next page: the query parameters of its URL that are arguments of
 * the tool, and whose values differ from this call. Undefined if there are none.
 */
export function nextPageOf(
  headers: Headers,
  url: URL,
  parameters: readonly ArgumentOfParameter[],
): NextPage | undefined {
  const link = headers.get('link')
  const target = link === null ? undefined : nextTarget(link.slice(0, MAX_LINK_LENGTH))
  const next = target === undefined ? null : URL.parse(target, url.href)
  if (next === null || next.origin !== url.origin) return undefined
  const found = parameters.flatMap(({ argument, parameter }) => {
    const text = next.searchParams.get(parameter.name)
    const isNew = text !== null && text !== url.searchParams.get(parameter.name)
    if (parameter.in !== 'query' || !isNew) return []
    const value = readValue(text, parameter.core.type)
    return value === undefined ? [] : [[argument, value] as const]
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

/** Undefined for a text that is no value of the type, and for types that are not read here. */
function readValue(text: string, type: unknown): string | number | boolean | undefined {
  switch (type) {
    case 'integer':
    case 'number': {
      const number = Number(text)
      return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined
    }
    case 'boolean':
      return text === 'true' || (text === 'false' ? false : undefined)
    case 'array':
    case 'object':
      return undefined
    default:
      return text
  }
}

/** The target of the first link with `rel="next"`. */
function nextTarget(header: string): string | undefined {
  for (let open = header.indexOf('<'); open !== -1; ) {
    const close = header.indexOf('>', open)
    if (close === -1) return undefined
    const following = header.indexOf('<', close)
    const params = header.slice(close + 1, following === -1 ? undefined : following)
    if (/;\s?rel\s?=\s?"?(?:[a-z]+ )?next\b/i.test(params)) return header.slice(open + 1, close)
    open = following
  }
  return undefined
}
