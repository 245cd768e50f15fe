/** Props as they are kept: JSON, bounded. */
import type { GrantProps } from '../../src/protocol/auth-info.ts'
import { isJsonObject } from '../../src/protocol/json.ts'

/** In UTF-16 code units: they are read with every check of a token. */
const MAX_PROPS_LENGTH = 64 * 1024

export function writeProps(props: GrantProps): string
export function writeProps(props: GrantProps | undefined): string | undefined
/**
 * @throws {TypeError} for what is no object of JSON
 * @throws {RangeError} for what is too large
 */
export function writeProps(props: GrantProps | undefined): string | undefined {
  if (props === undefined) return undefined
  const text = isJsonObject(props) ? JSON.stringify(props) : undefined
  if (text === undefined) throw new TypeError('Props must be an object that JSON can say')
  if (text.length > MAX_PROPS_LENGTH) {
    throw new RangeError(`Props must have at most ${MAX_PROPS_LENGTH} characters of JSON`)
  }
  return text
}

export function parseProps(text: string): GrantProps
export function parseProps(text: string | undefined): GrantProps | undefined
export function parseProps(text: string | undefined): GrantProps | undefined {
  return text === undefined ? undefined : JSON.parse(text)
}
