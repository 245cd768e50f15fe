/** The next page of a list, from the `Link` header. @see https://www.rfc-editor.org/rfc/rfc8288#section-3 */
import type { ArgumentOfParameter } from '../request/operation-arguments.ts'

/** Maximum length of a `Link` header that is read, in characters. */
const MAX_LINK_LENGTH = 16 * 1024

/** Arguments of the next page, by name. */
export type NextPage = Readonly<Record<string, string | number>>

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
    const value = next.searchParams.get(parameter.name)
    const isNew = value !== null && value !== url.searchParams.get(parameter.name)
    if (parameter.in !== 'query' || !isNew) return []
    const number = parameter.isNumeric ? Number(value) : undefined
    return Number.isNaN(number) ? [] : [[argument, number ?? value] as const]
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
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
