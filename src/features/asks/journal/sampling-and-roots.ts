/** Sampling and roots asks. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../protocol/json.ts'
import type { CreateMessageRequest, CreateMessageResult, Root } from '../../../server/ask.ts'
import { type Ask, declares } from './ask.ts'

/** The required string members of sampling content, by type. */
const STRINGS: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  tool_use: ['id', 'name'],
  tool_result: ['toolUseId'],
}

function isRole(value: unknown): value is CreateMessageResult['role'] {
  return value === 'user' || value === 'assistant'
}

type SamplingContent = CreateMessageResult['content'] & JsonValue

function isSamplingContent(value: unknown): value is SamplingContent {
  return Array.isArray(value)
    ? value.length > 0 && value.every(isSamplingBlock)
    : isSamplingBlock(value)
}

function isSamplingBlock(value: unknown): boolean {
  if (!isJsonObject(value) || typeof value.type !== 'string') return false
  const { type } = value
  if (!Object.hasOwn(STRINGS, type)) return false
  if (type === 'tool_use' && !isJsonObject(value.input)) return false
  if (type === 'tool_result' && !Array.isArray(value.content)) return false
  return STRINGS[type]?.every((field) => typeof value[field] === 'string') === true
}

/**
 * @throws {TypeError} for a request without messages or `maxTokens`
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling
 */
export function sampleAsk({ key: _, ...request }: CreateMessageRequest): Ask<CreateMessageResult> {
  const { messages, maxTokens, tools, toolChoice } = request
  if (!Array.isArray(messages) || messages.length === 0 || !Number.isSafeInteger(maxTokens)) {
    throw new TypeError('ctx.sample needs messages and maxTokens')
  }
  const usesTools = tools !== undefined || toolChoice !== undefined
  return {
    kind: 'sample',
    method: 'sampling/createMessage',
    // Also removes undefined members, which JSON cannot represent.
    params: JSON.parse(JSON.stringify(request)) as JsonObject,
    requires: { sampling: usesTools ? { tools: {} } : {} },
    canAnswer: usesTools ? declares('sampling', 'tools') : declares('sampling'),
    read: async (answer) => {
      if (!isJsonObject(answer)) return { misfit: 'the result must be an object' }
      const { role, content, model, stopReason } = answer
      const hasStop = stopReason === undefined || typeof stopReason === 'string'
      if (!isRole(role) || !hasStop || typeof model !== 'string' || !isSamplingContent(content)) {
        return { misfit: 'the result must have a role, content and a model' }
      }
      const kept = {
        role,
        content,
        model,
        ...(stopReason === undefined ? undefined : { stopReason }),
      }
      return { value: kept, kept }
    },
  }
}

/** @see https://modelcontextprotocol.io/specification/2026-07-28/client/roots */
export function rootsAsk(): Ask<readonly Root[]> {
  return {
    kind: 'roots',
    method: 'roots/list',
    params: {},
    requires: { roots: {} },
    canAnswer: declares('roots'),
    read: async (answer) => {
      const roots = isJsonObject(answer) ? answer.roots : undefined
      if (!isRoots(roots)) {
        return { misfit: 'roots must be a list of file: URIs' }
      }
      const value = roots.map(({ uri, name }) => (name === undefined ? { uri } : { uri, name }))
      return { value, kept: { roots: value } }
    },
  }
}

function isRoots(value: unknown): value is readonly Root[] {
  return Array.isArray(value) && value.every(isRoot)
}

function isRoot(value: unknown): value is Root {
  if (!isJsonObject(value)) return false
  const { uri, name } = value
  // The specification requires `file:` URIs.
  return (
    typeof uri === 'string' &&
    uri.startsWith('file://') &&
    (name === undefined || typeof name === 'string')
  )
}
