/** References within one JSON document. */
import type { JsonSchema } from '../../protocol/content.ts'

/** Follows a JSON pointer fragment (RFC 6901). Undefined if it leads nowhere. */
export function targetOf(root: JsonSchema, ref: string): unknown {
  if (ref === '#') return root
  if (!ref.startsWith('#/')) return undefined
  let at: unknown = root
  for (const token of ref.slice(2).split('/')) {
    let key: string
    try {
      key = decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~')
    } catch {
      return undefined
    }
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as Record<string, unknown>)[key]
  }
  return at
}
