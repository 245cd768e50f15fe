/** `tasks()`: calls of tools that outlive their request, each in an object of its own. */

import { TASK_PART } from '../../../durable-objects/session/task-part.ts'
import { SessionTasks } from '../../../durable-objects/task/in-session/session-tasks.ts'
import { type CreateTaskEndPart, TASK_END } from '../../../durable-objects/task/task-end-part.ts'
import { TaskIndex } from '../../../durable-objects/task/task-index.ts'
import { TaskObject } from '../../../durable-objects/task/task-object.ts'
import { createTasks } from '../../../durable-objects/task/tasks.ts'
import type { Call, ResultText } from '../../dispatch/call.ts'
import type { CallInRequest, LongCallExtension } from '../../dispatch/extensions.ts'
import type { HandlerRun } from '../../dispatch/handler-run.ts'
import { createFeature } from '../../feature/create-feature.ts'
import type { AppContext, Feature, FeatureParts } from '../../feature/feature.ts'
import { runHostOf } from '../../feature/run-host.ts'
import { MAX_TIMER_MS } from '../../platform/deadline.ts'
import { resolveLimits } from '../../platform/limits.ts'
import { DEFAULT_TASK_LIMITS, type TaskLimits } from '../../ports/task-limits.ts'
import type { ServerCapabilities } from '../../protocol/capabilities.ts'
import { ProtocolError } from '../../protocol/protocol-error.ts'
import { isTasksRequired, TASKS_EXTENSION } from '../../protocol/tasks.ts'
import type { Definition } from '../../server/definition.ts'
import { JOB_JOURNAL } from '../../server/job-journal.ts'
import type { TaskControl } from '../../server/task-control.ts'
import { asks } from '../asks/asks.ts'
import { roundOf } from '../asks/run-round.ts'
import { THROUGH_MODEL } from '../asks/through-model.ts'
import { PRINCIPALS } from '../keyring/shared-parts.ts'
import { callInTask } from './call-in-task.ts'
import { decideCall, modelAsksOf, unplannedTerms } from './decide-call.ts'
import { ANSWER_TOOL, isAnswerTool, serveAnswer } from './held/answer-tool.ts'
import { holdCall, untilAsked } from './held/hold-call.ts'
import { adoptHold } from './held/hold-time.ts'
import { heldTools, heldToolsOf, isResultTool, serveResult } from './held/result-tool.ts'
import { createJobJournal } from './jobs/job-journal.ts'
import { findListened } from './listen-tasks.ts'
import { cancelTask, getTask, listTasks, updateTask } from './methods.ts'
import { startTask, type WithoutTask } from './start-task.ts'
import { createTaskControl } from './task-control.ts'
import { taskResult } from './tasks-result.ts'

export interface TasksOptions extends Partial<TaskLimits> {
  /**
   * The name of the tool by which clients without tasks wait for the calls of tools with `task: 'optional'` that take
   * longer than one request. Only a definition with such a tool has it, and no client with tasks sees it. False: there is
   * no such tool, and the call of a client without tasks runs in its request. Default `get_result`.
   */
  readonly resultTool?: string | false
}

/** What `tasks()` brings to `edgeway`. */
export interface TasksApi {
  /** The tasks, from outside a handler: deliver events, look at a task, end it. */
  readonly tasks: TaskControl
}

export type Tasks = Feature<'tasks', TasksApi, 'asks'>

/** Serves tools with `task`, jobs and `ctx.task`. @throws {TypeError} for an invalid option */
export function tasks({ resultTool = 'get_result', ...given }: TasksOptions = {}): Tasks {
  const limits = resolveLimits('tasks', DEFAULT_TASK_LIMITS, given, { holdMs: MAX_TIMER_MS })
  const create = (app: AppContext) => createParts(app, limits, resultTool)
  return createFeature('tasks', create, [asks()])
}

/** The methods of the extension, and those of 2025-11-25. */
const MODERN = { era: 'modern', needs: 'tasks' } as const
const SESSION = { era: 'session', needs: 'tasks', feature: 'tasks' } as const

