/** The tool `answer_question`, by which a model passes on what its person has answered to a question of a held call. */
import type { Call, ResultText } from '../../../dispatch/call.ts'
import type { RevisionContext } from '../../../dispatch/methods/method.ts'
import { readArguments } from '../../../dispatch/methods/tools-call.ts'
import { parseBoundedJson } from '../../../platform/bounded-json.ts'
import type { TaskSnapshot } from '../../../ports/tasks.ts'
import type { JsonSchema } from '../../../protocol/content.ts'
import { REQUIRES_INTERACTION } from '../../../protocol/host-keys.ts'
import { isJsonObject, type JsonObject } from '../../../protocol/json.ts'
import { isOverStatus } from '../../../protocol/tasks.ts'
import { defineTool } from '../../../server/define/tool.ts'
import type { ToolDefinition } from '../../../server/definition.ts'
import { ToolError } from '../../../server/tool-error.ts'
import { mayModelAnswer } from '../../asks/through-model.ts'
import { findHandle, NO_HANDLE } from './find-handle.ts'
import { checkHeldAccess } from './held-access.ts'
import { type HeldTools, hasAnswer, heldAnswer } from './held-answer.ts'
import { holdTask, runHeldTool } from './hold-task.ts'
import { holdMs } from './hold-time.ts'
import { describeAsks } from './relay-asks.ts'

export const ANSWER_TOOL = 'answer_question'

const ACTIONS = ['accept', 'decline', 'cancel'] as const

/** Checked here, so that no validator is bundled for it. */
const INPUT: JsonSchema = {
  type: 'object',
  properties: {
    handle: { type: 'string', description: 'As the question has it.' },
    action: {
      type: 'string',
      enum: [...ACTIONS],
      description:
        'accept: the person has answered. decline: the person says no. cancel: the person does not answer.',
    },
    answers: {
      type: 'object',
      description:
        'What the person has answered, by the names that the question gives. For accept alone.',
    },
  },
  required: ['handle', 'action'],
}

const DESCRIPTION =
  'Passes on the answer of the person to a question that a tool of this server has returned, and returns the result of that tool. Ask the person in the conversation first, and pass on only what the person says.'

/** Distinguishes the tool from one of the author's. It runs where there are no tasks, so there is no question. */
const runWithoutTasks = () => {
  throw new ToolError('This server asks no questions.')
}

export const isAnswerTool = ({ run }: Pick<ToolDefinition, 'run'>): boolean =>
  run === runWithoutTasks

export function createAnswerTool(): ToolDefinition {
  const defined = defineTool(
    ANSWER_TOOL,
    {
      title: 'Answer a question',
      description: DESCRIPTION,
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: true,
        openWorldHint: false,
      },
      alwaysLoad: true,
      _meta: REQUIRES_INTERACTION,
    },
    runWithoutTasks,
  )
  const info = { ...defined.info, inputSchema: INPUT }
  return { ...defined, info, run: runWithoutTasks, isDirect: true }
}

/**
 * Gives the answer to the handler, and waits for its next question or its result.
 *
 * @throws {ToolError} for an answer that is refused, with the reason
 * @throws {ProtocolError} with `missingScopes` for a caller without the scopes of the tool that asks
 */
export async function serveAnswer(
  { definition, codec }: RevisionContext,
  call: Call,
  tools: HeldTools,
): Promise<ResultText> {
  const { handle, response } = readAnswer(readArguments(call.request.params))
  return runHeldTool(call, codec, async (run, tasks) => {
    const { name, state: found, question } = await findHandle(call, tasks, handle)
    checkHeldAccess(definition, found, call.request.auth)
    const key = openQuestion(found, question)
    if (key !== undefined) await tasks.update(name, { [key]: response })
    // Read anew: where several questions are open, the next one is there at once, and the task does not change its version.
    const state = key === undefined ? found : ((await tasks.read(name)) ?? found)
    const until = Date.now() + holdMs(call, tasks)
    const last = await holdTask(run, { tasks, name, state, until, definition })
    if (hasAnswer(last)) await tasks.markReturned(name, Date.now()).catch(() => undefined)
    return heldAnswer(call, codec, last, { tool: found.access.tool, handle: found.taskId, tools })
  })
}

/** @throws {ToolError} with what to send instead */
function readAnswer({ handle, action, answers }: JsonObject) {
  if (typeof handle !== 'string') throw new ToolError(NO_HANDLE)
  const chosen = ACTIONS.find((each) => each === action)
  if (chosen === undefined) {
    throw new ToolError('"action" must be "accept", "decline" or "cancel", as the person decides.')
  }
  if (chosen !== 'accept') return { handle, response: { action: chosen, via: 'model' } }
  // Models write an object as its text.
  const parsed = typeof answers === 'string' ? parseBoundedJson(answers, ANSWER_BOUNDS) : undefined
  const content = (parsed?.ok ? parsed.value : answers) ?? {}
  if (!isJsonObject(content)) {
    throw new ToolError('"answers" must be an object, with the names that the question gives.')
  }
  return { handle, response: { action: chosen, content, via: 'model' } }
}

/** A form is flat, and a choice of several a list. */
const ANSWER_BOUNDS = { depth: 4, values: 1000 }

/**
 * The key of the ask that is answered. Undefined for one that was answered before: what follows is awaited, as the first
 * answer did.
 *
 * @param named the ask that the handle names; undefined for the handle of a call
 * @throws {ToolError} for a question that no model may answer
 */
function openQuestion(
  { status, inputRequests = {} }: TaskSnapshot,
  named: string | undefined,
): string | undefined {
  if (isOverStatus(status)) return undefined
  const open = Object.entries(inputRequests)
  const [first, ...others] = open.filter(([, ask]) => mayModelAnswer(ask)).map(([key]) => key)
  if (named !== undefined) return Object.hasOwn(inputRequests, named) ? named : undefined
  if (first === undefined && open.length > 0) {
    throw new ToolError(
      `Only the person may answer ${describeAsks(inputRequests)}, at a client that can be asked.`,
    )
  }
  if (others.length > 0) throw new ToolError('Several questions are open: pass the handle of one.')
  return first
}
