/** The keywords that look at one value alone. Each function returns what is wrong with it. */
import type { JsonSchema } from '../../protocol/content.ts'
import { jsonEquals } from './json-equality.ts'

/**
 * Maximum length of a text that a `pattern` is matched with, in UTF-16 code units. The author chooses the
 * expression and is responsible for its growth; this bounds it for one that grows with the square.
 */
export const MAX_PATTERN_INPUT = 100_000

/** Maximum length of the constants that an issue quotes, in UTF-16 code units. */
const MAX_QUOTED = 200

export type Fault = string | undefined

export function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

export function checkType(type: unknown, value: unknown): Fault {
  if (type === undefined || hasType(type, value)) return undefined
  const expected = Array.isArray(type) ? type.join(' or ') : String(type)
  return `must be ${expected}, not ${typeOf(value)}`
}

function hasType(type: unknown, value: unknown): boolean {
  if (Array.isArray(type)) return type.some((one) => hasType(one, value))
  return type === 'integer' ? Number.isInteger(value) : type === typeOf(value)
}

export function checkConstants(schema: JsonSchema, value: unknown): Fault {
  if (Object.hasOwn(schema, 'const') && !jsonEquals(value, schema.const)) {
    return `must be ${quote(schema.const)}`
  }
  const options = schema.enum
  if (Array.isArray(options) && !options.some((option) => jsonEquals(value, option))) {
    return `must be one of ${quote(options)}`
  }
  return undefined
}

export function quote(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text
}

export function checkNumber(schema: JsonSchema, value: number): Fault {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  if (typeof minimum === 'number' && value < minimum) return `must be at least ${minimum}`
  if (typeof maximum === 'number' && value > maximum) return `must be at most ${maximum}`
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) {
    return `must be more than ${exclusiveMinimum}`
  }
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) {
    return `must be less than ${exclusiveMaximum}`
  }
  if (typeof multipleOf === 'number' && !isMultipleOf(value, multipleOf)) {
    return `must be a multiple of ${multipleOf}`
  }
  return undefined
}

/** Compares decimals exactly: 0.3 is a multiple of 0.1, although the quotient of the doubles is not an integer. */
function isMultipleOf(value: number, divisor: number): boolean {
  if (value % divisor === 0) return true
  const [a, exponent] = decimal(value)
  const [b, divisorExponent] = decimal(divisor)
  const shift = BigInt(Math.abs(exponent - divisorExponent))
  const scaled = 10n ** shift
  return exponent >= divisorExponent ? (a * scaled) % b === 0n : a % (b * scaled) === 0n
}

/** A number as an integer coefficient and a power of ten. */
function decimal(value: number): readonly [bigint, number] {
  const [coefficient = '', exponent = '0'] = Math.abs(value).toString().split('e')
  const [whole = '', fraction = ''] = coefficient.split('.')
  return [BigInt(whole + fraction), Number(exponent) - fraction.length]
}

export function checkText(
  schema: JsonSchema,
  value: string,
  regExp: (pattern: string) => RegExp,
): Fault {
  const { minLength, maxLength, pattern } = schema
  if (typeof maxLength === 'number' && isLonger(value, maxLength)) {
    return `must have at most ${maxLength} characters`
  }
  if (typeof minLength === 'number' && minLength > 0 && !isLonger(value, minLength - 1)) {
    return `must have at least ${minLength} characters`
  }
  if (typeof pattern === 'string') {
    if (value.length > MAX_PATTERN_INPUT) return 'is too long to be matched with its pattern'
    if (!regExp(pattern).test(value)) return `must match the pattern ${quote(pattern)}`
  }
  return undefined
}

/** Whether a text has more characters (code points) than a limit. */
function isLonger(text: string, limit: number): boolean {
  if (text.length <= limit) return false
  if (text.length > 2 * limit) return true
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const isPair = (text.codePointAt(at) ?? 0) > 0xffff
    if (++count > limit) return true
    if (isPair) at++
  }
  return false
}

/** @param what the plural noun of what is counted */
export function checkCount(count: number, minimum: unknown, maximum: unknown, what: string): Fault {
  if (typeof minimum === 'number' && count < minimum) return `must have at least ${minimum} ${what}`
  if (typeof maximum === 'number' && count > maximum) return `must have at most ${maximum} ${what}`
  return undefined
}
