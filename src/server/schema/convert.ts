/** Converts a Standard Schema to JSON Schema for the wire. */
import type { JsonSchema } from '../../protocol/content.ts'
import { JSON_SCHEMA, type StandardSchema } from './standard-schema.ts'

/**
 * @param side `input` for values that clients send, `output` for values that they receive
 * @throws {TypeError} if the schema cannot be expressed as JSON Schema
 */
export function convertSchema(
  standard: StandardSchema['~standard'],
  side: 'input' | 'output',
): JsonSchema {
  if (typeof standard.jsonSchema?.[side] !== 'function') {
    const hint = standard.vendor === 'zod' ? '; zod does since version 4.2' : ''
    throw new TypeError(
      `this ${standard.vendor} schema does not describe itself as JSON Schema (Standard JSON Schema)${hint}`,
    )
  }
  let json: JsonSchema
  try {
    json = standard.jsonSchema[side]({ target: 'draft-2020-12' }) as JsonSchema
  } catch (cause) {
    // A shape names its property.
    if (cause instanceof TypeError) throw cause
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new TypeError(`it cannot be expressed as JSON Schema: ${why}`, { cause })
  }
  if (standard.vendor === JSON_SCHEMA) return json
  // 2020-12 is the default dialect of the protocol, so `$schema` is redundant.
  const { $schema: _, ...rest } = json
  return rest
}
