/** The types of JSON values, and the type guard for objects. */

export type JsonValue = string | number | boolean | null | JsonObject | readonly JsonValue[]

export type JsonObject = { readonly [key: string]: JsonValue | undefined }

/** True for a JSON object; an array or `null` is not one. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
