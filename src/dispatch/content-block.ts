/** Checks whether a value returned by a handler is a content block of the protocol. */
import { annotationsFault } from '../protocol/annotations.ts'
import type { ContentBlock } from '../protocol/content.ts'
import { isJsonObject, type JsonObject } from '../protocol/json.ts'

const STRINGS: Readonly<Record<ContentBlock['type'], readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri', 'name'],
  resource: [],
}

const TYPES = Object.keys(STRINGS).join(', ')

export function isContentBlock(value: unknown): value is ContentBlock {
  return contentBlockFault(value) === undefined
}

/** Whether a value has the type of a content block, and was so meant to be one. */
export function isMeantAsBlock(value: JsonObject): boolean {
  return typeof value.type === 'string' && Object.hasOwn(STRINGS, value.type)
}

/**
 * Why a value is no content block. Clients of the official SDK refuse a whole result for one wrong member,
 * also for one that is optional.
 */
export function contentBlockFault(value: unknown): string | undefined {
  if (!isJsonObject(value)) return 'it must be an object with a type'
  // `JSON.stringify` would send the return value of `toJSON` instead.
  if (typeof Reflect.get(value, 'toJSON') === 'function') return 'it must have no toJSON()'
  const { type } = value
  if (typeof type !== 'string' || !Object.hasOwn(STRINGS, type)) {
    return `type must be one of ${TYPES}`
  }
  const missing = STRINGS[type as ContentBlock['type']].find((field) => !isText(value[field]))
  if (missing !== undefined) return `${missing} must be a string`
  if (value.annotations !== undefined) {
    const fault = annotationsFault(value.annotations)
    if (fault !== undefined) return fault
  }
  return metaFault(value) ?? contentFault(type, value)
}

function contentFault(type: string, value: JsonObject): string | undefined {
  if (type === 'image' || type === 'audio') return base64Fault('data', value.data)
  if (type === 'resource') return resourceContentsFault('resource', value.resource)
  if (type !== 'resource_link') return undefined
  const wrong = ['title', 'description', 'mimeType'].find(
    (member) => !isOptionalText(value[member]),
  )
  if (wrong !== undefined) return `${wrong} must be a string`
  return value.size === undefined || Number.isFinite(value.size)
    ? undefined
    : 'size must be a number'
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
  if (!isOptionalText(value.mimeType)) return `${place}.mimeType must be a string`
  const fault = metaFault(value)
  if (fault !== undefined) return `${place}.${fault}`
  return isText(value.blob) ? base64Fault(`${place}.blob`, value.blob) : undefined
}

function metaFault({ _meta }: JsonObject): string | undefined {
  return _meta === undefined || isJsonObject(_meta) ? undefined : '_meta must be an object'
}

/** White space is permitted, because `atob` ignores it. */
function base64Fault(member: string, data: unknown): string | undefined {
  // An expression without repetition, and a `=` at the end alone: the text can be long.
  const isBase64 = !/[^A-Za-z0-9+/=\s]|=[^=\s]/.test(data as string)
  return isBase64 ? undefined : `${member} must be base64, without "data:" and its type`
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || isText(value)
}
