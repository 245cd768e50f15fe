/**
 * Checks the headers that repeat the body. A proxy may have routed or authorized the request by these
 * headers, so a missing, malformed or different header refuses it.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation
 */
import type { MethodEntry } from '../../dispatch/methods/method.ts'
import type { MirroredParam } from '../../dispatch/target.ts'
import { decodeBase64Text } from '../../platform/base64.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import type { RequestMessage } from '../../protocol/json-rpc.ts'
import { excerpt } from '../../protocol/protocol-error.ts'
import { Refusal } from '../refusal.ts'

export function mismatch({ id }: RequestMessage, text: string): Refusal {
  return new Refusal('header-mismatch', `Header mismatch: ${text}`, { id })
}

/** @throws {Refusal} header-mismatch */
export function checkMethodHeader(message: RequestMessage, headers: Headers): void {
  const header = headers.get('mcp-method')
  if (header === null) throw mismatch(message, 'Mcp-Method is required')
  if (header !== message.method) {
    throw mismatch(message, `Mcp-Method "${excerpt(header)}" must be the method of the body`)
  }
}

/** @throws {Refusal} header-mismatch */
export function checkNameHeader(
  message: RequestMessage,
  { nameParam: source }: MethodEntry,
  headers: Headers,
): void {
  if (source === undefined) return
  const value = message.params?.[source]
  const header = headers.get('mcp-name')
  // With neither header nor valid parameter, the method refuses its own params.
  if (typeof value !== 'string' && header === null) return
  if (header === null) throw mismatch(message, 'Mcp-Name is required')
  if (decodeHeaderValue(header) !== value) {
    throw mismatch(message, `Mcp-Name "${excerpt(header)}" must be params.${source} of the body`)
  }
}

/** @throws {Refusal} header-mismatch */
export function checkParamHeaders(
  message: RequestMessage,
  headers: Headers,
  params: readonly MirroredParam[],
): void {
  for (const { header, path } of params) {
    const raw = headers.get(header)
    const value = valueAt(message.params?.arguments, path)
    const name = path.join('.')
    if (raw === null) {
      // An object or array cannot be mirrored. The tool's schema refuses it.
      if (value === undefined || value === null || typeof value === 'object') continue
      throw mismatch(message, `${header} is required, because the argument ${name} is given`)
    }
    const decoded = decodeHeaderValue(raw)
    if (decoded === undefined) throw mismatch(message, `${header} must be a valid header value`)
    if (!sameValue(decoded, value))
      throw mismatch(message, `${header} must be the argument ${name}`)
  }
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  let at: unknown = args
  for (const key of path) {
    if (!isJsonObject(at) || !Object.hasOwn(at, key)) return undefined
    at = (at as JsonObject)[key]
  }
  return at
}

const PREFIX = '=?base64?'
const SUFFIX = '?='
const PLAIN = /^[\t\x20-\x7e]*$/

/**
 * Returns undefined for a value with characters that must be encoded, or with invalid encoding.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
 */
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
