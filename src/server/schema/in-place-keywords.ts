/**
 * The keywords whose subschemas apply to the same value: alternatives, exclusions and conditions.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-core#section-10.2
 */
import type { JsonSchema } from '../../protocol/content.ts'
import type { Evaluated } from './evaluated.ts'
import type { Path, Validation } from './validation.ts'

export function applyInPlaceKeywords(
  validation: Validation,
  schema: JsonSchema,
  value: unknown,
  path: Path | undefined,
  evaluated: Evaluated | undefined,
): boolean {
  const { allOf, anyOf, oneOf, not, if: condition } = schema
  let matches = true
  if (Array.isArray(allOf)) {
    for (const part of allOf) {
      matches = validation.apply(part, value, path, evaluated) && matches
      if (validation.stops(matches)) return false
    }
  }
  if (Array.isArray(anyOf)) {
    matches = countMatches(validation, anyOf, value, path, evaluated, 1) > 0 && matches
  }
  if (Array.isArray(oneOf)) {
    const count = countMatches(validation, oneOf, value, path, evaluated, 2)
    if (count > 1) validation.fail(path, 'must match only one of the alternatives')
    matches = count === 1 && matches
  }
  if (not !== undefined && validation.test(not, value, undefined)) {
    matches = validation.fail(path, 'must not match an excluded schema')
  }
  if (condition !== undefined) {
    const branch = validation.test(condition, value, evaluated) ? schema.then : schema.else
    if (branch !== undefined) matches = validation.apply(branch, value, path, evaluated) && matches
  }
  return matches
}

/** Counts the alternatives that match, up to `enough`. If none matches, their issues stay recorded. */
function countMatches(
  validation: Validation,
  alternatives: readonly unknown[],
  value: unknown,
  path: Path | undefined,
  evaluated: Evaluated | undefined,
  enough: number,
): number {
  const before = validation.issues.length
  let count = 0
  for (const alternative of alternatives) {
    if (validation.apply(alternative, value, path, evaluated)) count++
    if (count > 0) validation.issues.length = before
    // `unevaluatedProperties` needs the members that every alternative evaluates.
    if (count >= enough && evaluated === undefined) break
  }
  return count
}
