/** Compiles a Standard Schema or a raw JSON Schema: its JSON for the wire, and one validation function. */
import { type Schema as CfSchema, type SchemaDraft, Validator } from '@cfworker/json-schema'
import type { JsonSchema } from '../../protocol/content.ts'
import { excerpt } from '../../protocol/protocol-error.ts'
import { checkJsonSchema, type VisitSchema } from './check-json-schema.ts'
import { SCHEMA_ARRAY_KEYWORDS, SCHEMA_KEYWORDS, SCHEMA_MAP_KEYWORDS } from './keywords.ts'
import {
  type Issue,
  isStandardSchema,
  type Schema,
  type StandardSchema,
  type ValidationResult,
} from './standard-schema.ts'

export interface CompiledSchema {
  readonly json: JsonSchema
  /** True for raw JSON Schema, which validates JSON. A Standard Schema validates values, such as dates. */
  readonly isRaw: boolean
  readonly validate: (
    value: unknown,
  ) => ValidationResult<unknown> | Promise<ValidationResult<unknown>>
}

/** The supported dialects, by `$schema` without a trailing `#`. */
const DIALECTS: Readonly<Record<string, SchemaDraft>> = {
  'https://json-schema.org/draft/2020-12/schema': '2020-12',
  'https://json-schema.org/draft/2019-09/schema': '2019-09',
  'http://json-schema.org/draft-07/schema': '7',
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
    throw new TypeError('a schema must be a Standard Schema or a JSON Schema object')
  }
  if (isStandardSchema(schema)) {
    const standard = schema['~standard']
    const json = convert(standard, side)
    checkJsonSchema(json, visit)
    return { json, isRaw: false, validate: (value) => standard.validate(value) }
  }
  const json = schema as JsonSchema
  const draft = dialectOf(json)
  checkJsonSchema(json, visit)
  // The validator writes resolved references into its schema, so it gets a copy.
  const validator = new Validator(structuredClone(json) as CfSchema, draft, false)
  return { json, isRaw: true, validate: (value) => interpret(validator, value) }
}

function dialectOf({ $schema }: JsonSchema): SchemaDraft {
  if ($schema === undefined) return '2020-12'
  const draft = DIALECTS[String($schema).replace(/#$/, '')]
  if (draft === undefined) {
    throw new TypeError(`the JSON Schema dialect "${excerpt(String($schema))}" is not supported`)
  }
  return draft
}

function convert(standard: StandardSchema['~standard'], side: 'input' | 'output'): JsonSchema {
  if (typeof standard.jsonSchema?.[side] !== 'function') {
    throw new TypeError(
      `this ${standard.vendor} schema does not describe itself as JSON Schema (Standard JSON Schema)`,
    )
  }
  let json: JsonSchema
  try {
    json = standard.jsonSchema[side]({ target: 'draft-2020-12' }) as JsonSchema
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new TypeError(`it cannot be expressed as JSON Schema: ${why}`, { cause })
  }
  // 2020-12 is the default dialect of the protocol, so `$schema` is redundant.
  const { $schema: _, ...rest } = json
  return rest
}

/** Maximum number of issues reported for one value. */
const MAX_ISSUES = 10
/** Maximum length of one issue, in UTF-16 code units. */
const MAX_ISSUE_LENGTH = 500

function interpret(validator: Validator, value: unknown): ValidationResult<unknown> {
  // The validator throws for values that JSON cannot represent (undefined, bigint). They match no schema.
  const known = typeof value
  if (known === 'undefined' || known === 'bigint' || known === 'function' || known === 'symbol') {
    return { issues: [{ message: `must be JSON, not ${known}` }] }
  }
  const { valid, errors } = validator.validate(value)
  if (valid) return { value }
  // The validator also reports each parent schema that fails because of a subschema. These errors are
  // dropped unless there are no others.
  const faults = errors.filter(({ keyword }) => !APPLICATORS.has(keyword))
  const reported = faults.length > 0 ? faults : errors
  const issues: Issue[] = reported.slice(0, MAX_ISSUES).map(({ error, instanceLocation }) => ({
    message: error,
    path: pointerPath(instanceLocation),
  }))
  return { issues }
}

/** Keywords that fail only because a subschema fails. */
const APPLICATORS = new Set([
  ...SCHEMA_KEYWORDS,
  ...SCHEMA_ARRAY_KEYWORDS,
  ...SCHEMA_MAP_KEYWORDS,
  '$ref',
])

function pointerPath(location: string): string[] {
  const tokens = location.replace(/^#\/?/, '').split('/')
  return tokens
    .filter((token) => token !== '')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Formats issues as text for a model: one per line, with the path of the value. */
export function describeIssues(issues: readonly Issue[]): string {
  const lines = issues.slice(0, MAX_ISSUES).map(({ message, path = [] }) => {
    const at = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.')
    return at === ''
      ? excerpt(message, MAX_ISSUE_LENGTH)
      : `${excerpt(at)}: ${excerpt(message, MAX_ISSUE_LENGTH)}`
  })
  if (issues.length > MAX_ISSUES) lines.push(`… and ${issues.length - MAX_ISSUES} more`)
  return lines.join('\n')
}
