/** Converts the return value of a tool handler to a `CallToolResult`. */
import type { Meta } from '../protocol/content.ts'
import { isJsonObject, jsonText } from '../protocol/json.ts'
import type { CallToolResult } from '../protocol/primitives.ts'
import type { ToolDefinition } from '../server/definition.ts'
import { describeIssues } from '../server/schema/compile.ts'
import { contentBlockFault } from './content-block.ts'
import { badResult } from './run-error.ts'

export function textResult(text: string, isError: boolean): CallToolResult {
  const content = [{ type: 'text' as const, text }]
  return isError ? { content, isError } : { content }
}

/** @throws {RunError} if the value is not allowed */
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
  if (returned.isError === true) return withContent(checkContent(returned))
  return withValue(tool, returned.structuredContent, checkContent(returned))
}

function mayBeString(type: unknown): boolean {
  return type === undefined || type === 'string' || (Array.isArray(type) && type.includes('string'))
}

/** Whether a value is a whole result and not a value of the output schema: it has `structuredContent`, or it is an error with content. */
function isWholeResult(returned: unknown): returned is CallToolResult {
  return (
    isJsonObject(returned) &&
    (Object.hasOwn(returned, 'structuredContent') ||
      (returned.isError === true && Array.isArray(returned.content)))
  )
}

function withoutSchema(returned: unknown): CallToolResult {
  if (typeof returned === 'string') return textResult(returned, false)
  if (Array.isArray(returned)) return checkContent({ content: returned })
  if (isJsonObject(returned)) {
    const { type, content } = returned
    // A stored file is a block that has a method `content`.
    if (typeof type === 'string' && !Array.isArray(content)) {
      return checkContent({ content: [returned] })
    }
    if (content !== undefined) return withContent(checkContent(returned))
  }
  const kind = returned === null ? 'null' : typeof returned
  throw badResult(
    `it returned ${kind}; without an outputSchema a tool returns text, content blocks or { content }`,
  )
}

/** Adds structured content as text where there is no other content: many clients show the model only text. */
function withContent(result: CallToolResult): CallToolResult {
  if (result.structuredContent === undefined || result.content.length > 0) return result
  const { text } = plain(result.structuredContent)
  return { ...result, content: [{ type: 'text', text }] }
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

/** Returns the value as JSON represents it, and its text. The validated value is then the one that is sent. */
function plain(value: unknown): { readonly value: unknown; readonly text: string } {
  let text: string | undefined
  try {
    text = jsonText(value)
  } catch {
    // A cycle or a bigint: reported below.
  }
  if (text === undefined) throw badResult('its value is not JSON')
  return { value: JSON.parse(text), text }
}

function accept(
  outcome: Awaited<ReturnType<NonNullable<ToolDefinition['output']>['validate']>> | undefined,
  result: CallToolResult | undefined,
): CallToolResult {
  if (outcome === undefined || outcome.issues !== undefined) {
    const issues = describeIssues(outcome?.issues ?? [])
    throw badResult(`its value does not fit its outputSchema:\n${issues}`)
  }
  const { value: structuredContent, text } = plain(outcome.value)
  // Many clients show the model only text, so the value is always sent as text too.
  const content = result?.content.length ? result.content : [{ type: 'text' as const, text }]
  return { ...result, content, structuredContent }
}

type UncheckedResult = { readonly [Member in keyof CallToolResult]?: unknown }

/** Checks the members of a result and drops unknown ones. */
export function checkContent(result: UncheckedResult): CallToolResult {
  const { content = [], isError, structuredContent, _meta } = result
  if (!Array.isArray(content)) throw badResult('content must be a list of content blocks')
  for (const [index, block] of content.entries()) {
    const fault = contentBlockFault(block)
    if (fault !== undefined) {
      throw badResult(`content[${index}] is not a content block: ${fault}`)
    }
  }
  if (isError !== undefined && typeof isError !== 'boolean') {
    throw badResult('isError must be a boolean')
  }
  return {
    content,
    ...(structuredContent === undefined ? undefined : { structuredContent }),
    ...(isError === undefined ? undefined : { isError }),
    ...(_meta === undefined ? undefined : { _meta: checkMeta(_meta) }),
  }
}

/** @throws {RunError} if `_meta` is not an object */
export function checkMeta(meta: unknown): Meta {
  if (!isJsonObject(meta)) throw badResult('_meta must be an object')
  return meta
}

/** @throws {RunError} for a result of more UTF-16 code units of JSON text than `limits.resultBytes` */
export function checkLength(length: number, limit: number): void {
  if (length <= limit) return
  throw badResult(
    `its result has ${length} characters; limits.resultBytes is ${limit}`,
    `returned ${length} characters, and at most ${limit} can be sent`,
  )
}
