/**
 * The keywords about the items of an array: how many, whether they are unique, and the schema of each.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-core#section-10.3.1
 */
import type { JsonSchema } from '../../protocol/content.ts'
import { checkCount } from './assertions.ts'
import type { Evaluated } from './evaluated.ts'
import { areUnique } from './json-equality.ts'
import type { Path, Validation } from './validation.ts'

export function applyArrayKeywords(
  validation: Validation,
  schema: JsonSchema,
  value: readonly unknown[],
  path: Path | undefined,
  evaluated: Evaluated | undefined,
): boolean {
  const { items, minItems, maxItems, uniqueItems, unevaluatedItems } = schema
  let matches = validation.check(path, checkCount(value.length, minItems, maxItems, 'items'))
  if (uniqueItems === true && !areUnique(value)) {
    matches = validation.fail(path, 'must not have equal items')
  }
  // Before 2020-12 the tuple is `items`, and the rest `additionalItems`.
  const tuple = Array.isArray(items) ? items : schema.prefixItems
  const rest = Array.isArray(items) ? schema.additionalItems : items
  const first = Array.isArray(tuple) ? tuple : []
  if (schema.contains !== undefined) {
    matches = checkContains(validation, schema, value, path, evaluated) && matches
  }
  for (let at = 0; at < value.length; at++) {
    if (validation.stops(matches)) return false
    const part = at < first.length ? first[at] : rest
    const itemPath = { key: at, parent: path }
    if (part !== undefined) {
      matches = validation.apply(part, value[at], itemPath, undefined) && matches
      evaluated?.addItem(at)
    } else if (unevaluatedItems === undefined) {
      break
    }
    if (unevaluatedItems !== undefined && evaluated?.hasItem(at) !== true) {
      matches = validation.apply(unevaluatedItems, value[at], itemPath, undefined) && matches
      evaluated?.addItem(at)
    }
  }
  return matches
}

function checkContains(
  validation: Validation,
  { contains, minContains = 1, maxContains }: JsonSchema,
  value: readonly unknown[],
  path: Path | undefined,
  evaluated: Evaluated | undefined,
): boolean {
  let count = 0
  for (let at = 0; at < value.length; at++) {
    if (!validation.test(contains, value[at], undefined)) continue
    count++
    evaluated?.addItem(at)
  }
  return validation.check(
    path,
    checkCount(count, minContains, maxContains, 'items that match "contains"'),
  )
}
