/** Equality of JSON values: for `const`, `enum` and `uniqueItems`. */
import { canonicalText } from '../../protocol/canonical-json.ts'
import { isJsonObject } from '../../protocol/json.ts'

export function jsonEquals(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) && a.length === b.length && a.every((item, at) => jsonEquals(item, b[at]))
    )
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && jsonEquals(a[key], b[key]))
  )
}

/** Whether no two items are equal. The work is linear in the size of the items. */
export function areUnique(items: readonly unknown[]): boolean {
  const seen = new Set<unknown>()
  for (const item of items) {
    // A string differs from the text of an object, because only the latter has this prefix and type.
    seen.add(
      typeof item === 'object' && item !== null ? `{${canonicalText(item)}` : scalarKey(item),
    )
  }
  return seen.size === items.length
}

function scalarKey(value: unknown): unknown {
  return typeof value === 'string' ? `"${value}` : value
}
