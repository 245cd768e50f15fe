/** Copies the props of a caller that code of the author has named. */
import { deepFreeze } from '../platform/deep-freeze.ts'
import type { GrantProps } from '../protocol/auth-info.ts'
import { isJsonObject } from '../protocol/json.ts'

/**
 * A copy, deeply frozen: handlers of other requests may have the same object.
 *
 * @param source where the props come from, for the error
 * @throws {TypeError} for anything but a JSON object
 */
export function readProps(given: unknown, source: string): GrantProps | undefined {
  if (given === undefined || given === null) return undefined
  if (!isJsonObject(given)) throw new TypeError(`${source} must be an object`)
  const text = JSON.stringify(given, function (this: Record<string, unknown>, name, value) {
    // What JSON drops or changes would be missing in the identity of the caller.
    if (!isJsonValue(name === '' ? given : this[name]))
      throw new TypeError(`${source} must be JSON, and "${name}" is not`)
    return value
  })
  return deepFreeze(JSON.parse(text) as GrantProps)
}

function isJsonValue(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null)
    return ['string', 'boolean', 'undefined', 'object'].includes(typeof value)
  const prototype = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}
