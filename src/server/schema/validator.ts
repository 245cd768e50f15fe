/**
 * Validates JSON values with a JSON Schema of 2020-12, 2019-09 or draft-07. The schema must have passed
 * `check-json-schema.ts`. `validation.ts` bounds the memory and the work of one validation.
 */
import type { JsonSchema } from '../../protocol/content.ts'
import { type References, resolveReferences } from './references.ts'
import type { ValidationResult } from './standard-schema.ts'
import { Validation, type ValidatorOptions } from './validation.ts'

export class JsonSchemaValidator {
  readonly #schema: JsonSchema
  readonly #references: References
  readonly #options: ValidatorOptions
  readonly #patterns = new Map<string, RegExp>()

  /** @throws {TypeError} for a reference that leads back to itself without a step into the value */
  constructor(schema: JsonSchema, options: ValidatorOptions = {}) {
    this.#schema = schema
    this.#references = resolveReferences(schema)
    this.#options = options
  }

  validate(value: unknown): ValidationResult<unknown> {
    const run = new Validation(this.#references, this.#options, this.#regExp)
    return run.apply(this.#schema, value, undefined, undefined) ? { value } : { issues: run.issues }
  }

  readonly #regExp = (pattern: string): RegExp => {
    const known = this.#patterns.get(pattern)
    if (known !== undefined) return known
    const compiled = new RegExp(pattern, 'u')
    this.#patterns.set(pattern, compiled)
    return compiled
  }
}
