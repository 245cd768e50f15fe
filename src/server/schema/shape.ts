/**
 * Object schemas from shapes: `{ name: z.string(), age: z.number().optional() }` stands for the object with
 * these properties. Properties that the shape does not name are dropped. `{}` is the empty object.
 */
import type { JsonSchema } from '../../protocol/content.ts'
import { isJsonObject, type JsonValue } from '../../protocol/json.ts'
import { convertSchema } from './convert.ts'
import {
  type Issue,
  isStandardSchema,
  MAX_ISSUES,
  type SchemaShape,
  type StandardSchema,
  type ValidationResult,
} from './standard-schema.ts'

/** Whether an object is a shape and no JSON Schema: it is empty, or a value of it is a schema of a library. */
export function isShape(schema: object): schema is SchemaShape {
  if (isStandardSchema(schema)) return false
  const values = Object.values(schema)
  return values.length === 0 || values.some(isLibrarySchema)
}

/** @throws {TypeError} that names a property whose value is not a schema of a library */
export function schemaOfShape(shape: SchemaShape): StandardSchema {
  const members = Object.entries(shape).map(([name, schema]) => memberOf(name, schema))
  return {
    '~standard': {
      version: 1,
      vendor: 'edgeway',
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
  readonly standard: StandardSchema['~standard']
  readonly isOptional: (side: 'input' | 'output') => boolean
}

function memberOf(name: string, schema: unknown): Member {
  if (!isLibrarySchema(schema) || !isStandardSchema(schema)) {
    throw new TypeError(
      `property "${name}" must be a schema, as the other properties are: a Standard Schema such as z.string()`,
    )
  }
  const standard = schema['~standard']
  return { name, standard, isOptional: (side) => isOptional(schema, side) }
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
  const properties = members.map(({ name, standard }) => {
    try {
      return [name, moveReferences(convertSchema(standard, side), name)] as const
    } catch (cause) {
      const { message } = cause as TypeError
      throw new TypeError(`property "${name}": ${message}`, { cause })
    }
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
  const checked: (Checked | Promise<Checked>)[] = members.map(({ name, standard }) => {
    const outcome = standard.validate(Object.hasOwn(value, name) ? value[name] : undefined)
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
