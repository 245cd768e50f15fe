/** Headers that repeat values of the body, as a client of the modern era sends them. */
import { encodeBase64 } from '../../../src/platform/base64.ts'
import { isJsonObject, type JsonObject } from '../../../src/protocol/json.ts'

const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/
const ENCODED = /^=\?base64\?.*\?=$/

/** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding */
export function encodeHeaderValue(value: string): string {
  if (PLAIN.test(value) && !ENCODED.test(value)) return value
  return `=?base64?${encodeBase64(new TextEncoder().encode(value))}?=`
}

/**
 * The `Mcp-Param-*` headers of a call: the arguments that the tool's schema marks with `x-mcp-header`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters
 */
export function paramHeaders(schema: JsonObject, args: unknown): Record<string, string> {
  const headers: Record<string, string> = {}
  const { properties } = schema
  if (!isJsonObject(properties) || !isJsonObject(args)) return headers
  for (const [key, property] of Object.entries(properties)) {
    const value = args[key]
    if (!isJsonObject(property) || value === undefined) continue
    const name = property['x-mcp-header']
    if (typeof name === 'string' && value !== null && typeof value !== 'object') {
      headers[`mcp-param-${name.toLowerCase()}`] = encodeHeaderValue(String(value))
    }
    Object.assign(headers, paramHeaders(property, value))
  }
  return headers
}
