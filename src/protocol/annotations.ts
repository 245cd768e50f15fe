/** Checks annotations and icons. A client of the official SDK refuses a whole list or result for one wrong member. */
import { isJsonObject, isTextList } from './json.ts'

/** Date and time with the offset, as RFC 3339 has them. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/

/** What is wrong with the annotations of a resource or of a content block, as the rest of a sentence. */
export function annotationsFault(annotations: unknown): string | undefined {
  if (!isJsonObject(annotations)) return 'annotations must be an object'
  const { audience = [], priority = 0, lastModified } = annotations
  // A `Date` becomes a date and time in JSON.
  const isValid =
    Array.isArray(audience) &&
    audience.every((one) => one === 'user' || one === 'assistant') &&
    typeof priority === 'number' &&
    priority >= 0 &&
    priority <= 1 &&
    (lastModified === undefined ||
      (lastModified as unknown) instanceof Date ||
      DATE_TIME.test(String(lastModified)))
  return isValid
    ? undefined
    : 'annotations must have audience as a list of "user" and "assistant", priority from 0 to 1, and lastModified as "2026-01-12T15:00:58Z"'
}

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']

/** What is wrong with the annotations of a tool. */
export function toolAnnotationsFault(annotations: unknown): string | undefined {
  if (!isJsonObject(annotations)) return 'annotations must be an object'
  const wrong = ['title', ...HINTS].find((name) => {
    const value = annotations[name]
    return value !== undefined && typeof value !== (name === 'title' ? 'string' : 'boolean')
  })
  return wrong && `annotations.${wrong} must be ${wrong === 'title' ? 'a string' : 'true or false'}`
}

/** Whether an icon whose `src` is checked has no wrong member. */
export function isIcon({ mimeType = '', sizes = [], theme = 'light' }: Record<string, unknown>) {
  return (
    typeof mimeType === 'string' && isTextList(sizes) && (theme === 'light' || theme === 'dark')
  )
}
