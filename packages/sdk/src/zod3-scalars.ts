/** The keywords for the checks of texts and numbers of zod 3. */
import type { JsonSchema } from '../../../src/protocol/content.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'

export interface Check {
  readonly kind: string
  readonly value?: number | string
  readonly inclusive?: boolean
  readonly regex?: RegExp
  /** Of an IP address. */
  readonly version?: 'v4' | 'v6'
}

const FORMATS: Readonly<Record<string, string>> = {
  email: 'email',
  url: 'uri',
  uuid: 'uuid',
  datetime: 'date-time',
  date: 'date',
  time: 'time',
  duration: 'duration',
}

export function stringSchema(checks: readonly Check[]): JsonSchema {
  const keywords = Object.assign({ type: 'string' }, ...checks.map(stringKeywords))
  const [pattern, ...more] = checks.flatMap(patternOf)
  if (pattern === undefined) return keywords
  if (more.length === 0) return { ...keywords, pattern }
  return { ...keywords, allOf: [pattern, ...more].map((one) => ({ pattern: one })) }
}

function stringKeywords({ kind, value, version }: Check): JsonObject {
  const format = FORMATS[kind]
  if (format !== undefined) return { format }
  if (kind === 'ip' && version !== undefined) return { format: `ip${version}` }
  if (kind === 'min') return { minLength: value as number }
  if (kind === 'max') return { maxLength: value as number }
  if (kind === 'length') return { minLength: value as number, maxLength: value as number }
  return kind === 'base64' ? { contentEncoding: 'base64' } : {}
}

/** The characters with a meaning of their own in a pattern. With the flag `u`, an escape of any other is an error. */
const SYNTAX_CHARACTERS = /[\\^$.*+?()[\]{}|/]/g

/** An expression with flags, which JSON Schema does not have, has no pattern: zod checks it in any case. */
function patternOf({ kind, value, regex }: Check): readonly string[] {
  if (kind === 'regex') return regex?.flags === '' ? [regex.source] : []
  const text = String(value).replace(SYNTAX_CHARACTERS, '\\$&')
  if (kind === 'startsWith') return [`^${text}`]
  if (kind === 'endsWith') return [`${text}$`]
  return kind === 'includes' ? [text] : []
}

export function numberKeywords({ kind, value, inclusive }: Check): JsonObject {
  const number = Number(value)
  if (kind === 'min') return inclusive ? { minimum: number } : { exclusiveMinimum: number }
  if (kind === 'max') return inclusive ? { maximum: number } : { exclusiveMaximum: number }
  return kind === 'multipleOf' ? { multipleOf: number } : {}
}
