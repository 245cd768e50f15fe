/**
 * Object schemas from shapes: `{ name: z.string(), age: z.number().optional() }` stands for the object with
 * these properties. Properties that the shape does not name are dropped. `{}` is the empty object.
 */
import type { JsonSchema } from '../../protocol/content.ts'
import { isJsonObject, type JsonValue } from '../../protocol/json.ts'
import { locate } from '../define/checks.ts'
import { convertSchema, NOT_DESCRIBED } from './convert.ts'
import {
  type Issue,
  isStandardSchema,
  MAX_ISSUES,
  type SchemaShape,
  SHAPE,
  type StandardSchema,
  type ValidationResult,
} from './standard-schema.ts'

/** Whether an object is a shape and no JSON Schema: it is `{}`, or a value of it is a schema of a library. */
export function isShape(schema: object): schema is SchemaShape {
  if (typeof schema === 'function' || isStandardSchema(schema)) return false
  const values = Object.values(schema)
  return values.length === 0 ? isPlain(schema) : values.some(isLibrarySchema)
}

/** Also of another realm. A `Map` or a promise, such as one of `import()`, is no empty shape. */
function isPlain(value: object): boolean {
  return Object.prototype.toString.call(value) === '[object Object]'
}

/** Members by which a JSON Schema is recognised. */
const KEYWORDS = ['type', 'properties', '$ref', 'anyOf']

/** Why an object is neither a schema of a library nor a shape. */
export function whyNoSchema(schema: object): string {
  if (isLibrarySchema(schema)) return `this schema ${NOT_DESCRIBED}`
  const [name] = Object.keys(schema)
  if (name === undefined) return NO_SCHEMA
  if (KEYWORDS.some((keyword) => Reflect.get(schema, keyword) !== undefined)) {
    return 'a JSON Schema must be passed as its value: jsonSchema({ … })'
  }
  return whyNoMember(name, Reflect.get(schema, name))
}

export const NO_SCHEMA = 'a schema must be a Standard Schema, or the value of jsonSchema({ … })'

function whyNoMember(name: string, value: unknown): string {
  const isUndefined = value === undefined ? ' is undefined: it' : ''
  return `property "${name}"${isUndefined} must be a schema such as z.string()`
}

/** @throws {TypeError} that names a property whose value is not a schema of a library */
export function schemaOfShape(shape: SchemaShape): StandardSchema {
  const members = Object.entries(shape).map(([name, schema]) => memberOf(name, schema))
  return {
    '~standard': {
      version: 1,
      vendor: SHAPE,
      validate: (value) => validateMembers(members, value),
      jsonSchema: {
        input: () => jsonOf(members, 'input'),
        output: () => jsonOf(members, 'output'),
      },
    },
  }
}

interface Member {
  readonly name: string
  readonly schema: StandardSchema
  readonly isOptional: (side: 'input' | 'output') => boolean
}

function memberOf(name: string, schema: unknown): Member {
  if (!isLibrarySchema(schema) || !isStandardSchema(schema)) {
    throw new TypeError(whyNoMember(name, schema))
  }
  return { name, schema, isOptional: (side) => isOptional(schema, side) }
}

/** Schema objects have `~standard`. The ones of zod 3 before 3.24 have not, and are refused by name. */
function isLibrarySchema(value: unknown): value is object {
  const kind = typeof value
  if (value === null || (kind !== 'object' && kind !== 'function')) return false
  return (
    '~standard' in (value as object) ||
    typeof Reflect.get(value as object, 'safeParse') === 'function'
  )
}

/** The member of zod 4 schemas that says whether a property may be absent. */
interface ZodInternals {
  readonly _zod?: { readonly optin?: string; readonly optout?: string }
}

/** Whether a property may be absent: zod says so, other libraries accept `undefined`. */
function isOptional(schema: StandardSchema, side: 'input' | 'output'): boolean {
  const { _zod } = schema as ZodInternals
  if (_zod !== undefined) return (side === 'input' ? _zod.optin : _zod.optout) !== undefined
  try {
    const checked = schema['~standard'].validate(undefined)
    return !(checked instanceof Promise) && checked.issues === undefined
  } catch {
    // A refinement that cannot take undefined.
    return false
  }
}

function jsonOf(members: readonly Member[], side: 'input' | 'output'): JsonSchema {
  const properties = members.map(({ name, schema }) => {
    const json = locate(`property "${name}"`, () => convertSchema(schema, side))
    return [name, moveReferences(json, name)] as const
  })
  const required = members.filter(({ isOptional }) => !isOptional(side)).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? undefined : { required }),
  }
}

/** Adapts references within the schema of a property to its place in the object schema. */
function moveReferences(json: JsonSchema, name: string): JsonSchema {
  const place = `#/properties/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`
  const moved = JSON.stringify(json, (key, value: JsonValue) =>
    key === '$ref' && typeof value === 'string' && value.startsWith('#')
      ? `${place}${value.slice(1)}`
      : value,
  )
  return JSON.parse(moved)
}

type Checked = readonly [string, ValidationResult<unknown>]

function validateMembers(
  members: readonly Member[],
  value: unknown,
): ValidationResult<unknown> | Promise<ValidationResult<unknown>> {
  if (!isJsonObject(value)) return { issues: [{ message: 'must be an object' }] }
  const checked: (Checked | Promise<Checked>)[] = members.map(({ name, schema }) => {
    const outcome = schema['~standard'].validate(
      Object.hasOwn(value, name) ? value[name] : undefined,
    )
    return outcome instanceof Promise
      ? outcome.then((later): Checked => [name, later])
      : [name, outcome]
  })
  return checked.some((one) => one instanceof Promise)
    ? Promise.all(checked).then(combine)
    : combine(checked as Checked[])
}

function combine(checked: readonly Checked[]): ValidationResult<unknown> {
  const issues: Issue[] = []
  const values: [string, unknown][] = []
  for (const [name, outcome] of checked) {
    if (outcome.issues === undefined) {
      if (outcome.value !== undefined) values.push([name, outcome.value])
      continue
    }
    for (const { message, path = [] } of outcome.issues) {
      issues.push({ message, path: [name, ...path] })
      if (issues.length > MAX_ISSUES) return { issues }
    }
  }
  return issues.length > 0 ? { issues } : { value: Object.fromEntries(values) }
}
