/** Props as JSON text: the form in which they cross to the account object and are encrypted. */
import type { GrantProps } from '../../src/protocol/auth-info.ts'
import { isJsonObject } from '../../src/protocol/json.ts'

/** In UTF-16 code units. Props are decrypted with every check of a token, so they are bounded. */
const MAX_PROPS_LENGTH = 64 * 1024

export function stringifyProps(props: GrantProps): string
export function stringifyProps(props: GrantProps | undefined): string | undefined
/**
 * @throws {TypeError} for a value that JSON cannot represent as an object
 * @throws {RangeError} for props above 65,536 UTF-16 code units of JSON
 */
export function stringifyProps(props: GrantProps | undefined): string | undefined {
  if (props === undefined) return undefined
  const text = isJsonObject(props) ? JSON.stringify(props) : undefined
  if (text === undefined) throw new TypeError('Props must be a JSON object')
  if (text.length > MAX_PROPS_LENGTH) {
    throw new RangeError(`Props must have at most ${MAX_PROPS_LENGTH} characters of JSON`)
  }
  return text
}

export function parseProps(text: string | undefined): GrantProps | undefined {
  return text === undefined ? undefined : JSON.parse(text)
}
