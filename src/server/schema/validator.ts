/**
 * Validates JSON values with a JSON Schema of 2020-12, 2019-09 or draft-07. The schema must have passed
 * `check-json-schema.ts`. `validation.ts` bounds the memory and the work of one validation.
 */
import type { JsonSchema } from '../../protocol/content.ts'
import { isJsonObject } from '../../protocol/json.ts'
import { applyArrayKeywords } from './array-keywords.ts'
import { checkConstants, checkNumber, checkText, checkType, type Fault } from './assertions.ts'
import type { Evaluated } from './evaluated.ts'
import { applyInPlaceKeywords } from './in-place-keywords.ts'
import { applyObjectKeywords } from './object-keywords.ts'
import { type References, resolveReferences } from './references.ts'
import type { ValidationResult } from './standard-schema.ts'
import { type Path, Validation } from './validation.ts'

export interface ValidatorOptions {
  /** Draft-07 ignores the siblings of `$ref`. */
  readonly refStandsAlone?: boolean
  /** Checks the keyword `format`. Absent: it is ignored. */
  readonly checkFormat?: (schema: JsonSchema, value: string) => Fault
}

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
    const run = new SchemaValidation(this.#references, this.#options, this.#regExp)
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

/** Applies the keywords of a schema in order: references, the value alone, in place, then its members or items. */
class SchemaValidation extends Validation {
  readonly #references: References
  readonly #options: ValidatorOptions

  constructor(
    references: References,
    options: ValidatorOptions,
    regExp: (pattern: string) => RegExp,
  ) {
    super(regExp)
    this.#references = references
    this.#options = options
  }

  protected override applyKeywords(
    schema: JsonSchema,
    value: unknown,
    path: Path | undefined,
    evaluated: Evaluated | undefined,
  ): boolean {
    const targets = this.#references.get(schema)
    let matches = true
    for (const target of targets ?? []) {
      matches = this.apply(target, value, path, evaluated) && matches
    }
    if (targets !== undefined && this.#options.refStandsAlone === true) return matches
    matches = this.check(path, checkType(schema.type, value)) && matches
    if (this.stops(matches)) return false
    matches = this.check(path, checkConstants(schema, value)) && matches
    if (typeof value === 'number') matches = this.check(path, checkNumber(schema, value)) && matches
    if (typeof value === 'string') {
      matches = this.check(path, checkText(schema, value, this.regExp)) && matches
      matches = this.check(path, this.#options.checkFormat?.(schema, value)) && matches
    }
    if (this.stops(matches)) return false
    matches = applyInPlaceKeywords(this, schema, value, path, evaluated) && matches
    if (this.stops(matches)) return false
    if (Array.isArray(value)) {
      return applyArrayKeywords(this, schema, value, path, evaluated) && matches
    }
    if (isJsonObject(value)) {
      return applyObjectKeywords(this, schema, value, path, evaluated) && matches
    }
    return matches
  }
}
