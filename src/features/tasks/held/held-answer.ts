/** What a request that holds a call answers: the result of the tool, or a handle and what to do with it. */
import type { Call, ResultText } from '../../../dispatch/call.ts'
import type { TaskSnapshot } from '../../../ports/tasks.ts'
import type { Codec } from '../../../protocol/codec/codec.ts'
import type { CallToolResult } from '../../../protocol/primitives.ts'
import { ToolError } from '../../../server/tool-error.ts'
import { storedResult } from '../stored-result.ts'
import { protocolErrorOf } from '../task-error.ts'
import { EXPIRED } from './held-access.ts'
import { canAnswerAll, describeAsks } from './relay-asks.ts'

/** The member of `_meta` that has the handle of a call that goes on. */
export const HANDLE_META = 'dev.edgeway/handle'

export interface HeldAnswer {
  readonly tool: string
  readonly handle: string
  /** The name of the tool that waits for the rest. */
  readonly resultTool: string
}

/**
 * @param state undefined: the task was deleted while the request held it
 * @throws {ProtocolError} that of the tool
 * @throws {ToolError} for a task without a result
 */
export function heldAnswer(
  call: Call,
  codec: Codec,
  state: TaskSnapshot | undefined,
  answer: HeldAnswer,
): ResultText {
  if (state === undefined) throw new ToolError(EXPIRED)
  const { status, error, result } = state
  if (error !== undefined) throw protocolErrorOf(error)
  if (status === 'cancelled')
    throw new ToolError(
      'The call was cancelled. Call the tool again if its result is still wanted.',
    )
  if (result === undefined) return resultTextOf(codec, goesOn(call, state, answer))
  if (result.isError === true) call.run.recording?.markToolError()
  return resultTextOf(codec, storedResult(result, codec) as unknown as CallToolResult)
}

const resultTextOf = (codec: Codec, result: CallToolResult) =>
  codec.resultText(codec.callToolResult(result))

/** A result of its own: the tool has none yet, so it has no structured content. */
function goesOn(
  call: Call,
  { statusMessage, inputRequests }: TaskSnapshot,
  { tool, handle, resultTool }: HeldAnswer,
): CallToolResult {
  let next = `${tool} has not ended yet and goes on. Call ${resultTool} with this handle until it answers with the result. Do not call ${tool} again: that starts a second one.`
  if (inputRequests !== undefined) {
    const how = canAnswerAll(call, inputRequests)
      ? `There was no answer. Call ${resultTool} with this handle to ask again.`
      : `This client cannot be asked. Call ${resultTool} with this handle from one that can.`
    next = `${tool} waits for an answer of the person: ${describeAsks(inputRequests)}. ${how}`
  }
  const lines = [
    next,
    `handle: ${handle}`,
    ...(statusMessage === undefined ? [] : [`progress: ${statusMessage}`]),
  ]
  return {
    content: [{ type: 'text', text: lines.join('\n') }],
    _meta: { [HANDLE_META]: handle },
  }
}
