/**
 * Decodes header values that repeat values of the body, and compares the two.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
 */
import { decodeBase64Text } from '../../platform/base64.ts'

const PREFIX = '=?base64?'
const SUFFIX = '?='
const PLAIN = /^[\t\x20-\x7e]*$/

/** Returns undefined for a value with characters that must be encoded, or with invalid encoding. */
export function decodeHeaderValue(raw: string): string | undefined {
  const encoded =
    raw.length >= PREFIX.length + SUFFIX.length && raw.startsWith(PREFIX) && raw.endsWith(SUFFIX)
  if (encoded) return decodeBase64Text(raw.slice(PREFIX.length, -SUFFIX.length))
  return PLAIN.test(raw) ? raw : undefined
}

const DECIMAL = /^-?\d{1,20}(?:\.\d{1,20})?$/
const INTEGER = /^-?\d{1,20}(?:\.0{1,20})?$/

/** Compares a decoded header with a value of the body. Integers compare as numbers. */
export function sameValue(header: string, value: unknown): boolean {
  switch (typeof value) {
    case 'string':
      return header === value
    case 'boolean':
      return header === String(value)
    case 'number':
      // Parsing rounds unsafe integers, so two different ones would be equal.
      if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false
      // Parsing rounds a fraction, so a header with one must not equal an integer of the body.
      return (Number.isInteger(value) ? INTEGER : DECIMAL).test(header) && Number(header) === value
    default:
      return false
  }
}
