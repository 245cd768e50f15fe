/** What a tool may return, made into the one shape that is sent. */
import type { ContentBlock, Meta } from '../protocol/content.ts'
import { isJsonObject } from '../protocol/json.ts'
import type { CallToolResult } from '../protocol/primitives.ts'
import type { ToolDefinition } from '../server/definition.ts'
import { describeIssues } from '../server/schema/compile.ts'
import { isContentBlock } from './content-block.ts'

/** A handler returned what its definition or the protocol does not allow. The text is for the author. */
export class BadResultError extends Error {
  override readonly name = 'BadResultError'
}

export function textResult(text: string, isError: boolean): CallToolResult {
  const content = [{ type: 'text' as const, text }]
  return isError ? { content, isError } : { content }
}

/** @throws {BadResultError} */
export function toCallToolResult(
  tool: ToolDefinition,
  returned: unknown,
): CallToolResult | Promise<CallToolResult> {
  const { output } = tool
  if (output === undefined) return withoutSchema(returned)
  if (typeof returned === 'string' && !mayBeString(output.json.type)) {
    return textResult(returned, true)
  }
  if (!isWholeResult(returned)) return withValue(tool, returned, undefined)
  if (returned.isError === true) return checkContent(returned)
  return withValue(tool, returned.structuredContent, checkContent(returned))
}

function mayBeString(type: unknown): boolean {
  return type === undefined || type === 'string' || (Array.isArray(type) && type.includes('string'))
}

/** With an output schema, what says so itself: it has structured content, or is an error with content. */
function isWholeResult(returned: unknown): returned is CallToolResult {
  return (
    isJsonObject(returned) &&
    (Object.hasOwn(returned, 'structuredContent') ||
      (returned.isError === true && Array.isArray(returned.content)))
  )
}

function withoutSchema(returned: unknown): CallToolResult {
  if (typeof returned === 'string') return textResult(returned, false)
  if (isContentBlock(returned)) return { content: [returned] }
  if (Array.isArray(returned)) return checkContent({ content: returned })
  if (isJsonObject(returned) && Array.isArray(returned.content)) {
    return checkContent(returned as unknown as CallToolResult)
  }
  const kind = returned === null ? 'null' : typeof returned
  throw new BadResultError(
    `it returned ${kind}; without an outputSchema a tool returns text, content blocks or { content }`,
  )
}

function withValue(
  { output }: ToolDefinition,
  value: unknown,
  result: CallToolResult | undefined,
): CallToolResult | Promise<CallToolResult> {
  const checked = output?.validate(output.isRaw ? plain(value).value : value)
  if (checked instanceof Promise) return checked.then((outcome) => accept(outcome, result))
  return accept(checked, result)
}

/** A value as the wire will hold it, and its text: what `JSON.stringify` changes must not pass unseen. */
function plain(value: unknown): { readonly value: unknown; readonly text: string } {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch {
    // A cycle or a bigint.
  }
  if (text === undefined) throw new BadResultError('its value is not JSON')
  return { value: JSON.parse(text), text }
}

function accept(
  outcome: Awaited<ReturnType<NonNullable<ToolDefinition['output']>['validate']>> | undefined,
  result: CallToolResult | undefined,
): CallToolResult {
  if (outcome === undefined || outcome.issues !== undefined) {
    const issues = describeIssues(outcome?.issues ?? [])
    throw new BadResultError(`its value does not fit its outputSchema:\n${issues}`)
  }
  const { value: structuredContent, text } = plain(outcome.value)
  // Many clients show a model nothing but text, so the value is always said in text as well.
  const content = result?.content.length ? result.content : [{ type: 'text' as const, text }]
  return { ...result, content, structuredContent }
}

/** The result with the members that results have, and no others. */
function checkContent(result: CallToolResult): CallToolResult {
  const { content = [], isError, structuredContent, _meta } = result
  const wrong: number = content.findIndex((block: ContentBlock) => !isContentBlock(block))
  if (wrong !== -1) throw new BadResultError(`content[${wrong}] is not a content block`)
  if (isError !== undefined && typeof isError !== 'boolean') {
    throw new BadResultError('isError must be a boolean')
  }
  return {
    content,
    ...(structuredContent === undefined ? undefined : { structuredContent }),
    ...(isError === undefined ? undefined : { isError }),
    ...(_meta === undefined ? undefined : { _meta: checkMeta(_meta) }),
  }
}

/** @throws {BadResultError} for a `_meta` that is no object */
export function checkMeta(meta: unknown): Meta {
  if (!isJsonObject(meta)) throw new BadResultError('_meta must be an object')
  return meta
}
