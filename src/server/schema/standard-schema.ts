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

export type Schema = StandardSchema | RawJsonSchema

/** What a caller must send: the schema's input side. */
export type InferInput<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly input: infer I }
    ? I
    : never
  : unknown

/** What a handler receives: the schema's output side. Raw JSON Schema gives an unknown record. */
export type InferArguments<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly output: infer O }
    ? O
    : never
  : Record<string, unknown>

export function isStandardSchema(schema: object): schema is StandardSchema {
  return '~standard' in schema
}
