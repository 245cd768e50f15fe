/** Compiles a Standard Schema, or a shape of them: its JSON for the wire, and one validation function. */
import type { JsonSchema } from '../../protocol/content.ts'
import { excerpt } from '../../protocol/protocol-error.ts'
import { boundFaults } from './bound-faults.ts'
import { checkJsonSchema, type VisitSchema } from './check-json-schema.ts'
import { convertSchema } from './convert.ts'
import { isShape, schemaOfShape } from './shape.ts'
import {
  type Issue,
  isStandardSchema,
  JSON_SCHEMA,
  MAX_ISSUES,
  type Schema,
  type ValidationResult,
} from './standard-schema.ts'

export interface CompiledSchema {
  readonly json: JsonSchema
  /** True for a value of `jsonSchema()`, which validates JSON. A Standard Schema validates values, such as dates. */
  readonly isRaw: boolean
  readonly validate: (
    value: unknown,
  ) => ValidationResult<unknown> | Promise<ValidationResult<unknown>>
}

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
    throw new TypeError('a schema must be a Standard Schema, or the value of jsonSchema({ … })')
  }
  if (isShape(schema)) return compileSchema(schemaOfShape(schema), side, visit)
  if (!isStandardSchema(schema)) {
    throw new TypeError('a JSON Schema must be passed as its value: jsonSchema({ … })')
  }
  const standard = schema['~standard']
  const isRaw = standard.vendor === JSON_SCHEMA
  const json = convertSchema(standard, side)
  checkJsonSchema(json, visit)
  if (isRaw || side === 'output') {
    return { json, isRaw, validate: (value) => standard.validate(value) }
  }
  const accepted = standard.jsonSchema.accepted?.() ?? json
  const validate = boundFaults(accepted as JsonSchema, (value) => standard.validate(value))
  return { json, isRaw, validate }
}

/** Maximum length of one issue, in UTF-16 code units. */
const MAX_ISSUE_LENGTH = 500

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
