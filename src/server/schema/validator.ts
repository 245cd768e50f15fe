/**
 * Validates JSON values with a JSON Schema of 2020-12, 2019-09 or draft-07. The schema must have passed
 * `check-json-schema.ts`.
 *
 * The memory of one validation does not grow with the number of faults: it records the first
 * {@link MAX_ISSUES}, and then stops at the next. The work is bounded too ({@link MAX_STEPS}).
 */
import type { JsonSchema } from '../../protocol/content.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import {
  checkConstants,
  checkFormat,
  checkNumber,
  checkText,
  checkType,
  type Fault,
} from './assertions.ts'
import { Evaluated } from './evaluated.ts'
import { areUnique } from './json-equality.ts'
import { type References, resolveReferences } from './references.ts'
import { type Issue, MAX_ISSUES, type ValidationResult } from './standard-schema.ts'

/**
 * Maximum number of subschemas that one validation applies. A recursive schema with alternatives could
 * otherwise apply a number that is exponential in the depth of the value.
 */
export const MAX_STEPS = 5_000_000

/** The path to a value, innermost first. It becomes an array only in an issue. */
interface Path {
  readonly key: string | number
  readonly parent: Path | undefined
}

export interface ValidatorOptions {
  /** Draft-07 ignores the siblings of `$ref`. */
  readonly refStandsAlone?: boolean
  /** Whether `format` is checked. Default true. */
  readonly formats?: boolean
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
    const run = new Validation(this.#references, this.#options, this.#patterns)
    return run.apply(this.#schema, value, undefined, undefined) ? { value } : { issues: run.issues }
  }
}

class Validation {
  readonly issues: Issue[] = []
  readonly #references: References
  readonly #options: ValidatorOptions
  readonly #patterns: Map<string, RegExp>
  /** How many issues are recorded before the validation stops at a fault. */
  #capacity = MAX_ISSUES + 1
  #steps = 0

