/** Checks annotations and icons. A client of the official SDK refuses a whole list or result for one wrong member. */
import { isJsonObject, isTextList } from './json.ts'

/** Date and time with the offset, as RFC 3339 has them. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/

/** What is wrong with the annotations of a resource or of a content block, as the rest of a sentence. */
export function annotationsFault(annotations: unknown): string | undefined {
  if (!isJsonObject(annotations)) return 'annotations must be an object'
  const { audience, priority, lastModified } = annotations
  if (audience !== undefined && !(Array.isArray(audience) && audience.every(isRole))) {
    return 'annotations.audience must be a list of "user" and "assistant"'
  }
  if (priority !== undefined && !(typeof priority === 'number' && priority >= 0 && priority <= 1)) {
    return 'annotations.priority must be a number from 0 to 1'
  }
  if (lastModified !== undefined && !isDateTime(lastModified)) {
    return 'annotations.lastModified must be a date and time, such as "2026-01-12T15:00:58Z"'
  }
  return undefined
}

function isRole(value: unknown): boolean {
  return value === 'user' || value === 'assistant'
}

/** A `Date` becomes such a text in JSON. */
function isDateTime(value: unknown): boolean {
  return value instanceof Date || (typeof value === 'string' && DATE_TIME.test(value))
}

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']

/** What is wrong with the annotations of a tool. */
export function toolAnnotationsFault(annotations: unknown): string | undefined {
  if (!isJsonObject(annotations)) return 'annotations must be an object'
  const { title } = annotations
  if (title !== undefined && typeof title !== 'string') return 'annotations.title must be a string'
  const wrong = HINTS.find((hint) => !isOptionalBoolean(annotations[hint]))
  return wrong === undefined ? undefined : `annotations.${wrong} must be true or false`
}

function isOptionalBoolean(value: unknown): boolean {
  return value === undefined || typeof value === 'boolean'
}

/** What is wrong with an icon whose `src` is checked. */
export function iconFault({ mimeType, sizes, theme }: Record<string, unknown>): string | undefined {
  if (mimeType !== undefined && typeof mimeType !== 'string') {
    return 'mimeType of an icon must be a string'
  }
  if (sizes !== undefined && !isTextList(sizes)) {
    return 'sizes of an icon must be a list, such as ["48x48"]'
  }
  if (theme !== undefined && theme !== 'light' && theme !== 'dark') {
    return 'theme of an icon must be "light" or "dark"'
  }
  return undefined
}
