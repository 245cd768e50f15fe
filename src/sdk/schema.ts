/** The schemas that the SDK accepts: zod 3.25 and 4, Standard Schemas, and shapes of them. */
import {
  isStandardSchema,
  type Schema,
  type SchemaMember,
  type SchemaTypes,
} from '../server/schema/standard-schema.ts'
import { describeZod3, isZod3 } from './zod3.ts'

/** A schema of a library, such as zod 3.25, zod 4.2 or ArkType. */
export interface AnySchema {
  readonly '~standard': { readonly vendor: string }
}

/** Schemas by property name. */
export interface ZodRawShape {
  readonly [property: string]: AnySchema
}

export type SchemaOutput<S> = SchemaMember<SchemaTypes<S>, 'output'>
/** Every property of the shape is present in the type, as in the SDK. */
export type ShapeOutput<S> = { [K in keyof S]: SchemaOutput<S[K]> }
/** The arguments that a handler receives. */
export type ArgumentsOf<Args> = Args extends AnySchema ? SchemaOutput<Args> : ShapeOutput<Args>

/**
 * Converts a schema to one that the main entry accepts.
 *
 * @throws {TypeError} for a value that is neither a schema nor a shape
 */
export function toSchema(subject: string, schema: object): Schema {
  if (isZod3(schema)) return describeZod3(schema)
  if (isStandardSchema(schema)) return schema
  const members = Object.entries(schema)
  if (!members.every(([, member]) => isSchema(member))) {
    throw new TypeError(`${subject} must be a schema, or an object whose values are schemas`)
  }
  return Object.fromEntries(
    members.map(([name, member]) => [name, isZod3(member) ? describeZod3(member) : member]),
  )
}

/** Whether an object is a shape, where the SDK also accepts annotations. `{}` is a shape. */
export function isShape(value: unknown): value is ZodRawShape {
  if (typeof value !== 'object' || value === null || isSchema(value)) return false
  const members = Object.values(value)
  return members.length === 0 || members.some(isSchema)
}

export function isSchema(value: unknown): value is AnySchema {
  const kind = typeof value
  return (
    value !== null && (kind === 'object' || kind === 'function') && '~standard' in Object(value)
  )
}

/** The schemas of the properties of a shape or of a zod object schema, by name. */
export function membersOf(schema: object): readonly (readonly [string, unknown])[] {
  const shape: object = isSchema(schema) ? (Reflect.get(schema, 'shape') ?? {}) : schema
  return Object.entries(shape)
}
