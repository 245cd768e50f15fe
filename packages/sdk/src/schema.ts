/** The schemas that the SDK accepts: zod 3.25 and 4, Standard Schemas, and shapes of them. */
import type { JsonSchema } from '../../../src/protocol/content.ts'
import { convertSchema } from '../../../src/server/schema/convert.ts'
import { jsonSchema } from '../../../src/server/schema/json-schema.ts'
import { schemaOfShape } from '../../../src/server/schema/shape.ts'
import {
  isStandardSchema,
  type Schema,
  type SchemaMember,
  type SchemaShape,
  type SchemaTypes,
  SHAPE,
  type StandardSchema,
} from '../../../src/server/schema/standard-schema.ts'
import { describeZod3, isEarlyZod3, isZod3 } from './zod3.ts'

/** A schema of a library, such as zod 3.25, zod 4.2 or ArkType. */
export interface AnySchema {
  readonly '~standard': { readonly vendor: string }
}

/** A schema that describes itself as JSON Schema (SDK 2.x), such as one of zod 4.2. */
export type StandardSchemaWithJSON<Input = unknown, Output = Input> = AnySchema & {
  readonly '~standard': {
    readonly jsonSchema: object
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
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
  if (isEarlyZod3(schema) || Object.values(schema).some(isEarlyZod3)) {
    throw new TypeError(
      `${subject}: a schema of zod 3 must be of version 3.24 or later: update zod`,
    )
  }
  if (isZod3(schema)) return describeZod3(schema)
  if (isStandardSchema(schema)) return schema
  const members = Object.entries(schema)
  if (typeof schema === 'function' || !members.every(([, member]) => isSchema(member))) {
    throw new TypeError(`${subject} must be a schema, or an object whose values are schemas`)
  }
  return Object.fromEntries(
    members.map(([name, member]) => [name, isZod3(member) ? describeZod3(member) : member]),
  )
}

/**
 * {@link toSchema} for a tool. The SDK makes an object of zod of a shape, and tells clients that it has no other
 * members: the SDK 1.x of every object of zod 3, both SDKs of an output of zod 4.
 *
 * @throws {TypeError} for a value that is neither a schema nor a shape
 */
export function toToolSchema(subject: string, schema: object): Schema {
  const translated = toSchema(subject, schema)
  const members = Object.values(schema)
  if (isSchema(schema) || members.length === 0) return translated
  const isOfZod3 = members.every(isZod3)
  if (!isOfZod3 && !members.every(isZod4)) return translated
  const { validate, jsonSchema } = schemaOfShape(translated as SchemaShape)['~standard']
  const closed = (side: 'input' | 'output') => () => ({
    ...jsonSchema[side]({ target: 'draft-2020-12' }),
    additionalProperties: false,
  })
  const described = isOfZod3
    ? { input: closed('input'), output: closed('output'), accepted: () => acceptedBy(translated) }
    : { input: jsonSchema.input, output: closed('output') }
  const object: StandardSchema = {
    '~standard': { version: 1, vendor: SHAPE, validate, jsonSchema: described },
  }
  return object
}

function isZod4(schema: object): boolean {
  return '_zod' in schema
}

/** The object of the members of a shape, each described as its input. */
function acceptedBy(shape: object): JsonSchema {
  const accepted = Object.entries(shape).map(([name, member]) => [name, acceptedOf(member)])
  return convertSchema(schemaOfShape(Object.fromEntries(accepted)), 'input')
}

/** The schema of a member that describes what it accepts as its input. */
function acceptedOf(member: StandardSchema): StandardSchema {
  const standard = member['~standard']
  const { input, output, accepted = () => input({ target: 'draft-2020-12' }) } = standard.jsonSchema
  return { ...member, '~standard': { ...standard, jsonSchema: { input: accepted, output } } }
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

/**
 * `fromJsonSchema()` of the SDK 2.x: a JSON Schema where a schema of a library is expected.
 *
 * @typeParam T the type of the values, which the author knows
 * @param _validator has no effect: Edgeway has its own
 * @throws {TypeError} for a JSON Schema that is invalid
 */
export function fromJsonSchema<T = unknown>(
  schema: object,
  _validator?: unknown,
): StandardSchema<T> {
  const value = jsonSchema<T>({ ...schema })
  value['~standard'].jsonSchema.input({ target: 'draft-2020-12' })
  return value
}
