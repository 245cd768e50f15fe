/**
 * Describes schemas of zod 3.24 and later as JSON Schema. zod 3 validates as a Standard Schema, but has no
 * conversion of its own.
 */
import type { JsonSchema } from '../../../src/protocol/content.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'
import type { StandardSchema } from '../../../src/server/schema/standard-schema.ts'
import {
  enumSchema,
  enumValues,
  literalSchema,
  nullableSchema,
  unionSchema,
} from './zod3-choices.ts'
import { type Check, numberKeywords, stringSchema } from './zod3-scalars.ts'

/** `accepted` is `input`, with the members that zod drops. */
type Side = 'input' | 'output' | 'accepted'

/** The internals of a zod 3 schema that describe it. The members depend on `typeName`. */
interface Zod3Definition {
  readonly typeName: string
  readonly description?: string
  readonly checks?: readonly Check[]
  readonly [member: string]: unknown
}

export interface Zod3Schema {
  readonly _def: Zod3Definition
  readonly isOptional: () => boolean
  readonly '~standard': Pick<StandardSchema['~standard'], 'version' | 'vendor' | 'validate'>
}

export function isZod3(schema: unknown): schema is Zod3Schema {
  if (typeof schema !== 'object' || schema === null || !('_def' in schema)) return false
  return typeof (schema._def as Partial<Zod3Definition>).typeName === 'string'
}

/** Whether a schema is of zod before 3.24, which is no Standard Schema. */
export function isEarlyZod3(schema: unknown): boolean {
  return isZod3(schema) && !('~standard' in schema)
}

export function describeZod3(schema: Zod3Schema): StandardSchema {
  const { version, vendor } = schema['~standard']
  return {
    '~standard': {
      version,
      vendor,
      validate: (value) => schema['~standard'].validate(value),
      jsonSchema: {
        input: () => toJson(schema, 'input', []),
        output: () => toJson(schema, 'output', []),
        accepted: () => toJson(schema, 'accepted', []),
      },
    },
  }
}

/**
 * @param within the schemas around this one: a schema inside of itself is described as any value
 * @throws {TypeError} for a type that JSON cannot represent
 */
function toJson(schema: Zod3Schema, side: Side, within: readonly Zod3Schema[]): JsonSchema {
  if (within.includes(schema)) return {}
  const definition = schema._def
  const convert = (inner: unknown): JsonSchema =>
    toJson(inner as Zod3Schema, side, [...within, schema])
  const json = convertType(definition, side, convert)
  const { description } = definition
  return description === undefined ? json : { ...json, description }
}

type Convert = (inner: unknown) => JsonSchema

/** Schemas around one other schema, and the member that has it. */
const WRAPPERS: Readonly<Record<string, string>> = {
  ZodOptional: 'innerType',
  ZodReadonly: 'innerType',
  ZodBranded: 'type',
  ZodPromise: 'type',
}

function convertType(definition: Zod3Definition, side: Side, convert: Convert): JsonSchema {
  const { typeName, checks = [] } = definition
  const list = (member: string) => (definition[member] as readonly unknown[]).map(convert)
  const wrapped = WRAPPERS[typeName]
  if (wrapped !== undefined) return convert(definition[wrapped])
  switch (typeName) {
    case 'ZodString':
      return stringSchema(checks)
    case 'ZodNumber': {
      const type = checks.some(({ kind }) => kind === 'int') ? 'integer' : 'number'
      return Object.assign({ type }, ...checks.map(numberKeywords))
    }
    case 'ZodBigInt':
      return Object.assign({ type: 'integer', format: 'int64' }, ...checks.map(numberKeywords))
    case 'ZodBoolean':
      return { type: 'boolean' }
    case 'ZodDate':
      return { type: 'string', format: 'date-time' }
    case 'ZodNull':
      return { type: 'null' }
    case 'ZodAny':
    case 'ZodUnknown':
      return {}
    case 'ZodNever':
      return { not: {} }
    case 'ZodLiteral':
      return literalSchema(definition.value)
    case 'ZodEnum':
      return { type: 'string', enum: definition.values as JsonValue[] }
    case 'ZodNativeEnum':
      return enumSchema(enumValues(definition.values as Readonly<Record<string, JsonValue>>))
    case 'ZodObject':
      return objectSchema(definition, side, convert)
    case 'ZodRecord':
      return recordSchema(definition, convert)
    case 'ZodArray':
      return arraySchema(definition, convert)
    case 'ZodSet':
      return {
        type: 'array',
        uniqueItems: true,
        items: convert(definition.valueType),
        ...bounds(definition, 'minSize', 'maxSize'),
      }
    case 'ZodTuple':
      return {
        type: 'array',
        minItems: (definition.items as readonly unknown[]).length,
        prefixItems: list('items'),
        items: definition.rest ? convert(definition.rest) : false,
      }
    case 'ZodUnion':
    case 'ZodDiscriminatedUnion':
      return unionSchema(list('options'))
    case 'ZodIntersection':
      return { allOf: [convert(definition.left), convert(definition.right)].flatMap(openParts) }
    case 'ZodNullable':
      return nullableSchema(convert(definition.innerType))
    case 'ZodDefault':
      return withDefault(definition, convert)
    case 'ZodCatch':
      return convert(definition.innerType)
    case 'ZodLazy':
      return convert((definition.getter as () => unknown)())
    case 'ZodPipeline':
      return convert(side === 'output' ? definition.out : definition.in)
    case 'ZodEffects': {
      const { type } = definition.effect as { readonly type: string }
      return side === 'output' && type === 'transform' ? {} : convert(definition.schema)
    }
    default:
      throw new TypeError(`${typeName} of zod 3 cannot be expressed as JSON Schema`)
  }
}

