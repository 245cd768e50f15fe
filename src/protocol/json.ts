/** The types of JSON values, the type guard for objects, and the text that is sent. */

export type JsonValue = string | number | boolean | null | JsonObject | readonly JsonValue[]

export type JsonObject = { readonly [key: string]: JsonValue | undefined }

/** True for a JSON object; an array or `null` is not one. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Serialises a value for the wire: every text in it is well-formed. A surrogate without its pair becomes
 * U+FFFD. `JSON.stringify` writes it as an escape such as `\ud800`, which many clients cannot parse.
 *
 * @throws {TypeError} for a value that JSON cannot represent
 */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value)
  // The first digits of every surrogate. The characters may also be in a text, which costs time only.
  return text?.includes('\\ud') ? JSON.stringify(value, wellFormed) : text
}

function wellFormed(_: string, value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (!isJsonObject(value)) return value
  const keys = Object.keys(value)
  return keys.every((key) => key.isWellFormed())
    ? value
    : Object.fromEntries(keys.map((key) => [key.toWellFormed(), value[key]]))
}

export const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
