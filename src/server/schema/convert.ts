/** Converts a Standard Schema to JSON Schema for the wire. */
import type { JsonSchema } from '../../protocol/content.ts'
import { JSON_SCHEMA, type StandardSchema } from './standard-schema.ts'

/** What is wrong with a schema that has no conversion, and what to pass. */
export const NOT_DESCRIBED =
  'does not describe itself as JSON Schema (Standard JSON Schema): use zod 4.2 or later without zod/mini, toStandardJsonSchema(…) for Valibot, or jsonSchema({ … })'

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
    json = standard.jsonSchema[side]({ target: 'draft-2020-12' }) as JsonSchema
  } catch (cause) {
    // A shape names its property.
    if (cause instanceof TypeError) throw cause
    const why = cause instanceof Error ? cause.message : String(cause)
    const place = placeOfFault(schema, side)
    const at = place === '' ? '' : `, at ${place}`
    throw new TypeError(`it cannot be expressed as JSON Schema: ${why}${at}`, { cause })
  }
  if (standard.vendor === JSON_SCHEMA) return json
  // 2020-12 is the default dialect of the protocol, so `$schema` is redundant.
  const { $schema: _, ...rest } = json
  return rest
}

/** A schema of zod within another one, as its conversion passes it to `override`. */
interface Visited {
  readonly zodSchema: StandardSchema
  readonly path: readonly (string | number)[]
}

/** Where a schema of zod cannot be expressed: the deepest place. Empty for other libraries. */
function placeOfFault(schema: StandardSchema, side: 'input' | 'output'): string {
  let place: Visited['path'] = []
  const override = ({ zodSchema, path }: Visited) => {
    if (path.length > place.length && !isExpressible(zodSchema, side)) place = path
  }
  isExpressible(schema, side, { unrepresentable: 'any', override })
  return place.join('/')
}

function isExpressible(
  schema: StandardSchema,
  side: 'input' | 'output',
  libraryOptions?: object,
): boolean {
  try {
    schema['~standard'].jsonSchema[side]({ target: 'draft-2020-12', libraryOptions } as never)
    return true
  } catch {
    return false
  }
}
