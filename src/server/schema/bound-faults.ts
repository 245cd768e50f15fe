/**
 * Bounds the memory that a Standard Schema takes for the faults of a large value. Schema libraries record
 * every fault, each with its path: 100,000 wrong items take more than 100 MB, and no option stops them.
 */
import type { JsonSchema } from '../../protocol/content.ts'
import { findFaults } from './find-faults.ts'
import { MAX_ISSUES, type ValidationResult } from './standard-schema.ts'

/** Values with at most this many members and items are validated by their library alone. */
export const SMALL_VALUE = 10_000

type Validate = (value: unknown) => ValidationResult<unknown> | Promise<ValidationResult<unknown>>

/**
 * Checks a large value with the JSON Schema of its Standard Schema first, which stops after its first
 * faults. A value with more than {@link MAX_ISSUES} of them is refused with these.
 */
export function boundFaults(json: JsonSchema, validate: Validate): Validate {
  return (value) => {
    if (isSmall(value)) return validate(value)
    const issues = findFaults(json, value, MAX_ISSUES + 1)
    return issues.length > MAX_ISSUES ? { issues } : validate(value)
  }
}

/** Stops counting at the bound. */
function isSmall(value: unknown): boolean {
  let room = SMALL_VALUE
  const fits = (part: unknown): boolean => {
    if (typeof part !== 'object' || part === null) return true
    // `for in` allocates no list of keys.
    for (const key in part) {
      if (--room < 0 || !fits((part as Record<string, unknown>)[key])) return false
    }
    return true
  }
  return fits(value)
}
