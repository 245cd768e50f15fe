/** Reads the name in the params of a request before its method has checked them. */
import type { JsonObject } from '../protocol/json.ts'

/**
 * Returns the name of the tool or prompt that a request calls; undefined for anything but a text. `String()` of an
 * object of a client throws when its `toString` is no function.
 */
export function calledName(params: JsonObject | undefined): string | undefined {
  const name = params?.name
  return typeof name === 'string' ? name : undefined
}
