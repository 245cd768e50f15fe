/** Converts a Standard Schema to JSON Schema for the wire. */
import type { JsonSchema } from '../../protocol/content.ts'
import { locate } from '../define/checks.ts'
import { convertDefaults } from './defaults.ts'
import { JSON_SCHEMA, type StandardSchema } from './standard-schema.ts'

/** What is wrong with a schema that has no conversion, and what to pass. */
export const NOT_DESCRIBED =
  'does not describe itself as JSON Schema, as zod does from 4.2 on (zod/mini does not): pass jsonSchema({ … })'

/**
 * @param side `input` for values that clients send, `output` for values that they receive
 * @throws {TypeError} if the schema cannot be expressed as JSON Schema
 */
export function convertSchema(schema: StandardSchema, side: 'input' | 'output'): JsonSchema {
  const standard = schema['~standard']
  if (typeof standard.jsonSchema?.[side] !== 'function') {
    throw new TypeError(`this ${standard.vendor} schema ${NOT_DESCRIBED}`)
  }
  let json: JsonSchema
  try {
    const convert = () => standard.jsonSchema[side]({ target: 'draft-2020-12' }) as JsonSchema
    json = convertDefaults(schema, convert)
  } catch (cause) {
    // A shape names its property.
    if (cause instanceof TypeError) throw cause
    const why = cause instanceof Error ? cause.message : String(cause)
    // A schema of zod has its members in `shape`.
    const members: readonly [string, StandardSchema][] = Object.entries(
      Reflect.get(schema, 'shape') ?? {},
    )
    for (const [name, member] of members) {
      locate(`property "${name}"`, () => convertSchema(member, side))
    }
    throw new TypeError(`it cannot be expressed as JSON Schema: ${why}`, { cause })
  }
  if (standard.vendor === JSON_SCHEMA) return json
  // 2020-12 is the default dialect of the protocol, so `$schema` is redundant.
  const { $schema: _, ...rest } = json
  return rest
}
