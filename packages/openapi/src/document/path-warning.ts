/** Finds the parameters of other frameworks in a path: OpenAPI sends `/users/:id` as it is. */
import type { OpenAPIOperation } from './operation.ts'

/** A whole segment. Behind other text a colon begins the verb of a method, such as `/messages:send`. */
const COLON_SEGMENT = /\/:([A-Za-z_]\w*)(?=$|[/?#])/g

/** Returns undefined for a path without such a segment. */
export function pathWarning({ method, path, pointer }: OpenAPIOperation): string | undefined {
  const names = Array.from(path.matchAll(COLON_SEGMENT), ([, name]) => name)
  if (names.length === 0) return undefined
  const sent = names.map((name) => `:${name}`).join(', ')
  const meant = names.map((name) => `{${name}}`).join(', ')
  return `${method} ${path}: the path is sent with ${sent} as it is; if these are parameters, write ${meant} (at ${pointer})`
}
