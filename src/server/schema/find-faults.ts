/**
 * Finds the first faults of a value by the JSON Schema of a Standard Schema. A keyword that is not read here counts as
 * satisfied, so no value is refused that its library accepts.
 */
import type { JsonSchema } from '../../protocol/content.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { targetOf } from './json-pointer.ts'
import { compilePattern } from './pattern.ts'
import type { Issue } from './standard-schema.ts'

/** Subschemas that one search applies. Unions in unions could otherwise take exponential time. */
const MAX_STEPS = 2_000_000

type Path = readonly (string | number)[]

/** A fault with the subschema that finds it. */
export interface Fault extends Issue {
  readonly path: Path
  readonly schema: unknown
  /** Whether the place is a declared member that its object does not require. */
  readonly isOptional: boolean
}

/**
 * Returns the first faults, at most `bound`.
 *
 * @param expressionsOf the expressions of which one must match where the schema has a pattern; none for one that is ignored
 */
export function findFaults(
  root: JsonSchema,
  value: unknown,
  bound: number,
  expressionsOf: (pattern: string) => readonly RegExp[] = (pattern) =>
    [compilePattern(pattern)].filter((one) => one !== undefined),
): readonly Fault[] {
  const patterns = new Map<string, readonly RegExp[]>()
  let steps = 0

  const fits = (pattern: string, text: string): boolean => {
    const known = patterns.get(pattern) ?? expressionsOf(pattern)
    patterns.set(pattern, known)
    return known.length === 0 || known.some((expression) => expression.test(text))
  }

  const matches = (schema: unknown, part: unknown): boolean => {
    const found: Fault[] = []
    visit(schema, part, [], false, found, 1)
    return found.length === 0
  }

  const visit = (
    schema: unknown,
    part: unknown,
    path: Path,
    isOptional: boolean,
    found: Fault[],
    room: number,
  ): void => {
    if (found.length >= room || ++steps > MAX_STEPS) return
    const add = (message: string) => found.push({ message, path, schema, isOptional })
    if (schema === false) add('is not allowed')
    if (!isJsonObject(schema)) return
    for (const message of faultsOf(schema, part, fits)) add(message)
    const also = (other: unknown) => visit(other, part, path, isOptional, found, room)
    if (typeof schema.$ref === 'string') also(targetOf(root, schema.$ref))
    for (const each of listOf(schema.allOf)) also(each)
    for (const union of [schema.anyOf, schema.oneOf]) {
      if (Array.isArray(union) && !union.some((branch) => matches(branch, part))) {
        add('matches none of the alternatives')
      }
    }
    if (schema.not !== undefined && matches(schema.not, part)) {
      add('is not allowed')
    }
    if (Array.isArray(part)) {
      const tuple = listOf(schema.prefixItems)
      for (let at = 0; at < part.length && found.length < room; at++) {
        const item = at < tuple.length ? tuple[at] : schema.items
        if (item !== undefined) visit(item, part[at], [...path, at], false, found, room)
      }
    } else if (isJsonObject(part)) {
      for (const name in part) {
        if (found.length >= room) return
        for (const member of membersOf(schema, name, fits)) {
          const isFree = hasOwn(schema.properties, name) && !listOf(schema.required).includes(name)
          visit(member, part[name], [...path, name], isFree, found, room)
        }
        visit(schema.propertyNames, name, path, false, found, room)
      }
    }
  }

  const found: Fault[] = []
  visit(root, value, [], false, found, bound)
  return found.slice(0, bound)
}

const hasOwn = (members: unknown, name: string): members is JsonObject =>
  isJsonObject(members) && Object.hasOwn(members, name)

type Fits = (pattern: string, text: string) => boolean

/** The schemas of a member of an object. */
function membersOf(schema: JsonSchema, name: string, fits: Fits): readonly unknown[] {
  const { properties, patternProperties, additionalProperties } = schema
  const own = hasOwn(properties, name) ? [properties[name]] : []
  const patterned = isJsonObject(patternProperties)
    ? Object.entries(patternProperties).flatMap(([pattern, each]) =>
        fits(pattern, name) ? [each] : [],
      )
    : []
  const all = [...own, ...patterned]
  return all.length > 0 || additionalProperties === undefined ? all : [additionalProperties]
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** What the keywords that look at one value alone find. */
function faultsOf(schema: JsonSchema, part: unknown, fits: Fits): readonly string[] {
  const { type, enum: choices, const: constant } = schema
  if (type !== undefined && ![type].flat().some((each) => isOfType(each, part))) {
    return [`must have the type ${[type].flat().join(' or ')}`]
  }
  if (!isComplex(part)) {
    if (Array.isArray(choices) && !choices.includes(part as JsonValue)) {
      return ['must be one of the choices']
    }
    if (constant !== undefined && constant !== part) return ['must be the constant']
  }
  if (typeof part === 'string') return textFaults(schema, part, fits)
  if (typeof part === 'number' && isOutside(schema, part)) return ['is out of range']
  if (Array.isArray(part)) return isOutsideCount(schema, part.length) ? ['has a wrong length'] : []
  if (!isJsonObject(part)) return []
  return listOf(schema.required).flatMap((name) =>
    Object.hasOwn(part, String(name)) ? [] : [`must have ${String(name)}`],
  )
}

/** Longer texts are not matched with a pattern, which may take more than linear time. */
const MAX_PATTERN_INPUT = 1000

function textFaults(
  { minLength, maxLength, pattern }: JsonSchema,
  text: string,
  fits: Fits,
): readonly string[] {
  // A character has at most two code units.
  const isTooLong = (limit: number) =>
    text.length > 2 * limit || (text.length > limit && [...text].length > limit)
  if (isTooLong(bound(maxLength))) return ['is too long']
  if (text.length < bound(minLength)) return ['is too short']
  const isMatched = typeof pattern === 'string' && text.length <= MAX_PATTERN_INPUT
  return isMatched && !fits(pattern, text) ? ['must match its pattern'] : []
}

const isOutsideCount = ({ minItems, maxItems }: JsonSchema, count: number) =>
  count < bound(minItems) || count > bound(maxItems)

/** Every comparison with NaN is false. */
const bound = (value: unknown) => (typeof value === 'number' ? value : Number.NaN)

const isComplex = (value: unknown) => typeof value === 'object' && value !== null

function isOfType(type: unknown, part: unknown): boolean {
  if (type === 'integer') return Number.isInteger(part)
  if (type === 'null') return part === null
  if (type === 'array') return Array.isArray(part)
  if (type === 'object') return isComplex(part) && !Array.isArray(part)
  return typeof part === type
}

function isOutside(schema: JsonSchema, part: number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  return (
    part < bound(minimum) ||
    part > bound(maximum) ||
    part <= bound(exclusiveMinimum) ||
    part >= bound(exclusiveMaximum)
  )
}
