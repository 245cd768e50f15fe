/** What a value is, for handlers that pass on what other code has returned (SDK 2.x). */
import { contentBlockFault } from '../../../src/dispatch/content-block.ts'
import { isJsonObject } from '../../../src/protocol/json.ts'
import type { CallToolResult } from './types.ts'

/** Whether a value is the result of a tool: an object with a list of content blocks. */
export function isCallToolResult(value: unknown): value is CallToolResult {
  if (!isJsonObject(value)) return false
  const { content, isError } = value
  return (
    Array.isArray(content) &&
    content.every((block) => contentBlockFault(block) === undefined) &&
    (isError === undefined || typeof isError === 'boolean')
  )
}