function createParts(
  app: AppContext,
  limits: TaskLimits,
  resultTool: string | false,
): FeatureParts<TasksApi> {
  const throughModel = () => THROUGH_MODEL.of(app.extensions)[0] ?? false
  const tools = heldTools({ name: resultTool, throughModel })
  const host = runHostOf(app, limits)
  const createEnds: CreateTaskEndPart = (context) => TASK_END.of(app.extensions)[0]?.(context)
  return {
    parts: {
      task: { create: (...place) => new TaskObject(...place, host, createEnds) },
      principals: PRINCIPALS,
    },
    services: {
      tasks: (bindings) => {
        const objects = app.objectsIn(bindings)
        const tasks = objects.of<TaskObject>('task')
        const index = new TaskIndex(objects.of('principals'), app.audience)
        return tasks && createTasks(tasks, index, limits)
      },
    },
    dispatch: {
      methods: [
        { method: 'tasks/get', run: getTask, ...MODERN, nameParam: 'taskId' },
        { method: 'tasks/update', run: updateTask, ...MODERN, nameParam: 'taskId' },
        { method: 'tasks/cancel', run: cancelTask, ...MODERN, nameParam: 'taskId' },
        { method: 'tasks/get', run: getTask, ...SESSION },
        { method: 'tasks/result', run: taskResult, ...SESSION },
        { method: 'tasks/list', run: listTasks, ...SESSION },
        { method: 'tasks/cancel', run: cancelTask, ...SESSION },
      ],
      otherMethods: ['notifications/tasks/status'],
      capabilities: taskCapabilities,
      offer: offerTasks,
      context: {
        task: ({ call: { run } }) => run.task && { id: run.task.id },
        [JOB_JOURNAL]: jobJournalOf,
      },
      longCalls: createLongCalls(resultTool, throughModel),
      tools,
    },
    transport: { listenedTasks: findListened, adoptQuery: adoptHold },
    extensions: [TASK_PART.with((context) => new SessionTasks(context))],
    api: { tasks: (env) => createTaskControl(app.servicesOf(env), app.audience) },
    announced: {
      holdMs: limits.holdMs,
      ...(resultTool !== false && { resultTool, answerTool: ANSWER_TOOL }),
    },
  }
}

const TASKS = { cancel: {}, requests: { tools: { call: {} } } }

function taskCapabilities({ tools }: Definition): ServerCapabilities {
  const hasTasks = [...tools.values()].some(({ task }) => task !== undefined)
  return hasTasks ? { tasks: TASKS, extensions: { [TASKS_EXTENSION]: {} } } : {}
}

/**
 * Tasks need their object; only a principal has a list of them, because anonymous callers are not distinguished.
 * The extension does not exist in sessions, because 2025-11-25 has tasks of its own.
 */
function offerTasks(
  capabilities: ServerCapabilities,
  { client, services, request }: Pick<Call, 'client' | 'services' | 'request'>,
): ServerCapabilities {
  const { tasks, ...others } = capabilities
  if (tasks === undefined) return capabilities
  if (services.tasks() === undefined) return withoutExtension(others)
  const offered = client.era === 'modern' ? others : withoutExtension(others)
  return { ...offered, tasks: request.auth === undefined ? tasks : { ...tasks, list: {} } }
}

function withoutExtension({ extensions = {}, ...rest }: ServerCapabilities): ServerCapabilities {
  const { [TASKS_EXTENSION]: _, ...others } = extensions
  return Object.keys(others).length === 0 ? rest : { ...rest, extensions: others }
}

function createLongCalls(name: string | false, throughModel: () => boolean): LongCallExtension {
  const begin: LongCallExtension['begin'] = (tool, context, call) => {
    const { codec, definition } = context
    const tasks = call.services.tasks()
    const isAnswer = isAnswerTool(tool)
    if (isAnswer || isResultTool(tool)) {
      const tools = heldToolsOf(definition, name)
      if (tasks === undefined || tools === undefined) return undefined
      const serve = isAnswer ? serveAnswer : serveResult
      return { hasOwnAnswer: false, start: () => serve(context, call, tools) }
    }
    // Nearly every call.
    const isPlain = tool.task === undefined && call.request.params?.task === undefined
    if (isPlain && !definition.tools.has(ANSWER_TOOL)) return undefined
    const tools = heldToolsOf(definition, name)
    const mode = tools?.answer === undefined ? undefined : modelAsksOf(throughModel(), tool, call)
    const decided = decideCall(tool, codec, call, mode, tools !== undefined)
    if (decided === undefined) {
      if (mode === undefined || tools === undefined || tasks === undefined) return undefined
      const terms = unplannedTerms(tool, call, tasks)
      const asking = { ...call, run: { ...call.run, throughModel: mode } }
      const held = { call: asking, codec, definition, tool, terms, tools }
      return { hasOwnAnswer: false, start: async () => started(await untilAsked(held)) }
    }
    const { terms, isHeld } = decided
    if (isHeld && tools !== undefined) {
      const asking = mode ? { ...call, run: { ...call.run, throughModel: mode } } : call
      const held = { call: asking, codec, definition, tool, terms, tools }
      return { hasOwnAnswer: false, start: async () => started(await holdCall(held)) }
    }
    return {
      // The client of 2025-11-25 reads a task or an error, and could not parse the result of a tool.
      hasOwnAnswer: codec.revision.era !== 'modern',
      start: async () => started(await startTask(call, codec, terms, tool)),
    }
  }
  return { begin, callInTask }
}

function started(outcome: ResultText | CallInRequest | WithoutTask): ResultText | CallInRequest {
  if (typeof outcome === 'string' || outcome instanceof Uint8Array) return outcome
  return 'refusal' in outcome ? inRequest(outcome) : outcome
}

/** A handler that needs a task, on a call that became none because the caller has too many, gets that refusal. */
function inRequest({ call, refusal }: WithoutTask): CallInRequest {
  return {
    call,
    convert: (error) =>
      error instanceof ProtocolError && isTasksRequired(error) ? refusal : error,
  }
}

function jobJournalOf(run: HandlerRun) {
  const { call, journal } = run
  if (call.run.task === undefined || journal === undefined) return undefined
  return createJobJournal(call, journal, roundOf(run))
}
