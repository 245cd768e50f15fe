/** Compiles a Standard Schema, or a shape of them: its JSON for the wire, and one validation function. */
import type { JsonSchema } from '../../protocol/content.ts'
import { excerpt } from '../../protocol/protocol-error.ts'
import { checkJsonSchema, type VisitSchema } from './check-json-schema.ts'
import { convertSchema } from './convert.ts'
import { confirmDefaults } from './defaults.ts'
import { findFaults } from './find-faults.ts'
import { possibleExpressions } from './pattern.ts'
import { publishSchema } from './published.ts'
import { isShape, NO_SCHEMA, schemaOfShape, whyNoSchema } from './shape.ts'
import {
  type Issue,
  isStandardSchema,
  JSON_SCHEMA,
  MAX_ISSUES,
  type Schema,
  SHAPE,
  type ValidationResult,
} from './standard-schema.ts'

export interface CompiledSchema {
  /** As clients receive it; see `published.ts`. */
  readonly json: JsonSchema
  /** Called in a request before `json` is sent. Undefined for a schema without defaults. */
  readonly confirmDefaults?: (() => void) | undefined
  /** True for `jsonSchema()` and shapes, which validate JSON. A Standard Schema validates values, such as dates. */
  readonly isRaw: boolean
  /** Whether members of arguments that it does not declare are dropped, where they are the fault. */
  readonly dropsUndeclared?: boolean
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
    throw new TypeError(NO_SCHEMA)
  }
  if (isShape(schema)) return compileSchema(schemaOfShape(schema), side, visit)
  if (!isStandardSchema(schema)) throw new TypeError(whyNoSchema(schema))
  const standard = schema['~standard']
  const isBounded = standard.vendor === JSON_SCHEMA
  const isRaw = isBounded || standard.vendor === SHAPE
  const whole = convertSchema(schema, side)
  const json = publishSchema(whole, side)
  checkJsonSchema(json, visit)
  if (isBounded || side === 'output') {
    const { dropsUndeclared = false } = standard
    return { json, isRaw, dropsUndeclared, validate: (value) => standard.validate(value) }
  }
  const accepted = standard.jsonSchema.accepted?.() ?? whole
  const validate = boundFaults(accepted as JsonSchema, (value) => standard.validate(value))
  const convertAgain = () => publishSchema(convertSchema(schema, side), side)
  return { json, isRaw, validate, confirmDefaults: confirmDefaults(json, convertAgain) }
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

/** Values with at most this many members and items are validated by their library alone. */
const SMALL_VALUE = 10_000

type Validate = (value: unknown) => ValidationResult<unknown> | Promise<ValidationResult<unknown>>

/**
 * Bounds the memory that a Standard Schema takes for the faults of a large value. Schema libraries record
 * every fault, each with its path: 100,000 wrong items take more than 100 MB, and no option stops them. So the
 * JSON Schema checks a large value first, which stops after its first faults. A value with more than {@link MAX_ISSUES} of them is refused with these.
 */
function boundFaults(json: JsonSchema, validate: Validate): Validate {
  return (value) => {
    if (isSmall(value)) return validate(value)
    const issues = findFaults(json, value, MAX_ISSUES + 1, possibleExpressions)
    return issues.length > MAX_ISSUES ? { issues } : validate(value)
  }
}

/** Stops counting at the bound. */
function isSmall(value: unknown): boolean {
  let room = SMALL_VALUE
  const fits = (part: unknown): boolean => {
    if (typeof part !== 'object' || part === null) return true
    // `for in` allocates no list of keys.
    for (const key in part) {
      if (--room < 0 || !fits((part as Record<string, unknown>)[key])) return false
    }
    return true
  }
  return fits(value)
}