  constructor(references: References, options: ValidatorOptions, patterns: Map<string, RegExp>) {
    this.#references = references
    this.#options = options
    this.#patterns = patterns
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
    if (!isJsonObject(schema)) return this.#fail(path, 'is not allowed')
    if (++this.#steps > MAX_STEPS) return this.#fail(path, 'is too complex to be validated')
    const needsEvaluated =
      schema.unevaluatedProperties !== undefined || schema.unevaluatedItems !== undefined
    const evaluated = needsEvaluated || outer !== undefined ? new Evaluated() : undefined
    const matches = this.#applyKeywords(schema, value, path, evaluated)
    if (matches && evaluated !== undefined) outer?.add(evaluated)
    return matches
  }

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
    matches = this.#check(path, checkType(schema.type, value)) && matches
    if (this.#stops(matches)) return false
    matches = this.#check(path, checkConstants(schema, value)) && matches
    if (typeof value === 'number')
      matches = this.#check(path, checkNumber(schema, value)) && matches
    if (typeof value === 'string') {
      matches = this.#check(path, checkText(schema, value, this.#regExp)) && matches
      if (this.#options.formats !== false) {
        matches = this.#check(path, checkFormat(schema, value)) && matches
      }
    }
    if (this.#stops(matches)) return false
    matches = this.#applyInPlace(schema, value, path, evaluated) && matches
    if (this.#stops(matches)) return false
    if (Array.isArray(value)) return this.#applyItems(schema, value, path, evaluated) && matches
    if (isJsonObject(value)) return this.#applyMembers(schema, value, path, evaluated) && matches
    return matches
  }

  /** The keywords whose subschemas apply to the same value. */
  #applyInPlace(
    schema: JsonSchema,
    value: unknown,
    path: Path | undefined,
    evaluated: Evaluated | undefined,
  ): boolean {
    const { allOf, anyOf, oneOf, not, if: condition } = schema
    let matches = true
    if (Array.isArray(allOf)) {
      for (const part of allOf) {
        matches = this.apply(part, value, path, evaluated) && matches
        if (this.#stops(matches)) return false
      }
    }
    if (Array.isArray(anyOf)) {
      matches = this.#countMatches(anyOf, value, path, evaluated, 1) > 0 && matches
    }
    if (Array.isArray(oneOf)) {
      const count = this.#countMatches(oneOf, value, path, evaluated, 2)
      if (count > 1) this.#fail(path, 'must match only one of the alternatives')
      matches = count === 1 && matches
    }
    if (not !== undefined && this.#test(not, value, undefined)) {
      matches = this.#fail(path, 'must not match an excluded schema')
    }
    if (condition !== undefined) {
      const branch = this.#test(condition, value, evaluated) ? schema.then : schema.else
      if (branch !== undefined) matches = this.apply(branch, value, path, evaluated) && matches
    }
    return matches
  }

  /** Counts the alternatives that match, up to `enough`. If none matches, their issues stay recorded. */
  #countMatches(
    alternatives: readonly unknown[],
    value: unknown,
    path: Path | undefined,
    evaluated: Evaluated | undefined,
    enough: number,
  ): number {
    const before = this.issues.length
    let count = 0
    for (const alternative of alternatives) {
      if (this.apply(alternative, value, path, evaluated)) count++
      if (count > 0) this.issues.length = before
      // `unevaluatedProperties` needs the members that every alternative evaluates.
      if (count >= enough && evaluated === undefined) break
    }
    return count
  }

  /** Applies a schema without recording issues. */
  #test(schema: unknown, value: unknown, evaluated: Evaluated | undefined): boolean {
    const capacity = this.#capacity
    this.#capacity = this.issues.length
    const matches = this.apply(schema, value, undefined, evaluated)
    this.#capacity = capacity
    return matches
  }

  #applyMembers(
    schema: JsonSchema,
    value: JsonObject,
    path: Path | undefined,
    evaluated: Evaluated | undefined,
  ): boolean {
    const { properties, patternProperties, propertyNames, unevaluatedProperties } = schema
    let matches = this.#checkNames(schema, value, path, evaluated)
    if (this.#stops(matches)) return false
    const known = isJsonObject(properties) ? properties : {}
    for (const key in known) {
      if (!Object.hasOwn(known, key) || !Object.hasOwn(value, key)) continue
      matches = this.apply(known[key], value[key], { key, parent: path }, undefined) && matches
      if (this.#stops(matches)) return false
      evaluated?.addMember(key)
    }
    const patterns = isJsonObject(patternProperties) ? Object.entries(patternProperties) : []
    const others = schema.additionalProperties
    if (
      patterns.length === 0 &&
      propertyNames === undefined &&
      others === undefined &&
      unevaluatedProperties === undefined
    ) {
      return matches
    }
    for (const key in value) {
      const at = { key, parent: path }
      const item = value[key]
      if (propertyNames !== undefined) {
        matches = this.apply(propertyNames, key, at, undefined) && matches
      }
      let isKnown = Object.hasOwn(known, key)
      for (const [pattern, part] of patterns) {
        if (key.length > MAX_MATCHED_KEY || !this.#regExp(pattern).test(key)) continue
        isKnown = true
        evaluated?.addMember(key)
        matches = this.apply(part, item, at, undefined) && matches
      }
      if (!isKnown && others !== undefined) {
        matches = this.apply(others, item, at, undefined) && matches
        evaluated?.addMember(key)
      }
      if (unevaluatedProperties !== undefined && evaluated?.hasMember(key) !== true) {
        matches = this.apply(unevaluatedProperties, item, at, undefined) && matches
        evaluated?.addMember(key)
      }
      if (this.#stops(matches)) return false
    }
    return matches
  }

  /** The keywords about which members an object has, and those that apply because of a member. */
  #checkNames(
    schema: JsonSchema,
    value: JsonObject,
    path: Path | undefined,
    evaluated: Evaluated | undefined,
  ): boolean {
    const { required, minProperties, maxProperties } = schema
    let matches = this.#checkRequired(required, value, path)
    if (typeof minProperties === 'number' || typeof maxProperties === 'number') {
      const { length } = Object.keys(value)
      matches =
        this.#check(path, checkCount(length, minProperties, maxProperties, 'members')) && matches
    }
    for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies'] as const) {
      const dependents = schema[keyword]
      if (!isJsonObject(dependents)) continue
      for (const [key, dependent] of Object.entries(dependents)) {
        if (!Object.hasOwn(value, key)) continue
        matches =
          (Array.isArray(dependent)
            ? this.#checkRequired(dependent, value, path)
            : this.apply(dependent, value, path, evaluated)) && matches
      }
    }
    return matches
  }

  #checkRequired(required: unknown, value: JsonObject, path: Path | undefined): boolean {
    if (!Array.isArray(required)) return true
    let matches = true
    for (const key of required) {
      if (Object.hasOwn(value, key)) continue
      matches = this.#fail({ key, parent: path }, 'is required')
      if (this.#stops(matches)) return false
    }
    return matches
  }

  #applyItems(
    schema: JsonSchema,
    value: readonly unknown[],
    path: Path | undefined,
    evaluated: Evaluated | undefined,
  ): boolean {
    const { items, minItems, maxItems, uniqueItems, unevaluatedItems } = schema
    let matches = this.#check(path, checkCount(value.length, minItems, maxItems, 'items'))
    if (uniqueItems === true && !areUnique(value)) {
      matches = this.#fail(path, 'must not have equal items')
    }
    // Before 2020-12 the tuple is `items`, and the rest `additionalItems`.
    const tuple = Array.isArray(items) ? items : schema.prefixItems
    const rest = Array.isArray(items) ? schema.additionalItems : items
    const first = Array.isArray(tuple) ? tuple : []
    if (schema.contains !== undefined) {
      matches = this.#checkContains(schema, value, path, evaluated) && matches
    }
    for (let at = 0; at < value.length; at++) {
      if (this.#stops(matches)) return false
      const part = at < first.length ? first[at] : rest
      const itemPath = { key: at, parent: path }
      if (part !== undefined) {
        matches = this.apply(part, value[at], itemPath, undefined) && matches
        evaluated?.addItem(at)
      } else if (unevaluatedItems === undefined) {
        break
      }
      if (unevaluatedItems !== undefined && evaluated?.hasItem(at) !== true) {
        matches = this.apply(unevaluatedItems, value[at], itemPath, undefined) && matches
        evaluated?.addItem(at)
      }
    }
    return matches
  }

  #checkContains(
    { contains, minContains = 1, maxContains }: JsonSchema,
    value: readonly unknown[],
    path: Path | undefined,
    evaluated: Evaluated | undefined,
  ): boolean {
    let count = 0
    for (let at = 0; at < value.length; at++) {
      if (!this.#test(contains, value[at], undefined)) continue
      count++
      evaluated?.addItem(at)
    }
    return this.#check(
      path,
      checkCount(count, minContains, maxContains, 'items that match "contains"'),
    )
  }

  readonly #regExp = (pattern: string): RegExp => {
    const known = this.#patterns.get(pattern)
    if (known !== undefined) return known
    const compiled = new RegExp(pattern, 'u')
    this.#patterns.set(pattern, compiled)
    return compiled
  }

  #check(path: Path | undefined, fault: Fault): boolean {
    return fault === undefined || this.#fail(path, fault)
  }

  #fail(path: Path | undefined, message: string): false {
    if (this.issues.length < this.#capacity) this.issues.push({ message, path: keysOf(path) })
    return false
  }

  /** Whether there is a fault and no room for further issues. */
  #stops(matches: boolean): boolean {
    return !matches && this.issues.length >= this.#capacity
  }
}

/** Maximum length of a member's name that `patternProperties` is matched with, in UTF-16 code units. */
const MAX_MATCHED_KEY = 1000

function checkCount(count: number, minimum: unknown, maximum: unknown, what: string): Fault {
  if (typeof minimum === 'number' && count < minimum) return `must have at least ${minimum} ${what}`
  if (typeof maximum === 'number' && count > maximum) return `must have at most ${maximum} ${what}`
  return undefined
}

function keysOf(path: Path | undefined): (string | number)[] {
  const keys: (string | number)[] = []
  for (let at = path; at !== undefined; at = at.parent) keys.push(at.key)
  return keys.reverse()
}
