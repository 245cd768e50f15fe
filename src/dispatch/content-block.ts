/** Checks whether a value returned by a handler is a content block of the protocol. */
import type { ContentBlock } from '../protocol/content.ts'
import { isJsonObject, type JsonObject } from '../protocol/json.ts'

const STRINGS: Readonly<Record<ContentBlock['type'], readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri', 'name'],
  resource: [],
}

/** Why a value is no content block. */
export function contentBlockFault(value: unknown): string | undefined {
  // `JSON.stringify` would send the return value of `toJSON` instead.
  if (!isJsonObject(value) || typeof Reflect.get(value, 'toJSON') === 'function') {
    return 'it must be an object with a type'
  }
  const { type, data, resource } = value
  if (!isText(type) || !Object.hasOwn(STRINGS, type)) {
    return `type must be one of ${Object.keys(STRINGS).join(', ')}`
  }
  const missing = STRINGS[type as ContentBlock['type']].find((name) => !isText(value[name]))
  if (missing !== undefined) return `${missing} must be a string`
  return (
    nullFault('', value) ??
    (type === 'resource' ? resourceContentsFault('resource', resource) : base64Fault('data', data))
  )
}

/**
 * Why a value is no contents of a resource.
 *
 * @param place begins the sentence
 */
export function resourceContentsFault(place: string, value: unknown): string | undefined {
  if (!isJsonObject(value) || !isText(value.uri) || isText(value.text) === isText(value.blob)) {
    return `${place} must have a uri and text or blob`
  }
  return nullFault(`${place}.`, value) ?? base64Fault(`${place}.blob`, value.blob)
}

/** The members that a block or contents may have. */
const OPTIONAL = ['annotations', '_meta', 'title', 'description', 'mimeType', 'size', 'icons']

/** Clients of the official SDK refuse a whole result for one of these that is null. */
function nullFault(place: string, value: JsonObject): string | undefined {
  const name = OPTIONAL.find((key) => value[key] === null)
  return name && `${place}${name} must not be null`
}

/** As above. White space is permitted. The expression has no repetition: the text can be long. */
function base64Fault(member: string, data: unknown): string | undefined {
  const isWrong = isText(data) && /[^A-Za-z0-9+/=\s]|=[^=\s]/.test(data)
  return isWrong ? `${member} must be base64, without "data:"` : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
