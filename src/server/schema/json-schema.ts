/** `jsonSchema()`: a JSON Schema as a value, which brings the validator. */
import type { JsonSchema } from '../../protocol/content.ts'
import { excerpt } from '../../protocol/protocol-error.ts'
import { checkJsonSchema } from './check-json-schema.ts'
import { checkFormat } from './formats.ts'
import { JSON_SCHEMA, type StandardSchema, type ValidationResult } from './standard-schema.ts'
import { createValidator, type Validator } from './validator.ts'

const DRAFT_7 = 'http://json-schema.org/draft-07/schema'

/** The supported dialects: `$schema` without a trailing `#`. */
const DIALECTS: readonly string[] = [
  'https://json-schema.org/draft/2020-12/schema',
  'https://json-schema.org/draft/2019-09/schema',
  DRAFT_7,
]

/**
 * A JSON Schema (2020-12, 2019-09 or draft-07) where a schema of a library is expected. Clients receive it unchanged.
 *
 * @param options `undeclared: 'drop'`: top-level members of arguments that the schema does not declare are dropped where they
 *   are the fault, as some hosts add their own
 * @typeParam T the type of the values, which the author knows. A schema that is malformed, refers to another document or
 *   exceeds the bounds is a `TypeError` where it is registered.
 */
export function jsonSchema<T = Record<string, unknown>>(
  schema: object,
  { undeclared }: { readonly undeclared?: 'drop' } = {},
): StandardSchema<T> {
  const json = schema as JsonSchema
  let validator: Validator | undefined
  // A fault is reported where the schema is used, with the name of its tool.
  const checked = (): JsonSchema => {
    if (typeof json !== 'object' || json === null || Array.isArray(json)) {
      throw new TypeError('jsonSchema() needs a JSON Schema object')
    }
    const refStandsAlone = dialectOf(json) === DRAFT_7
    checkJsonSchema(json)
    validator ??= createValidator(json, { refStandsAlone, checkFormat })
    return json
  }
  const validate = (value: unknown) => {
    if (validator === undefined) checked()
    return interpret(validator as Validator, value)
  }
  return {
    '~standard': {
      version: 1,
      vendor: JSON_SCHEMA,
      // The author names the type.
      validate: validate as StandardSchema<T>['~standard']['validate'],
      jsonSchema: { input: checked, output: checked },
      ...(undeclared === 'drop' && { dropsUndeclared: true }),
    },
  }
}

function dialectOf({ $schema }: JsonSchema): string | undefined {
  if ($schema === undefined) return undefined
  const dialect = String($schema).replace(/#$/, '')
  if (DIALECTS.includes(dialect)) return dialect
  throw new TypeError(`the JSON Schema dialect "${excerpt(String($schema))}" is not supported`)
}

function interpret(validator: Validator, value: unknown): ValidationResult<unknown> {
  // JSON cannot represent these values. They match no schema.
  const known = typeof value
  if (known === 'undefined' || known === 'bigint' || known === 'function' || known === 'symbol') {
    return { issues: [{ message: `must be JSON, not ${known}` }] }
  }
  return validator(value)
}
