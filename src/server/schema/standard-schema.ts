/**
 * Types of Standard Schema with JSON Schema output. zod 4, ArkType, Valibot and others implement it.
 *
 * @see https://standardschema.dev
 */

export interface Issue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** Maximum number of issues that are reported for one value. */
export const MAX_ISSUES = 10

export type ValidationResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] }

/** A schema object that validates values and converts itself to JSON Schema. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (
      value: unknown,
    ) => ValidationResult<Output> | Promise<ValidationResult<Output>>
    readonly jsonSchema: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>
      readonly output: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>
      /** Of `edgeway/sdk`: what `validate` accepts, where that is more than `input` tells clients. */
      readonly accepted?: () => Record<string, unknown>
    }
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    /** Of `jsonSchema()`: whether members of arguments that it does not declare are dropped. */
    readonly dropsUndeclared?: boolean
  }
}

/** The vendor of a value of `jsonSchema()`. */
export const JSON_SCHEMA = 'edgeway'
/** The vendor of an object of schemas of libraries. */
export const SHAPE = 'edgeway-shape'

/**
 * The schemas that a registration accepts. The type names only the members that distinguish a Standard
 * Schema from another object: comparing whole schemas dominates compile time with 200 tools.
 */
export type Schema = DescribedSchema | SchemaShape

/** Schemas by property name: the object with these properties. `{}` is the empty object. */
export interface SchemaShape {
  readonly [property: string]: DescribedSchema
}

export interface DescribedSchema {
  readonly '~standard': { readonly vendor: string; readonly jsonSchema: object }
}

// Reading a member is cheap for the compiler; `S extends { … }` compares whole schemas.
export type SchemaMember<T, K extends string> = T[K & keyof T]
export type SchemaTypes<S> = NonNullable<SchemaMember<SchemaMember<S, '~standard'>, 'types'>>

/** The type of values that a client sends: the input type of the schema. */
export type InferInput<S> = '~standard' extends keyof S
  ? SchemaMember<SchemaTypes<S>, 'input'>
  : S extends SchemaShape
    ? ShapeType<S, 'input'>
    : unknown

/** The type of arguments that a handler receives: the output type of the schema. */
export type InferArguments<S> = '~standard' extends keyof S
  ? SchemaMember<SchemaTypes<S>, 'output'>
  : S extends SchemaShape
    ? ShapeType<S, 'output'>
    : Record<string, unknown>

/** The type of the object of a shape. A property whose type includes `undefined` may be absent. */
export type ShapeType<S extends SchemaShape, Side extends 'input' | 'output'> = Flattened<
  {
    [K in keyof S as undefined extends ShapeMember<S[K], Side> ? never : K]: ShapeMember<S[K], Side>
  } & {
    [K in keyof S as undefined extends ShapeMember<S[K], Side> ? K : never]?: ShapeMember<
      S[K],
      Side
    >
  }
>

/** An intersection of objects as one object. */
export type Flattened<T> = { [K in keyof T]: T[K] }

/** The type of one property of a shape. */
export type ShapeMember<S, Side extends string> = SchemaMember<SchemaTypes<S>, Side>

export function isStandardSchema(schema: object): schema is StandardSchema {
  return '~standard' in schema
}
