/**
 * One validation of one value: the issues that it records, and the bounds of its memory and work.
 *
 * The memory does not grow with the number of faults: a validation records the first {@link MAX_ISSUES}, and
 * then stops at the next. The work is bounded by {@link MAX_STEPS}.
 */
import type { JsonSchema } from '../../protocol/content.ts'
import { isJsonObject } from '../../protocol/json.ts'
import type { Fault } from './assertions.ts'
import { Evaluated } from './evaluated.ts'
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

/** Implements everything but the keywords themselves: {@link applyKeywords} applies those. */
export abstract class Validation {
  readonly issues: Issue[] = []
  /** Returns a compiled `pattern`. */
  readonly regExp: (pattern: string) => RegExp
  /** How many issues are recorded before the validation stops at a fault. */
  #capacity = MAX_ISSUES + 1
  #steps = 0

  constructor(regExp: (pattern: string) => RegExp) {
    this.regExp = regExp
  }

  /** @param evaluated collects the members and items that the keywords evaluate, where a schema needs them */
  protected abstract applyKeywords(
    schema: JsonSchema,
    value: unknown,
    path: Path | undefined,
    evaluated: Evaluated | undefined,
  ): boolean

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
    const matches = this.applyKeywords(schema, value, path, evaluated)
    if (matches && evaluated !== undefined) outer?.add(evaluated)
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
