/**
 * Standard Schema with JSON Schema output, as types: what zod 4, ArkType, Valibot and others implement.
 *
 * @see https://standardschema.dev
 */

export interface Issue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export type ValidationResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] }

/** Any schema object that validates and can describe itself as JSON Schema. */
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
    }
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** A JSON Schema 2020-12 document, passed to the wire untouched. */
export type RawJsonSchema = { readonly [keyword: string]: unknown } & {
  readonly '~standard'?: never
}

/**
 * What a definition takes. Of a Standard Schema the compiler looks only at what tells it from
 * another object: comparing whole schemas is most of what 200 tools would cost it.
 */
export type Schema = DescribedSchema | RawJsonSchema

export interface DescribedSchema {
  readonly '~standard': { readonly vendor: string; readonly jsonSchema: object }
}

// Reading a member compares nothing, where `S extends { … }` compares whole schemas.
type Member<T, K extends string> = T[K & keyof T]
type TypesOf<S> = NonNullable<Member<Member<S, '~standard'>, 'types'>>

/** What a caller must send: the schema's input side. */
export type InferInput<S> = '~standard' extends keyof S ? Member<TypesOf<S>, 'input'> : unknown

/** What a handler receives: the schema's output side. Raw JSON Schema gives an unknown record. */
export type InferArguments<S> = '~standard' extends keyof S
  ? Member<TypesOf<S>, 'output'>
  : Record<string, unknown>

export function isStandardSchema(schema: object): schema is StandardSchema {
  return '~standard' in schema
}
