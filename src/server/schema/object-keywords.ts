/**
 * The keywords about the members of an object: how many, which names, and the schema of each.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-core#section-10.3.2
 */
import type { JsonSchema } from '../../protocol/content.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import { checkCount } from './assertions.ts'
import type { Evaluated } from './evaluated.ts'
import type { Path, Validation } from './validation.ts'

/** Maximum length of a member's name that `patternProperties` is matched with, in UTF-16 code units. */
const MAX_MATCHED_KEY = 1000

export function applyObjectKeywords(
  validation: Validation,
  schema: JsonSchema,
  value: JsonObject,
  path: Path | undefined,
  evaluated: Evaluated | undefined,
): boolean {
  const { properties, patternProperties, propertyNames, unevaluatedProperties } = schema
  let matches = checkNames(validation, schema, value, path, evaluated)
  if (validation.stops(matches)) return false
  const known = isJsonObject(properties) ? properties : {}
  for (const key in known) {
    if (!Object.hasOwn(known, key) || !Object.hasOwn(value, key)) continue
    matches = validation.apply(known[key], value[key], { key, parent: path }, undefined) && matches
    if (validation.stops(matches)) return false
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
      matches = validation.apply(propertyNames, key, at, undefined) && matches
    }
    let isKnown = Object.hasOwn(known, key)
    for (const [pattern, part] of patterns) {
      if (key.length > MAX_MATCHED_KEY || !validation.regExp(pattern).test(key)) continue
      isKnown = true
      evaluated?.addMember(key)
      matches = validation.apply(part, item, at, undefined) && matches
    }
    if (!isKnown && others !== undefined) {
      matches = validation.apply(others, item, at, undefined) && matches
      evaluated?.addMember(key)
    }
    if (unevaluatedProperties !== undefined && evaluated?.hasMember(key) !== true) {
      matches = validation.apply(unevaluatedProperties, item, at, undefined) && matches
      evaluated?.addMember(key)
    }
    if (validation.stops(matches)) return false
  }
  return matches
}

/** The keywords about which members an object has, and those that apply because of a member. */
function checkNames(
  validation: Validation,
  schema: JsonSchema,
  value: JsonObject,
  path: Path | undefined,
  evaluated: Evaluated | undefined,
): boolean {
  const { required, minProperties, maxProperties } = schema
  let matches = checkRequired(validation, required, value, path)
  if (typeof minProperties === 'number' || typeof maxProperties === 'number') {
    const { length } = Object.keys(value)
    matches =
      validation.check(path, checkCount(length, minProperties, maxProperties, 'members')) && matches
  }
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies'] as const) {
    const dependents = schema[keyword]
    if (!isJsonObject(dependents)) continue
    for (const [key, dependent] of Object.entries(dependents)) {
      if (!Object.hasOwn(value, key)) continue
      matches =
        (Array.isArray(dependent)
          ? checkRequired(validation, dependent, value, path)
          : validation.apply(dependent, value, path, evaluated)) && matches
    }
  }
  return matches
}

function checkRequired(
  validation: Validation,
  required: unknown,
  value: JsonObject,
  path: Path | undefined,
): boolean {
  if (!Array.isArray(required)) return true
  let matches = true
  for (const key of required) {
    if (Object.hasOwn(value, key)) continue
    matches = validation.fail({ key, parent: path }, 'is required')
    if (validation.stops(matches)) return false
  }
  return matches
}
