/**
 * One validation of one value: the issues that it records, and the bounds of its memory and work.
 *
 * The memory does not grow with the number of faults: a validation records the first {@link MAX_ISSUES}, and
 * then stops at the next. The work is bounded by {@link MAX_STEPS}.
 */
import type { JsonSchema } from '../../protocol/content.ts'
import { isJsonObject } from '../../protocol/json.ts'
import { applyArrayKeywords } from './array-keywords.ts'
import { checkConstants, checkNumber, checkText, checkType, type Fault } from './assertions.ts'
import { Evaluated } from './evaluated.ts'
import { applyInPlaceKeywords } from './in-place-keywords.ts'
import { applyObjectKeywords } from './object-keywords.ts'
import type { References } from './references.ts'
import { type Issue, MAX_ISSUES } from './standard-schema.ts'

/**
 * Maximum number of subschemas that one validation applies. A recursive schema with alternatives could
 * otherwise apply a number that is exponential in the depth of the value.
 */
export const MAX_STEPS = 5_000_000

/** The path to a value, innermost first. It becomes an array only in an issue. */
export interface Path {
  readonly key: string | number
  readonly parent: Path | undefined
}

export interface ValidatorOptions {
  /** Draft-07 ignores the siblings of `$ref`. */
  readonly refStandsAlone?: boolean
  /** Checks the keyword `format`. Absent: it is ignored. */
  readonly checkFormat?: (schema: JsonSchema, value: string) => Fault
}

export class Validation {
  readonly issues: Issue[] = []
  /** Returns a compiled `pattern`. */
  readonly regExp: (pattern: string) => RegExp
  /** How many issues are recorded before the validation stops at a fault. */
  #capacity = MAX_ISSUES + 1
  #steps = 0

  readonly #references: References
  readonly #options: ValidatorOptions

  constructor(
    references: References,
    options: ValidatorOptions,
    regExp: (pattern: string) => RegExp,
  ) {
    this.regExp = regExp
    this.#references = references
    this.#options = options
  }

  /**
   * Whether the value matches. After a fault, continues only to record further issues.
   *
   * @param outer collects the members and items that the schema has evaluated; undefined if no schema
   *   around this one needs them
   */
  apply(
    schema: unknown,
    value: unknown,
    path: Path | undefined,
    outer: Evaluated | undefined,
  ): boolean {
    if (schema === true) return true
    if (!isJsonObject(schema)) return this.fail(path, 'is not allowed')
    if (++this.#steps > MAX_STEPS) return this.fail(path, 'is too complex to be validated')
    const needsEvaluated =
      schema.unevaluatedProperties !== undefined || schema.unevaluatedItems !== undefined
    const evaluated = needsEvaluated || outer !== undefined ? new Evaluated() : undefined
    const matches = this.#applyKeywords(schema, value, path, evaluated)
    if (matches && evaluated !== undefined) outer?.add(evaluated)
    return matches
  }

  /** In order: references, the value alone, in place, then its members or items. */
  #applyKeywords(
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

  /** Applies a schema without recording issues. */
  test(schema: unknown, value: unknown, evaluated: Evaluated | undefined): boolean {
    const capacity = this.#capacity
    this.#capacity = this.issues.length
    const matches = this.apply(schema, value, undefined, evaluated)
    this.#capacity = capacity
    return matches
  }

  /** Records a fault, if there is one. Returns whether there is none. */
  check(path: Path | undefined, fault: Fault): boolean {
    return fault === undefined || this.fail(path, fault)
  }

  /** Records a fault, if there is room for it. */
  fail(path: Path | undefined, message: string): false {
    if (this.issues.length < this.#capacity) this.issues.push({ message, path: keysOf(path) })
    return false
  }

  /** Whether there is a fault and no room for further issues. */
  stops(matches: boolean): boolean {
    return !matches && this.issues.length >= this.#capacity
  }
}

function keysOf(path: Path | undefined): (string | number)[] {
  const keys: (string | number)[] = []
  for (let at = path; at !== undefined; at = at.parent) keys.push(at.key)
  return keys.reverse()
}
