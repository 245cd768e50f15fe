/** Keywords of a JSON Schema whose value no validator accepts. Limits of Edgeway are not among them. */
import {
  KEYWORD_CHECKS,
  SCHEMA_ARRAY_KEYWORDS,
  SCHEMA_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
} from '../../../src/server/schema/keywords.ts'
import { isObject, quoted } from '../text.ts'

/** What a validator does not read of a schema. */
const UNREAD: readonly string[] = ['title', 'description', '$id', '$anchor']

/** The first of them, as the end of a sentence; undefined for a schema that validators compile. */
export const uncompilableKeyword = (schema: unknown) => invalidKeyword(schema, UNREAD)

/** The first of them, as the end of a sentence; undefined for a valid schema. */
export function invalidKeyword(
  schema: unknown,
  unread: readonly string[] = [],
): string | undefined {
  const pending: unknown[] = [schema]
  // A list of its own instead of recursion: a server may nest as deeply as it wants.
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (!isObject(value)) continue
    for (const [keyword, member] of Object.entries(value)) {
      const check = Object.hasOwn(KEYWORD_CHECKS, keyword) ? KEYWORD_CHECKS[keyword] : undefined
      if (check?.test(member) === false && !unread.includes(keyword)) {
        return `${keyword} ${quoted(member)}, which is not ${check.expected}`
      }
      for (const subschema of subschemasOf(keyword, member)) pending.push(subschema)
    }
  }
  return undefined
}

function subschemasOf(keyword: string, member: unknown): readonly unknown[] {
  if (SCHEMA_MAP_KEYWORDS.has(keyword)) return isObject(member) ? Object.values(member) : []
  if (SCHEMA_ARRAY_KEYWORDS.has(keyword) && Array.isArray(member)) return member
  return SCHEMA_KEYWORDS.has(keyword) ? [member] : []
}
