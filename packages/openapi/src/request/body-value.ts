/** Reads the argument of the request body, and what encoders return for it. */
import { isJsonObject, type JsonObject } from '../../../../src/protocol/json.ts'
import { ToolError } from '../../../../src/server/tool-error.ts'

export interface EncodedBody {
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly contentType: string
}

/** @throws {ToolError} for another value */
export function objectOf(value: unknown): JsonObject {
  if (isJsonObject(value)) return value
  throw new ToolError('Invalid arguments: body must be an object')
}

/** @throws {ToolError} for a text that is not base64 */
export function decodeBytes(argument: string, value: unknown): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(String(value))
  } catch {
    // Not base64.
    throw new ToolError(`Invalid arguments: ${argument} must be base64`)
  }
}