function objectSchema(definition: Zod3Definition, side: Side, convert: Convert): JsonSchema {
  const { shape, unknownKeys, catchall } = definition
  const members = Object.entries((shape as () => Record<string, Zod3Schema>)())
  const required = members.filter(([, member]) => isRequired(member, side)).map(([name]) => name)
  const others = (catchall as Zod3Schema)._def.typeName
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, member]) => [name, convert(member)])),
    ...(required.length > 0 ? { required } : undefined),
    ...(others !== 'ZodNever'
      ? { additionalProperties: convert(catchall) }
      : unknownKeys === 'passthrough'
        ? { additionalProperties: true }
        : unknownKeys === 'strict' || side !== 'accepted'
          ? { additionalProperties: false }
          : undefined),
  }
}

/** The parts of an intersection. Closed, each would exclude the members of the others. */
function openParts({ additionalProperties, ...part }: JsonSchema): readonly JsonSchema[] {
  if (Array.isArray(part.allOf)) return part.allOf as JsonSchema[]
  const closed = additionalProperties === false || additionalProperties === undefined
  return [closed ? part : { ...part, additionalProperties }]
}

function isRequired(member: Zod3Schema, side: Side): boolean {
  const { typeName } = member._def
  if (side === 'output' && (typeName === 'ZodDefault' || typeName === 'ZodCatch')) return true
  try {
    return !member.isOptional()
  } catch {
    // A refinement of the author that cannot take undefined.
    return true
  }
}

function arraySchema(definition: Zod3Definition, convert: Convert): JsonSchema {
  const isAny = (definition.type as Zod3Schema)._def.typeName === 'ZodAny'
  return {
    type: 'array',
    ...(isAny ? undefined : { items: convert(definition.type) }),
    ...bounds(definition, 'minLength', 'maxLength'),
    ...bounds(definition, 'exactLength', 'exactLength'),
  }
}

/** The bounds of an array or a set, from the members that have them. */
function bounds(definition: Zod3Definition, minName: string, maxName: string): JsonObject {
  const bound = (member: string) => (definition[member] as { readonly value: number } | null)?.value
  const [min, max] = [bound(minName), bound(maxName)]
  return {
    ...(min === undefined ? undefined : { minItems: min }),
    ...(max === undefined ? undefined : { maxItems: max }),
  }
}

function recordSchema(definition: Zod3Definition, convert: Convert): JsonSchema {
  const { type: _, ...names } = definition.keyType ? convert(definition.keyType) : {}
  return {
    type: 'object',
    additionalProperties: convert(definition.valueType),
    ...(Object.keys(names).length === 0 ? undefined : { propertyNames: names }),
  }
}

function withDefault(definition: Zod3Definition, convert: Convert): JsonSchema {
  const json = convert(definition.innerType)
  try {
    const text = JSON.stringify((definition.defaultValue as () => unknown)())
    return text === undefined ? json : { ...json, default: JSON.parse(text) }
  } catch {
    // A function that needs random values, which the global scope of a Worker does not have.
    return json
  }
}
