/** What a person reads about a mistake of `directory.json`: a member that does not fit its schema, and JSON syntax. */
import type { ParseErrorCode } from 'jsonc-parser'
import type * as z from 'zod'
import { nearestNames } from '../../../../src/platform/likeness.ts'
import type { Members } from '../../../text/src/json/members.ts'
import { printable } from '../../../text/src/terminal-text.ts'
import { listingSchema } from './listing.ts'

export interface Place {
  readonly path: readonly (string | number)[]
  /** The name of a member at the path, where the name itself is at fault. */
  readonly key?: string
}

type Issue = z.core.$ZodIssue

export function messagesOf(issue: Issue): readonly (Place & { readonly message: string })[] {
  const path = issue.path.filter((segment) => typeof segment !== 'symbol')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path, key, message: unknownText(path, key) }))
  }
  return [{ path, message: `${nameOf(path)} ${requirementOf(issue)}` }]
}

function requirementOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is missing'
        : `must be ${TYPES[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
    case 'invalid_format':
      return `${issue.input === '' ? 'is empty: it' : ''} must be ${FORMATS[issue.format] ?? issue.format}`.trim()
    default:
      return issue.message
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  url: 'a URL, such as "https://example.com/privacy"',
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  array: 'a list: [ … ]',
  object: 'an object: { … }',
  record: 'an object: { … }',
  boolean: 'true or false',
}

/** `cases.positive[0].prompt` */
function nameOf(path: Place['path']): string {
  const [first, ...others] = path.map((segment) =>
    typeof segment === 'number' ? `[${segment}]` : `.${printable(segment)}`,
  )
  return [first?.replace(/^\./, '') ?? 'it', ...others].join('')
}

function unknownText(path: Place['path'], key: string): string {
  const known = membersAt(path)
  const parent = path.length === 0 ? '' : ` of ${nameOf(path)}`
  const [nearest] = nearestNames(known, key, 1)
  const advice = nearest === undefined ? `It has: ${known.join(', ')}` : `Do you mean "${nearest}"?`
  return `"${printable(key)}" is no member${parent}. ${advice}`
}

/** The names of members that the schema has at a path. */
function membersAt(path: Place['path']): readonly string[] {
  let schema: unknown = listingSchema
  for (const segment of path) schema = innerOf(unwrapped(schema), segment)
  const shape = (unwrapped(schema) as { readonly shape?: object } | undefined)?.shape
  return Object.keys(shape ?? {})
}

interface AnySchema {
  readonly def?: {
    readonly innerType?: unknown
    readonly element?: unknown
    readonly valueType?: unknown
  }
  readonly shape?: Members
}

function unwrapped(schema: unknown): AnySchema | undefined {
  let inner = schema as AnySchema | undefined
  while (inner?.def?.innerType !== undefined) inner = inner.def.innerType as AnySchema
  return inner
}

function innerOf(schema: AnySchema | undefined, segment: string | number): unknown {
  return schema?.shape?.[segment] ?? schema?.def?.element ?? schema?.def?.valueType
}

/** Mistakes of syntax, by the numbers of the parser's errors. */
const SYNTAX: Readonly<Record<number, string>> = {
  1: 'this is no value of JSON: quote a text with "',
  2: 'this number is malformed',
  3: 'the name of a member is expected, in double quotes',
  4: 'a value is expected',
  5: 'a colon is missing after the name',
  6: 'a comma is missing',
  7: 'a closing brace } is missing',
  8: 'a closing bracket ] is missing',
  9: 'the file must end here',
  10: 'comments are not allowed here',
  11: 'the comment does not end: close it with */',
  12: 'the text does not end on its line: close it with "',
  13: 'the number does not end',
  14: '\\u needs four hexadecimal digits',
  15: 'a backslash must be written as \\\\',
  16: 'a control character must be written as an escape, such as \\n',
}

export const syntaxText = (code: ParseErrorCode): string => SYNTAX[code] ?? 'this is not JSON'
