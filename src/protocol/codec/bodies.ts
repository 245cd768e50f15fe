/** The bodies of a revision: the neutral model, narrowed by its rules. */
import type { JsonObject } from '../json.ts'
import type { WireFeatures } from '../revisions.ts'
import type { Codec } from './codec.ts'
import { narrow } from './narrow.ts'
import {
  CAPABILITIES,
  COMPLETE_RESULT,
  IMPLEMENTATION,
  narrowItem,
  PROGRESS,
  PROMPT_RESULT,
  READ_RESULT,
  TOOL_RESULT,
} from './rules.ts'

type Bodies = Pick<
  Codec,
  | 'listItem'
  | 'callToolResult'
  | 'readResourceResult'
  | 'getPromptResult'
  | 'completeResult'
  | 'capabilities'
  | 'implementation'
  | 'progressParams'
>

export function createBodies(features: WireFeatures): Bodies {
  return {
    listItem: (method, item) => narrowItem(method, item, features),
    callToolResult: (result) => narrow(result, TOOL_RESULT, features),
    readResourceResult: (result) => narrow(result, READ_RESULT, features),
    getPromptResult: (result) => narrow(result, PROMPT_RESULT, features),
    completeResult: (result) => narrow(result, COMPLETE_RESULT, features),
    capabilities: (capabilities) => narrow(capabilities, CAPABILITIES, features) as JsonObject,
    implementation: (info) => narrow(info, IMPLEMENTATION, features) as JsonObject,
    progressParams: (progressToken, progress) => ({
      progressToken,
      ...(narrow(progress, PROGRESS, features) as JsonObject),
    }),
  }
}
