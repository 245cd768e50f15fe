/** Checks whether a value returned by a handler is a content block of the protocol. */
import type { ContentBlock, ResourceContents } from '../protocol/content.ts'
import { isJsonObject } from '../protocol/json.ts'

const STRINGS: Readonly<Record<ContentBlock['type'], readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri', 'name'],
  resource: [],
}

export function isContentBlock(value: unknown): value is ContentBlock {
  if (!isJsonObject(value) || typeof value.type !== 'string') return false
  // `JSON.stringify` would send the return value of `toJSON` instead.
  if (typeof Reflect.get(value, 'toJSON') === 'function') return false
  if (!Object.hasOwn(STRINGS, value.type)) return false
  const strings = STRINGS[value.type as ContentBlock['type']]
  if (!strings.every((field) => typeof value[field] === 'string')) return false
  return value.type !== 'resource' || isResourceContents(value.resource)
}

export function isResourceContents(value: unknown): value is ResourceContents {
  return (
    isJsonObject(value) &&
    typeof value.uri === 'string' &&
    (typeof value.text === 'string') !== (typeof value.blob === 'string')
  )
}
