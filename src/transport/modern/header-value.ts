/**
 * Header values that stand for values of the body.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
 */
import { decodeBase64Text } from '../../platform/base64.ts'

const PREFIX = '=?base64?'
const SUFFIX = '?='
const PLAIN = /^[\t\x20-\x7e]*$/

/** The value that a header carries, or undefined where it holds what no header may. */
export function decodeHeaderValue(raw: string): string | undefined {
  const encoded =
    raw.length >= PREFIX.length + SUFFIX.length && raw.startsWith(PREFIX) && raw.endsWith(SUFFIX)
  if (encoded) return decodeBase64Text(raw.slice(PREFIX.length, -SUFFIX.length))
  return PLAIN.test(raw) ? raw : undefined
}

const DECIMAL = /^-?\d{1,20}(?:\.\d{1,20})?$/
const INTEGER = /^-?\d{1,20}(?:\.0{1,20})?$/

/** Whether a decoded header says the same as a value of the body; integers compare as numbers. */
export function sameValue(header: string, value: unknown): boolean {
  switch (typeof value) {
    case 'string':
      return header === value
    case 'boolean':
      return header === String(value)
    case 'number':
      // Reading a fraction rounds it, and it must not be rounded to an integer.
      return (Number.isInteger(value) ? INTEGER : DECIMAL).test(header) && Number(header) === value
    default:
      return false
  }
}
