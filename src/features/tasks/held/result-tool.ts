/** The tool `get_result`, by which clients without tasks wait for calls that have not ended within their request. */

import type { Call, ResultText } from '../../../dispatch/call.ts'
import type { ToolExtension } from '../../../dispatch/extensions.ts'
import { READS_SERVER } from '../../../dispatch/feature-tools.ts'
import type { Journal } from '../../../dispatch/journal/journal.ts'
import type { RevisionContext } from '../../../dispatch/methods/method.ts'
import { readArguments } from '../../../dispatch/methods/tools-call.ts'
import type { Tasks } from '../../../ports/tasks.ts'
import type { JsonSchema } from '../../../protocol/content.ts'
import { hasTasks } from '../../../protocol/tasks.ts'
import { defineTool } from '../../../server/define/tool.ts'
import type { Definition, ToolDefinition } from '../../../server/definition.ts'
import { ToolError } from '../../../server/tool-error.ts'
import { asksThroughModel } from '../../asks/through-model.ts'
import { ANSWER_TOOL, createAnswerTool, isAnswerTool } from './answer-tool.ts'
import { findHandle, NO_HANDLE } from './find-handle.ts'
import { type HeldTools, hasAnswer, heldAnswer } from './held-answer.ts'
import { heldView } from './held-view.ts'
import { holdTask, runHeldTool } from './hold-task.ts'
import { holdMs } from './hold-time.ts'
import { listCalls } from './list-calls.ts'

/** Checked here, so that no validator is bundled for it. */
const INPUT: JsonSchema = {
  type: 'object',
  properties: {
    handle: {
      type: 'string',
      description: 'As the earlier answer has it. Without one, your calls are listed.',
    },
    again: { type: 'boolean', description: 'Whether to return a result that was returned before.' },
  },
}

/** Distinguishes the tool from one of the author's. It runs where there are no tasks, so nothing can have a handle. */
const runWithoutTasks = () => {
  throw new ToolError('This server keeps no calls. Call the tool itself.')
}

export const isResultTool = ({ run }: Pick<ToolDefinition, 'run'>): boolean =>
  run === runWithoutTasks

const isHeldTool = ({ task }: ToolDefinition) => task?.support === 'optional'

/** Which tools of a definition and of its features clients see. */
export interface HeldToolOptions {
  /** The name of the tool that waits; false for none. */
  readonly name: string | false
  /** The option of `asks()`. */
  readonly throughModel: () => boolean
}

/** The tools of a definition that clients without tasks or without forms need, and the list that each client gets. */
export function heldTools({ name, throughModel }: HeldToolOptions): ToolExtension {
  const tool = name === false ? undefined : createResultTool(name)
  return {
    add: ({ tools }) => {
      if (tool === undefined) return []
      const all = [...tools.values()]
      if (all.some((each) => asksThroughModel(throughModel(), each))) {
        return [tool, createAnswerTool()]
      }
      return all.some(isHeldTool) ? [tool] : []
    },
    viewOf: (definition, revision) =>
      heldView(definition, revision, heldToolsOf(definition, name), throughModel()),
    instructionsOf: (definition) => {
      const result = heldToolsOf(definition, name)?.result
      if (result === undefined) return undefined
      return (client) => (hasTasks(client) ? undefined : instructions(result))
    },
  }
}

function createResultTool(name: string): ToolDefinition {
  const description =
    'Waits for the result of a call that has answered with a handle, and returns it. While the work goes on, it answers with the handle again. Without a handle, it lists your calls that go on, or whose result was not fetched: after a call whose connection broke, call it so before you repeat the call.'
  const config = { title: 'Get a result', description, annotations: READS_SERVER, alwaysLoad: true }
  const defined = defineTool(name, config, runWithoutTasks)
  return { ...defined, info: { ...defined.info, inputSchema: INPUT }, run: runWithoutTasks }
}

const instructions = (name: string) =>
  `After a call that ended without an answer, because its connection broke or its time was over, call ${name} without a handle before you repeat it: the work may go on, or have ended.`

/** The names of the tools in a definition; undefined for one without. */
export function heldToolsOf({ tools }: Definition, name: string | false): HeldTools | undefined {
  const tool = name === false ? undefined : tools.get(name)
  if (tool === undefined || !isResultTool(tool)) return undefined
  const answer = tools.get(ANSWER_TOOL)
  return {
    result: tool.info.name,
    answer: answer !== undefined && isAnswerTool(answer) ? ANSWER_TOOL : undefined,
  }
}

/**
 * Waits for the call of a handle.
 *
 * @throws {ToolError} for a handle that is refused, with the reason
 * @throws {ProtocolError} with `missingScopes` for a caller without the scopes of the tool
 */
export async function serveResult(
  { definition, codec }: RevisionContext,
  call: Call,
  tools: HeldTools,
): Promise<ResultText> {
  const { handle, again } = readArguments(call.request.params)
  if (handle != null && typeof handle !== 'string') throw new ToolError(NO_HANDLE)
  return runHeldTool(call, codec, async (run, tasks, journal) => {
    if (handle == null) {
      return codec.resultText(codec.callToolResult(await listCalls(definition, call, tasks)))
    }
    const heldMs = holdMs(call, tasks)
    const until = endOfHold(journal, call, heldMs)
    const { name, state } = await findHandle(call, tasks, handle)
    const { tool } = state.access
    const held = await holdTask(run, { tasks, name, state, until, definition })
    if (hasAnswer(held)) await markReturned(tasks, name, until - heldMs, again === true)
    return heldAnswer(call, codec, held, { tool, handle: state.taskId, tools })
  })
}

/** The step with the end of the hold. No author can use it: it contains a colon. */
const HELD_UNTIL = 'call:until'

/**
 * When the request answers, in epoch milliseconds. In a session it is one request before and after an ask, for which the
 * client waits on. In the modern era each round is a request of its own.
 */
function endOfHold(journal: Journal, call: Call, heldMs: number): number {
  const before = journal.read(HELD_UNTIL, 'step')?.value
  if (typeof before === 'number' && call.client.era !== 'modern') return before
  const until = Date.now() + heldMs
  journal.write(HELD_UNTIL, 'step', until)
  return until
}

/**
 * A request that began before the result was first returned gets it too: it waited beside another one, or runs again
 * after a kill.
 *
 * @throws {ToolError} for a result that was returned before the request began
 */
async function markReturned(
  tasks: Tasks,
  name: string,
  beganAt: number,
  isWantedAgain: boolean,
): Promise<void> {
  // Where it cannot be recorded, a result is rather returned twice than lost.
  const since = await tasks.markReturned(name, Date.now()).catch(() => undefined)
  if (since === undefined || since >= beganAt || isWantedAgain) return
  const at = new Date(since).toISOString()
  throw new ToolError(
    `The result of this call was returned before, at ${at}. If that answer did not arrive, pass "again": true.`,
  )
}
