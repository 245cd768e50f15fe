/**
 * Serialises the values of parameters: all styles of OpenAPI, as the expansions of RFC 6570 that they
 * stand for.
 *
 * @see https://spec.openapis.org/oas/v3.1.1#style-values
 * @see https://www.rfc-editor.org/rfc/rfc6570
 */
import { isJsonObject } from '../../../../src/protocol/json.ts'
import { ToolError } from '../../../../src/server/tool-error.ts'

export type ParameterStyle =
  | 'form'
  | 'simple'
  | 'label'
  | 'matrix'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'deepObject'

export interface Serialization {
  readonly style: ParameterStyle
  readonly explode: boolean
  readonly allowReserved: boolean
}

/** The text of a value in a place that has its own encoding. */
type Encode = (text: string) => string

/** Percent-encodes everything but the unreserved characters (RFC 3986 §2.3). */
export function encodeUnreserved(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, hexOf)
}

/**
 * Keeps the reserved characters, except for those that end a query or separate its parameters, as `;` does for
 * some servers. A percent sign is encoded too, so that each value has one form.
 */
function encodeReserved(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /%(?:3A|2F|3F|40|24|2C|3D)/g,
    decodeURIComponent,
  )
}

function hexOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

/** A value that is not sent: RFC 6570 calls it undefined (§2.3). */
export function isAbsent(value: unknown): boolean {
  if (value === undefined || value === null) return true
  if (Array.isArray(value)) return value.every(isAbsent)
  return isJsonObject(value) && Object.values(value).every(isAbsent)
}

/** @throws {ToolError} for a whole number that may be another one than the client has sent: JavaScript rounds it */
function textOf(value: unknown): string {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new ToolError(
      `Invalid arguments: ${value} is beyond 2^53, so it may not be the number that was meant, and was not sent`,
    )
  }
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const presentItems = (value: readonly unknown[]) => value.filter((item) => !isAbsent(item))
const presentMembers = (value: object) =>
  Object.entries(value).filter(([, item]) => !isAbsent(item))

/** The texts of a value: one of a primitive, the items of an array, or the members of an object. */
function partsOf(value: unknown, explode: boolean, encode: Encode): string[] {
  if (Array.isArray(value)) return presentItems(value).map((item) => encode(textOf(item)))
  if (!isJsonObject(value)) return [encode(textOf(value))]
  return presentMembers(value).flatMap(([key, item]) =>
    explode ? [`${encode(key)}=${encode(textOf(item))}`] : [encode(key), encode(textOf(item))],
  )
}

/** A value in the path. A value that is not sent is the empty text. */
export function serializePath(
  name: string,
  value: unknown,
  { style, explode }: Serialization,
): string {
  if (isAbsent(value)) return ''
  const parts = partsOf(value, explode, encodeUnreserved)
  if (style === 'label') return `.${parts.join(explode ? '.' : ',')}`
  if (style !== 'matrix') return parts.join(',')
  const key = encodeUnreserved(name)
  const named = (text: string) => (text === '' ? `;${key}` : `;${key}=${text}`)
  if (!explode) return named(parts.join(','))
  return isJsonObject(value) ? `;${parts.join(';')}` : parts.map(named).join('')
}

const DELIMITERS: Partial<Record<ParameterStyle, string>> = {
  spaceDelimited: '%20',
  pipeDelimited: '%7C',
}

/** A value in the query, or in a form, as its pairs `name=value`. */
export function serializeQuery(
  name: string,
  value: unknown,
  { style, explode, allowReserved }: Serialization,
): string[] {
  if (isAbsent(value)) return []
  const encode = allowReserved ? encodeReserved : encodeUnreserved
  const key = encodeUnreserved(name)
  if (style === 'deepObject' && typeof value === 'object') return deepPairs(key, value, encode)
  const parts = partsOf(value, explode, encode)
  if (!explode) return [`${key}=${parts.join(DELIMITERS[style] ?? ',')}`]
  return isJsonObject(value) ? parts : parts.map((text) => `${key}=${text}`)
}

/**
 * `filter[state]=open`. The specification defines one level of an object. Deeper levels repeat the brackets, and lists are
 * `filter[tags][]=a` or, of objects, `items[0][price]=1`: PHP, Rails, `qs` of Node and Stripe read them so.
 */
function deepPairs(key: string, value: unknown, encode: Encode): string[] {
  if (Array.isArray(value)) {
    return presentItems(value).flatMap((item, index) =>
      deepPairs(`${key}%5B${typeof item === 'object' ? index : ''}%5D`, item, encode),
    )
  }
  if (!isJsonObject(value)) return [`${key}=${encode(textOf(value))}`]
  return presentMembers(value).flatMap(([name, item]) =>
    deepPairs(`${key}%5B${encodeUnreserved(name)}%5D`, item, encode),
  )
}

/** The value of a header field, without any encoding. Undefined for one that is not sent. */
export function serializeHeader(value: unknown, { explode }: Serialization): string | undefined {
  return isAbsent(value) ? undefined : partsOf(value, explode, (text) => text).join(',')
}

/** The pairs of a `Cookie` field. */
export function serializeCookie(
  name: string,
  value: unknown,
  { explode, style }: Serialization,
): string[] {
  return serializeQuery(name, value, { style, explode, allowReserved: false })
}
