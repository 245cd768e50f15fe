/**
 * Validates JSON values with a JSON Schema of 2020-12, 2019-09 or draft-07. The schema must have passed
 * `check-json-schema.ts`. `validation.ts` bounds the memory and the work of one validation.
 */
import type { JsonSchema } from '../../protocol/content.ts'
import { compilePattern } from './pattern.ts'
import { resolveReferences } from './references.ts'
import type { ValidationResult } from './standard-schema.ts'
import { Validation, type ValidatorOptions } from './validation.ts'

export type Validator = (value: unknown) => ValidationResult<unknown>

/** @throws {TypeError} for a reference that leads back to itself without a step into the value */
export function createValidator(schema: JsonSchema, options: ValidatorOptions): Validator {
  const references = resolveReferences(schema)
  const patterns = new Map<string, RegExp>()
  const regExp = (pattern: string): RegExp => {
    const known = patterns.get(pattern)
    if (known !== undefined) return known
    // The check at registration refuses a text that is no expression. No value matches one.
    const compiled = compilePattern(pattern) ?? /(?!)/
    patterns.set(pattern, compiled)
    return compiled
  }
  return (value) => {
    const run = new Validation(references, options, regExp)
    return run.apply(schema, value, undefined, undefined) ? { value } : { issues: run.issues }
  }
}
