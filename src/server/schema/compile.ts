/** Compiles a Standard Schema, a shape of them, or a raw JSON Schema: its JSON for the wire, and one validation function. */
import type { JsonSchema } from '../../protocol/content.ts'
import { excerpt } from '../../protocol/protocol-error.ts'
import { boundFaults } from './bound-faults.ts'
import { checkJsonSchema, type VisitSchema } from './check-json-schema.ts'
import { convertSchema } from './convert.ts'
import { isShape, schemaOfShape } from './shape.ts'
import {
  type Issue,
  isStandardSchema,
  MAX_ISSUES,
  type Schema,
  type ValidationResult,
} from './standard-schema.ts'
import { JsonSchemaValidator } from './validator.ts'

export interface CompiledSchema {
  readonly json: JsonSchema
  /** True for raw JSON Schema, which validates JSON. A Standard Schema validates values, such as dates. */
  readonly isRaw: boolean
  readonly validate: (
    value: unknown,
  ) => ValidationResult<unknown> | Promise<ValidationResult<unknown>>
}

const DRAFT_7 = 'http://json-schema.org/draft-07/schema'

/** The supported dialects: `$schema` without a trailing `#`. */
const DIALECTS: readonly string[] = [
  'https://json-schema.org/draft/2020-12/schema',
  'https://json-schema.org/draft/2019-09/schema',
  DRAFT_7,
]

/**
 * Compiles a schema.
 *
 * @param side `input` for values that clients send, `output` for values that they receive
 * @throws {TypeError} if the schema cannot be converted to JSON Schema, or fails `checkJsonSchema`
 */
export function compileSchema(
  schema: Schema,
  side: 'input' | 'output',
  visit?: VisitSchema,
): CompiledSchema {
  // The schemas of some libraries are functions.
  const kind = typeof schema
  if ((kind !== 'object' && kind !== 'function') || schema === null || Array.isArray(schema)) {
    throw new TypeError('a schema must be a Standard Schema or a JSON Schema object')
  }
  if (isShape(schema)) return compileSchema(schemaOfShape(schema), side, visit)
  if (isStandardSchema(schema)) {
    const standard = schema['~standard']
    const json = convertSchema(standard, side)
    checkJsonSchema(json, visit)
    const accepted = standard.jsonSchema.accepted?.() ?? json
    const validate =
      side === 'input'
        ? boundFaults(accepted as JsonSchema, (value) => standard.validate(value))
        : (value: unknown) => standard.validate(value)
    return { json, isRaw: false, validate }
  }
  const json = schema as JsonSchema
  const dialect = dialectOf(json)
  checkJsonSchema(json, visit)
  const validator = new JsonSchemaValidator(json, { refStandsAlone: dialect === DRAFT_7 })
  return { json, isRaw: true, validate: (value) => interpret(validator, value) }
}

function dialectOf({ $schema }: JsonSchema): string | undefined {
  if ($schema === undefined) return undefined
  const dialect = String($schema).replace(/#$/, '')
  if (DIALECTS.includes(dialect)) return dialect
  throw new TypeError(`the JSON Schema dialect "${excerpt(String($schema))}" is not supported`)
}

/** Maximum length of one issue, in UTF-16 code units. */
const MAX_ISSUE_LENGTH = 500

function interpret(validator: JsonSchemaValidator, value: unknown): ValidationResult<unknown> {
  // JSON cannot represent these values. They match no schema.
  const known = typeof value
  if (known === 'undefined' || known === 'bigint' || known === 'function' || known === 'symbol') {
    return { issues: [{ message: `must be JSON, not ${known}` }] }
  }
  return validator.validate(value)
}

/** Formats issues as text for a model: one per line, with the path of the value. */
export function describeIssues(issues: readonly Issue[]): string {
  const lines = issues.slice(0, MAX_ISSUES).map(({ message, path = [] }) => {
    const at = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.')
    return at === ''
      ? excerpt(message, MAX_ISSUE_LENGTH)
      : `${excerpt(at)}: ${excerpt(message, MAX_ISSUE_LENGTH)}`
  })
  if (issues.length > MAX_ISSUES) lines.push('… and more')
  return lines.join('\n')
}
