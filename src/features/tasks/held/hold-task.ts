/**
 * Waits for a task within a request: what its handler reports and asks goes to the client of the request, whose answers go
 * to the task.
 */
import type { Call, ResultText } from '../../../dispatch/call.ts'
import { runOf } from '../../../dispatch/handler-context.ts'
import type { HandlerRun, RunOptions } from '../../../dispatch/handler-run.ts'
import { Journal } from '../../../dispatch/journal/journal.ts'
import { journalOf, runHandler } from '../../../dispatch/run-handler.ts'
import { delay } from '../../../platform/deadline.ts'
import type { TaskMessage, TaskSnapshot, Tasks } from '../../../ports/tasks.ts'
import type { Codec } from '../../../protocol/codec/codec.ts'
import { isJsonObject } from '../../../protocol/json.ts'
import { type LogLevel, passesLogLevel } from '../../../protocol/log-level.ts'
import { isOverStatus } from '../../../protocol/tasks.ts'
import type { Definition } from '../../../server/definition.ts'
import { checkHeldAccess } from './held-access.ts'
import { relayAsks } from './relay-asks.ts'

/** How long one call of the task object waits for the next state. */
const POLL_MS = 25_000

/** Calls of the task object that may fail in a row, and the pause after each: a deployment or a move resets the object. */
const MAX_FAILURES = 5
const FAILURE_PAUSE_MS = 300

/** How long a task has after an answer, which may have come late in the time of the request. */
const AFTER_ANSWER_MS = 2000

/** The request waits for less than its own time; a person may take longer. */
export const HOLD_RUN: RunOptions = { timeoutMs: 60 * 60 * 1000, singleUse: false, files: false }

/** Runs a tool that waits for calls, with the journal of its request and the tasks of the server. */
export async function runHeldTool(
  call: Call,
  codec: Codec,
  serve: (run: HandlerRun, tasks: Tasks, journal: Journal) => Promise<ResultText>,
): Promise<ResultText> {
  const journal = (await journalOf(call, false)) ?? new Journal()
  return runHandler({ ...call, run: { ...call.run, journal } }, codec, HOLD_RUN, async (ctx) => {
    const run = runOf(ctx)
    const tasks = call.services.tasks()
    if (run === undefined || tasks === undefined)
      throw new TypeError('The tool needs its run and tasks')
    return serve(run, tasks, journal)
  })
}

export interface HeldTask {
  readonly tasks: Tasks
  readonly name: string
  readonly state: TaskSnapshot
  /** When the request answers, in epoch milliseconds. */
  readonly until: number
  /** That of the caller. */
  readonly definition: Definition
}

/**
 * Returns the last state: of a task that has ended, that works on at the end of the time, or whose asks this client cannot
 * answer or has not answered. Undefined for a task that was deleted meanwhile.
 *
 * @throws what {@link checkHeldAccess} throws, for any state
 */
export async function holdTask(
  run: HandlerRun,
  { tasks, name, state: first, until, definition }: HeldTask,
): Promise<TaskSnapshot | undefined> {
  let state: TaskSnapshot | undefined = first
  let end = until
  // A request that was cancelled must not take the messages of a later one.
  while (state !== undefined && !run.isClosed) {
    checkHeldAccess(definition, state, run.call.request.auth)
    for (const message of state.messages ?? []) await send(run, message)
    if (isOverStatus(state.status)) return state
    const { version }: TaskSnapshot = state
    let waitMs = end - Date.now()
    if (state.inputRequests !== undefined) {
      const answers = await relayAsks(run, state.inputRequests)
      if (answers === undefined) return state
      const { responses, refusals } = answers
      if (!(await attempt(() => tasks.update(name, responses, refusals)))) return undefined
      end = Math.max(end, Date.now() + AFTER_ANSWER_MS)
      waitMs = end - Date.now()
    } else if (waitMs <= 0) return state
    const pollMs = Math.min(waitMs, POLL_MS)
    state = await attempt(() => tasks.wait(name, version, pollMs, true))
  }
  return state
}

async function attempt<T>(run: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await run()
    } catch (error) {
      if (failures > MAX_FAILURES) throw error
      await delay(FAILURE_PAUSE_MS)
    }
  }
}

/** Sends what the handler has reported, as far as the client of this request has asked for it. */
async function send(own: HandlerRun, message: TaskMessage): Promise<void> {
  const { call, codec } = own
  const { request, client, run } = call
  if (message.kind === 'progress') {
    if (request.progressToken === undefined) return
    // A handler that runs again after a kill reports from the beginning.
    if (!own.sent.addProgress(message.progress.progress)) return
    const params = codec.progressParams(request.progressToken, message.progress)
    await run.notify('notifications/progress', params)
    return
  }
  const { level } = isJsonObject(message.params) ? message.params : {}
  const { logLevel } = client
  if (logLevel === undefined || !passesLogLevel(level as LogLevel, logLevel)) return
  await run.notify('notifications/message', message.params)
}
