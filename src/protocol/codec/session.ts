/**
 * The codecs of 2024-11-05 to 2025-11-25. They narrow the neutral model to the features of the revision:
 * display fields that it does not have are removed, and content that it does not have becomes text or an
 * embedded resource.
 */
import type { Implementation } from '../content.ts'
import { type JsonObject, jsonText } from '../json.ts'
import type { ListItems, ListMethod, ReturnedToolResult } from '../primitives.ts'
import type { Revision, WireFeatures } from '../revisions.ts'
import type { Codec } from './codec.ts'
import { narrowBlock, narrowContents, narrowFields, narrowTool } from './narrow.ts'
import { progressParams } from './progress.ts'
import { earlierTask } from './task-body.ts'

export function createSessionCodec(revision: Revision): Codec {
  const { features } = revision
  return {
    revision,
    listItem: (method, item) => narrowItem(method, item, features),
    callToolResult: (result) => narrowCallResult(result, features),
    readResourceResult: ({ contents, ...rest }) => ({
      ...rest,
      contents: contents.map((content) => narrowContents(content, features)),
    }),
    getPromptResult: ({ messages, ...rest }) => ({
      ...rest,
      messages: messages.map(({ role, content }) => ({
        role,
        content: narrowBlock(content, features),
      })),
    }),
    completeResult: (result) => result,
    capabilities: ({ completions, extensions, tasks, ...rest }) => ({
      ...(rest as JsonObject),
      ...(tasks !== undefined && features.tasks ? { tasks } : undefined),
      ...(extensions !== undefined && features.extensions ? { extensions } : undefined),
      ...(completions !== undefined && features.audioAndAnnotations ? { completions } : undefined),
    }),
    implementation: (info) => narrowImplementation(info, features),
    progressParams: (token, progress) =>
      progressParams(token, progress, features.audioAndAnnotations),
    resultText: jsonText,
    inputRequiredText: undefined,
    createdTaskText: (task) => jsonText({ task: earlierTask(task) }),
    errorCode: (code) => code,
  }
}

function narrowItem<M extends ListMethod>(
  method: M,
  item: ListItems[M],
  features: WireFeatures,
): object {
  if (method === 'tools/list') return narrowTool(item as ListItems['tools/list'], features)
  const narrowed = narrowFields(item, features)
  const { arguments: args } = item as ListItems['prompts/list']
  return args === undefined
    ? narrowed
    : { ...narrowed, arguments: args.map((argument) => narrowFields(argument, features)) }
}

function narrowCallResult(
  { content, structuredContent, ...rest }: ReturnedToolResult,
  features: WireFeatures,
): object {
  // In these revisions structured content is an object. `content` has the value as text in any case.
  const isObject =
    typeof structuredContent === 'object' &&
    structuredContent !== null &&
    !Array.isArray(structuredContent)
  return {
    ...rest,
    content: content.map((block) => narrowBlock(block, features)),
    ...(features.structuredOutput && isObject ? { structuredContent } : undefined),
  }
}

function narrowImplementation(info: Implementation, features: WireFeatures): JsonObject {
  const { name, version, title } = info
  if (features.icons) return info as Implementation & JsonObject
  return { name, version, ...(features.structuredOutput && title ? { title } : undefined) }
}
