/** What clients accept at the root of the schema of a tool, and how large it may be. */
import { jsonOf } from '../../../../text/src/json/json-text.ts'

/** Claude leaves out a tool with a larger `inputSchema`. */
export const MAX_SCHEMA_BYTES = 16_384

/** Claude Code leaves out a tool with one of them at a root: the interface of its model accepts none there. */
const COMPOSITIONS = ['oneOf', 'anyOf', 'allOf', 'if'] as const

export const isComposed = (schema: object): boolean =>
  COMPOSITIONS.some((keyword) => keyword in schema)

/** Bytes of the JSON of a schema. Infinite for one that is nested too deeply. */
export function sizeOf(schema: unknown): number {
  const text = schema === undefined ? '' : jsonOf(schema)
  return text === undefined ? Number.POSITIVE_INFINITY : Buffer.byteLength(text)
}

export const sizeText = (bytes: number): string =>
  Number.isFinite(bytes) ? `of ${bytes} bytes` : 'that is nested too deeply'
