/** What a request that holds a call answers: the result of the tool, or a handle and what to do with it. */
import type { Call, ResultText } from '../../../dispatch/call.ts'
import type { TaskSnapshot } from '../../../ports/tasks.ts'
import type { Codec } from '../../../protocol/codec/codec.ts'
import type { CallToolResult } from '../../../protocol/primitives.ts'
import { ToolError } from '../../../server/tool-error.ts'
import { storedResult } from '../stored-result.ts'
import { protocolErrorOf } from '../task-error.ts'
import { EXPIRED } from './held-access.ts'
import { questionHandle, questionLines, questionOf } from './question.ts'
import { canAnswerAll, describeAsks } from './relay-asks.ts'

/** The member of `_meta` that has the handle of a call that goes on. */
export const HANDLE_META = 'dev.edgeway/handle'

/** Whether a task has ended with what its tool answers. */
export const hasAnswer = (state: TaskSnapshot | undefined): boolean =>
  state?.result !== undefined || state?.error !== undefined

/** The names of the tools by which a client without tasks, or without asks, goes on with a call. */
export interface HeldTools {
  readonly result: string
  /** Undefined where no question goes through the model. */
  readonly answer: string | undefined
}

export interface HeldAnswer {
  /** The tool that was called. */
  readonly tool: string
  readonly handle: string
  readonly tools: HeldTools
  /**
   * Whether the client has the output schema of the tool: it accepts no other result without structured content than an error.
   */
  readonly hasSchema?: boolean
}

/**
 * @param state undefined: the task was deleted while the request held it
 * @throws {ProtocolError} that of the tool
 * @throws {ToolError} for a task without a result
 */
export async function heldAnswer(
  call: Call,
  codec: Codec,
  state: TaskSnapshot | undefined,
  answer: HeldAnswer,
): Promise<ResultText> {
  if (state === undefined) throw new ToolError(EXPIRED)
  const { status, error, result } = state
  if (error !== undefined) throw protocolErrorOf(error)
  if (status === 'cancelled')
    throw new ToolError(
      'The call was cancelled. Call the tool again if its result is still wanted.',
    )
  if (result === undefined) return resultTextOf(codec, await unfinished(call, state, answer))
  if (result.isError === true) call.run.recording?.markToolError()
  return resultTextOf(codec, storedResult(result, codec) as unknown as CallToolResult)
}

const resultTextOf = (codec: Codec, result: CallToolResult) =>
  codec.resultText(codec.callToolResult(result))

/** A result of its own: the tool has none yet, so it has no structured content. */
async function unfinished(
  call: Call,
  state: TaskSnapshot,
  answer: HeldAnswer,
): Promise<CallToolResult> {
  const { inputRequests, statusMessage } = state
  const canAnswer = inputRequests === undefined || canAnswerAll(call, inputRequests)
  const question = canAnswer ? undefined : questionOf(inputRequests)
  if (question !== undefined && answer.tools.answer !== undefined) {
    const handle = await questionHandle(call, answer.handle, question.key)
    const asked = handleResult(handle, questionLines(question, answer.tool, answer.tools.answer))
    return answer.hasSchema ? { ...asked, isError: true } : asked
  }
  const { tool, handle, tools } = answer
  const goesOn = `${tool} has not ended yet and goes on. Call ${tools.result} with this handle until it answers with the result. Do not call ${tool} again: that starts a second one.`
  const next = inputRequests === undefined ? goesOn : waits(tool, tools, inputRequests, canAnswer)
  return handleResult(
    handle,
    [next],
    statusMessage === undefined ? [] : [`progress: ${statusMessage}`],
  )
}

function waits(
  tool: string,
  { result }: HeldTools,
  inputRequests: NonNullable<TaskSnapshot['inputRequests']>,
  canAnswer: boolean,
): string {
  const how = canAnswer
    ? `There was no answer. Call ${result} with this handle to ask again.`
    : `This client cannot be asked. Call ${result} with this handle from one that can.`
  return `${tool} waits for an answer of the person: ${describeAsks(inputRequests)}. ${how}`
}

const handleResult = (
  handle: string,
  before: readonly string[],
  after: readonly string[] = [],
): CallToolResult => ({
  content: [{ type: 'text', text: [...before, `handle: ${handle}`, ...after].join('\n') }],
  _meta: { [HANDLE_META]: handle },
})
