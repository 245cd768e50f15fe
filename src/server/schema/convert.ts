/** Converts a Standard Schema to JSON Schema for the wire. */
import type { JsonSchema } from '../../protocol/content.ts'
import { isStandardSchema, JSON_SCHEMA, type StandardSchema } from './standard-schema.ts'

/**
 * @param side `input` for values that clients send, `output` for values that they receive
 * @throws {TypeError} if the schema cannot be expressed as JSON Schema
 */
export function convertSchema(schema: StandardSchema, side: 'input' | 'output'): JsonSchema {
  const standard = schema['~standard']
  if (typeof standard.jsonSchema?.[side] !== 'function') {
    throw new TypeError(
      `this ${standard.vendor} schema does not describe itself as JSON Schema (Standard JSON Schema)${hint(schema)}`,
    )
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

/** The version of zod that a schema of zod 4 carries. */
interface ZodVersion {
  readonly _zod?: { readonly version?: { readonly major: number; readonly minor: number } }
}

/** How to come to a schema that describes itself. */
function hint(schema: StandardSchema): string {
  const { vendor } = schema['~standard']
  if (vendor === 'valibot') return ': pass toStandardJsonSchema(…) of @valibot/to-json-schema'
  if (vendor !== 'zod') return ': pass its JSON Schema as jsonSchema({ … })'
  const { major = 0, minor = 0 } = (schema as ZodVersion)._zod?.version ?? {}
  return major > 4 || (major === 4 && minor >= 2)
    ? ': zod/mini has no conversion, so import z from "zod"'
    : '; zod does since version 4.2'
}

/** A schema of zod within another one, as its conversion passes it to `override`. */
interface Visited {
  readonly zodSchema: object
  readonly path: readonly (string | number)[]
}

/** Where a schema of zod cannot be expressed: the deepest place. Empty for other libraries. */
function placeOfFault(schema: StandardSchema, side: 'input' | 'output'): string {
  const visited: Visited[] = []
  const libraryOptions = {
    unrepresentable: 'any',
    override: (visit: Visited) => visited.push(visit),
  }
  try {
    schema['~standard'].jsonSchema[side]({ target: 'draft-2020-12', libraryOptions } as never)
  } catch {
    return ''
  }
  const paths = visited
    .filter(({ zodSchema }) => isStandardSchema(zodSchema) && !isExpressible(zodSchema, side))
    .map(({ path }) => path)
  const deepest = paths.toSorted((one, other) => other.length - one.length)[0] ?? []
  return deepest.join('/')
}

function isExpressible(schema: StandardSchema, side: 'input' | 'output'): boolean {
  try {
    schema['~standard'].jsonSchema[side]({ target: 'draft-2020-12' })
    return true
  } catch {
    return false
  }
}
