/** References within one JSON document. */
import { tryDecodeUri } from '../../platform/try-parse.ts'
import type { JsonSchema } from '../../protocol/content.ts'

/** Follows a JSON pointer fragment (RFC 6901). Undefined if it leads nowhere. */
export function targetOf(root: JsonSchema, ref: string): unknown {
  if (ref === '#') return root
  if (!ref.startsWith('#/')) return undefined
  let at: unknown = root
  for (const token of ref.slice(2).split('/')) {
    const key = pointedKey(token)
    if (key === undefined) return undefined
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as Record<string, unknown>)[key]
  }
  return at
}

/** The key that a part of a pointer names; undefined for a malformed percent-encoding. */
export function pointedKey(token: string): string | undefined {
  return tryDecodeUri(token)?.replaceAll('~1', '/').replaceAll('~0', '~')
}
