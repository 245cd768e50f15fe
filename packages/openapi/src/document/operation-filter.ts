/** Chooses operations: the options `include` and `exclude`. */
import type { OpenAPIOperation } from './operation.ts'

/**
 * Operations that have all of the named properties, each with one of its values; or a function.
 * `paths` are path templates as the description writes them; one that ends with `*` is a prefix.
 */
export type OperationFilter =
  | {
      readonly tags?: readonly string[]
      readonly paths?: readonly string[]
      readonly operationIds?: readonly string[]
      /** In capitals: `GET`. */
      readonly methods?: readonly OpenAPIOperation['method'][]
    }
  | ((operation: OpenAPIOperation) => boolean)

/** One filter, or several of which one must match. */
export type OperationFilters = OperationFilter | readonly OperationFilter[]

const KEYS = ['tags', 'paths', 'operationIds', 'methods']

/** @throws {TypeError} for a filter with an unknown or malformed member */
export function createFilter(
  option: string,
  filters: OperationFilters,
): (operation: OpenAPIOperation) => boolean {
  const list = Array.isArray(filters) ? filters : [filters as OperationFilter]
  for (const filter of list) {
    if (typeof filter === 'function') continue
    for (const [key, values] of Object.entries(filter)) {
      if (KEYS.includes(key) && (values === undefined || Array.isArray(values))) continue
      throw new TypeError(`${option}: use a function, or lists of ${KEYS.join(', ')}`)
    }
  }
  return (operation) => list.some((filter) => matches(filter, operation))
}

function matches(filter: OperationFilter, operation: OpenAPIOperation): boolean {
  if (typeof filter === 'function') return filter(operation)
  const { tags, paths, operationIds, methods } = filter
  return (
    (tags === undefined || operation.tags.some((tag) => tags.includes(tag))) &&
    (paths === undefined || paths.some((path) => matchesPath(path, operation.path))) &&
    (operationIds === undefined || operationIds.includes(operation.operationId ?? '')) &&
    (methods === undefined || methods.includes(operation.method))
  )
}

function matchesPath(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern
}
