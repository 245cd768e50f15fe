/**
 * Describes schemas of zod 3.24 and later as JSON Schema. zod 3 validates as a Standard Schema, but has no
 * conversion of its own.
 */
import type { JsonSchema } from '../protocol/content.ts'
import type { JsonObject, JsonValue } from '../protocol/json.ts'
import type { StandardSchema } from '../server/schema/standard-schema.ts'

type Side = 'input' | 'output'

/** The internals of a zod 3 schema that describe it. The members depend on `typeName`. */
interface Zod3Definition {
  readonly typeName: string
  readonly description?: string
  readonly checks?: readonly Check[]
  readonly [member: string]: unknown
}

interface Check {
  readonly kind: string
  readonly value?: number | string
  readonly inclusive?: boolean
  readonly regex?: RegExp
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
      return Object.assign({ type: 'string' }, ...checks.map(stringKeywords))
    case 'ZodNumber': {
      const type = checks.some(({ kind }) => kind === 'int') ? 'integer' : 'number'
      return Object.assign({ type }, ...checks.map(numberKeywords))
    }
    case 'ZodBigInt':
      return { type: 'integer' }
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
      return { const: definition.value as JsonValue }
    case 'ZodEnum':
      return { type: 'string', enum: definition.values as JsonValue[] }
    case 'ZodNativeEnum':
      return { enum: enumValues(definition.values as Readonly<Record<string, JsonValue>>) }
    case 'ZodObject':
      return objectSchema(definition, side, convert)
    case 'ZodRecord':
      return { type: 'object', additionalProperties: convert(definition.valueType) }
    case 'ZodArray':
      return arraySchema(definition, convert)
    case 'ZodSet':
      return { type: 'array', uniqueItems: true, items: convert(definition.valueType) }
    case 'ZodTuple':
      return {
        type: 'array',
        prefixItems: list('items'),
        items: definition.rest ? convert(definition.rest) : false,
      }
    case 'ZodUnion':
    case 'ZodDiscriminatedUnion':
      return { anyOf: list('options') }
    case 'ZodIntersection':
      return { allOf: [convert(definition.left), convert(definition.right)] }
    case 'ZodNullable':
      return { anyOf: [convert(definition.innerType), { type: 'null' }] }
    case 'ZodDefault':
      return withDefault(definition, convert)
    case 'ZodCatch':
      return convert(definition.innerType)
    case 'ZodLazy':
      return convert((definition.getter as () => unknown)())
    case 'ZodPipeline':
      return convert(side === 'input' ? definition.in : definition.out)
    case 'ZodEffects': {
      const { type } = definition.effect as { readonly type: string }
      return side === 'output' && type === 'transform' ? {} : convert(definition.schema)
    }
    default:
      throw new TypeError(`${typeName} of zod 3 cannot be expressed as JSON Schema`)
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  email: 'email',
  url: 'uri',
  uuid: 'uuid',
  datetime: 'date-time',
  date: 'date',
  time: 'time',
  duration: 'duration',
}

function stringKeywords({ kind, value, regex }: Check): JsonObject {
  const format = FORMATS[kind]
  if (format !== undefined) return { format }
  if (kind === 'min') return { minLength: value as number }
  if (kind === 'max') return { maxLength: value as number }
  if (kind === 'length') return { minLength: value as number, maxLength: value as number }
  // Flags have no place in JSON Schema. zod checks them in any case.
  if (kind === 'regex' && regex?.flags === '') return { pattern: regex.source }
  return {}
}

function numberKeywords({ kind, value, inclusive }: Check): JsonObject {
  const number = value as number
  if (kind === 'min') return inclusive ? { minimum: number } : { exclusiveMinimum: number }
  if (kind === 'max') return inclusive ? { maximum: number } : { exclusiveMaximum: number }
  return kind === 'multipleOf' ? { multipleOf: number } : {}
}

/** The values of a TypeScript enum. One of numbers also has its names as values. */
function enumValues(values: Readonly<Record<string, JsonValue>>): JsonValue[] {
  const names = Object.keys(values).filter(
    (name) => typeof values[String(values[name])] !== 'number',
  )
  return names.map((name) => values[name] ?? null)
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
      : unknownKeys === 'strict'
        ? { additionalProperties: false }
        : undefined),
  }
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
  const bound = (member: string) => (definition[member] as { readonly value: number } | null)?.value
  const exact = bound('exactLength')
  const [min, max] = [exact ?? bound('minLength'), exact ?? bound('maxLength')]
  return {
    type: 'array',
    items: convert(definition.type),
    ...(min === undefined ? undefined : { minItems: min }),
    ...(max === undefined ? undefined : { maxItems: max }),
  }
}

function withDefault(definition: Zod3Definition, convert: Convert): JsonSchema {
  const value = (definition.defaultValue as () => unknown)()
  const text = JSON.stringify(value)
  const json = convert(definition.innerType)
  return text === undefined ? json : { ...json, default: JSON.parse(text) }
}
