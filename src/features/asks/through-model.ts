/** Which questions a model may put to its person, where the client cannot be asked. */
import type { Call } from '../../dispatch/call.ts'
import { ExtensionPoint } from '../../feature/extension-point.ts'
import { isJsonObject } from '../../protocol/json.ts'
import type { CallToolResult } from '../../protocol/primitives.ts'
import type { ToolDefinition } from '../../server/definition.ts'

/** `asks({ throughModel })`, for `tasks()`: such a question outlives its request. */
export const THROUGH_MODEL = new ExtensionPoint<boolean>()

/** @throws {TypeError} for any other value */
export function checkThroughModel(option: unknown): asserts option is boolean {
  if (typeof option !== 'boolean') throw new TypeError('asks: throughModel must be true or false')
}

/** Whether the questions of a tool go through the model, but for those that refuse it. */
export function asksThroughModel(
  option: boolean,
  { info: { annotations }, throughModel }: Pick<ToolDefinition, 'info' | 'throughModel'>,
): boolean {
  const isHarmless = annotations?.readOnlyHint === true || annotations?.destructiveHint === false
  return throughModel ?? (option && isHarmless)
}

/** Whether a model may answer a stored ask. */
export const mayModelAnswer = ({ throughModel }: { readonly throughModel?: unknown }): boolean =>
  throughModel === true

/** The member of `_meta` of a result for which the model of the client has passed on answers. */
const VIA_META = 'dev.edgeway/via'

export function markThroughModel(
  { run: { journal } }: Call,
  result: CallToolResult,
): CallToolResult {
  const isAnswered = [...(journal?.entries.values() ?? [])].some(
    ({ kind, value }) => kind === 'answer' && isJsonObject(value) && value.via === 'model',
  )
  return isAnswered ? { ...result, _meta: { ...result._meta, [VIA_META]: 'model' } } : result
}
