/**
 * A call of a tool with optional tasks, by a client without tasks: it starts in its task object, and the request waits for
 * it there. A call that ends or asks in its first moments has no row. Any other one is a task like all others: it goes on
 * after a kill, and by its handle after the end of the request.
 */
import { RUN_FAILURES } from '../../../../durable-objects/run/run-failures.ts'
import type { Call, ResultText } from '../../../dispatch/call.ts'
import type { CallInRequest } from '../../../dispatch/extensions.ts'
import { runOf } from '../../../dispatch/handler-context.ts'
import { HELD_CALL, Journal, type JournalState } from '../../../dispatch/journal/journal.ts'
import { Suspension } from '../../../dispatch/journal/suspension.ts'
import { RunError } from '../../../dispatch/run-error.ts'
import { journalOf, runHandler } from '../../../dispatch/run-handler.ts'
import { randomToken } from '../../../platform/random-token.ts'
import type { TaskBeginning, TaskSnapshot, Tasks, TaskTerms } from '../../../ports/tasks.ts'
import type { Codec } from '../../../protocol/codec/codec.ts'
import { isJsonObject, type JsonObject } from '../../../protocol/json.ts'
import { tooManyTasks } from '../../../protocol/tasks.ts'
import type { Definition, ToolDefinition } from '../../../server/definition.ts'
import { ToolError } from '../../../server/tool-error.ts'
import { mayModelAnswer } from '../../asks/through-model.ts'
import {
  parsedState,
  requestStart,
  resultOf,
  taskIdOf,
  type WithoutTask,
  withoutTask,
} from '../start-task.ts'
import { type HeldTools, hasAnswer, heldAnswer } from './held-answer.ts'
import { HOLD_RUN, holdTask } from './hold-task.ts'
import { holdMs } from './hold-time.ts'

/** A call as its request holds it. */
export interface HeldCall {
  readonly call: Call
  readonly codec: Codec
  readonly definition: Definition
  readonly tool: ToolDefinition
  readonly terms: TaskTerms
  readonly tools: HeldTools
}

/** What the journal of the request keeps of the call, from one round to the next. */
interface HeldRecord {
  /** The name of the task object, and the id of the task: the same in every round. */
  readonly name: string
  readonly taskId: string
  /** Whether a handler may have begun there in a round before, so that none begins again. */
  readonly hasBegun: boolean
  /** Epoch milliseconds. In a session the request goes on after an ask; in the modern era each round is one of its own. */
  readonly until: number
}

/**
 * @throws {Suspension} with what the handler asks
 * @throws {ProtocolError} the error of the call
 * @throws {ToolError} for a call that was interrupted before it was stored
 */
export async function holdCall(held: HeldCall): Promise<ResultText | WithoutTask> {
  const { call, tool } = held
  const journal = (await journalOf(call, tool.singleUse)) ?? new Journal()
  const before = readRecord(journal)
  const until = Date.now() + holdMs(call, tasksOf(call))
  const record =
    before === undefined
      ? await newRecord(call, until)
      : call.client.era === 'modern'
        ? { ...before, until }
        : before
  if (record.hasBegun) {
    const state = await tasksOf(call).read(record.name)
    if (state === undefined) throw new ToolError(RUN_FAILURES.interrupted)
    return untilAnswered(held, journal, record, state)
  }
  return begin(held, journal, record)
}

async function newRecord(call: Call, until: number): Promise<HeldRecord> {
  const name = randomToken()
  return { name, taskId: await taskIdOf(call, name), hasBegun: false, until }
}

async function begin(
  held: HeldCall,
  journal: Journal,
  record: HeldRecord,
): Promise<ResultText | WithoutTask> {
  const { call, codec } = held
  const beginning = await startHeld(held, journal, record, journal)
  switch (beginning.kind) {
    case 'asks':
      throw suspension(journal, record, beginning)
    case 'full': {
      const { limit, state } = beginning
      const { [HELD_CALL]: _, ...steps } = state === undefined ? {} : parsedState(state).steps
      if (state !== undefined) adopt(journal, { ...parsedState(state), steps })
      journal.drop(HELD_CALL)
      return withoutTask(call, journal, limit)
    }
    case 'task':
      return untilTaskAnswers(held, journal, record, beginning.task)
    default:
      return resultOf(beginning, codec)
  }
}

/** Starts a call with a journal in its object, and records that first in the journal of its request. */
async function startHeld(
  { call, codec, terms, tool }: HeldCall,
  own: Journal,
  record: HeldRecord,
  journal: Journal,
): Promise<TaskBeginning> {
  keep(own, { ...record, hasBegun: true })
  const { logLevel } = call.client
  const { throughModel } = call.run
  const { name, taskId } = record
  const held = { ...(logLevel && { logLevel }), ...(throughModel && { throughModel }) }
  return requestStart(call, codec, terms, tool, { name, taskId, journal, held }).catch((error) =>
    afterReset(call, name, error),
  )
}

/**
 * Runs a call in its request, until it asks what only the model of its client can put to the person: it goes on in a task
 * object then, with its journal.
 */
export async function untilAsked(
  held: HeldCall,
): Promise<CallInRequest | ResultText | WithoutTask> {
  const { call, tool } = held
  const journal = (await journalOf(call, tool.singleUse)) ?? new Journal()
  // A run of a session begins again after a kill. The task has it already.
  if (readRecord(journal)?.hasBegun) return holdCall(held)
  return {
    call: { ...call, run: { ...call.run, journal } },
    convert: (error) => error,
    continued: ({ requests, state }) =>
      Object.values(requests).some(mayModelAnswer)
        ? continueInTask(held, journal, new Journal(state))
        : undefined,
  }
}

async function continueInTask(held: HeldCall, own: Journal, journal: Journal): Promise<ResultText> {
  const { call, codec } = held
  const record = await newRecord(call, Date.now() + holdMs(call, tasksOf(call)))
  const beginning = await startHeld(held, own, record, journal)
  if (beginning.kind === 'full') throw tooManyTasks(beginning.limit)
  return beginning.kind === 'task'
    ? untilTaskAnswers(held, own, record, beginning.task)
    : resultOf(beginning, codec)
}

/** Waits for the task of a call: it has the journal now, and its own keys must not be those of earlier asks. */
function untilTaskAnswers(
  held: HeldCall,
  journal: Journal,
  record: HeldRecord,
  task: TaskSnapshot,
): Promise<ResultText> {
  for (const key of [...journal.entries.keys()]) if (key !== HELD_CALL) journal.drop(key)
  return untilAnswered(held, journal, record, task)
}

/**
 * The beginning of a call whose object was reset meanwhile, as a deployment does. It goes on if it has its row.
 *
 * @throws {ToolError} for a call that is lost
 */
async function afterReset(call: Call, name: string, error: unknown): Promise<TaskBeginning> {
  if (error instanceof RunError) throw error
  const task = await tasksOf(call).read(name)
  if (task !== undefined) return { kind: 'task', task }
  call.deployment.report({ type: 'internal-error', error })
  throw new ToolError(RUN_FAILURES.interrupted)
}

/** The asks of a handler that has no row yet. Its journal is that of the request until they are answered. */
function suspension(
  journal: Journal,
  record: HeldRecord,
  { requests, state, singleUse }: Extract<TaskBeginning, { kind: 'asks' }>,
): Suspension {
  const parsed = parsedState(state)
  const steps = { ...parsed.steps, [HELD_CALL]: { ...record, hasBegun: false } }
  const own = { ...parsed, steps }
  adopt(journal, own)
  return new Suspension(requests, own, singleUse)
}

/** Writes the entries of the handler to the journal of the request, which a session keeps itself. */
function adopt(journal: Journal, { answers, steps, refusals, waits, started }: JournalState): void {
  const all = { answer: answers, step: steps, refusal: refusals, wait: waits, started } as const
  for (const [kind, entries = {}] of Object.entries(all)) {
    for (const [key, value] of Object.entries(entries as JsonObject)) {
      if (value !== undefined) journal.write(key, kind as keyof typeof all, value)
    }
  }
}

async function untilAnswered(
  { call, codec, definition, tool, tools }: HeldCall,
  journal: Journal,
  { name, until }: HeldRecord,
  state: TaskSnapshot,
): Promise<ResultText> {
  const tasks = tasksOf(call)
  const { cancellation, waitUntil } = call.run
  let isHeld = true
  // The client does not have the handle, so it could not fetch the result.
  cancellation.onCancel(() => {
    if (isHeld) waitUntil(tasks.cancel(name).catch(() => undefined))
  })
  const run = { ...call.run, journal }
  try {
    return await runHandler({ ...call, run }, codec, HOLD_RUN, async (ctx) => {
      const own = runOf(ctx)
      if (own === undefined) throw new TypeError('A held call needs its run')
      const last = await holdTask(own, { tasks, name, state, until, definition })
      if (hasAnswer(last)) waitUntil(tasks.markReturned(name, Date.now()).catch(() => undefined))
      const hasSchema = call.run.throughModel === 'each' && tool.info.outputSchema !== undefined
      const answer = { tool: tool.info.name, handle: state.taskId, tools, hasSchema }
      return await heldAnswer(call, codec, last, answer)
    })
  } finally {
    isHeld = false
  }
}

function readRecord(journal: Journal): HeldRecord | undefined {
  const value = journal.read(HELD_CALL, 'step')?.value
  return isJsonObject(value) ? (value as unknown as HeldRecord) : undefined
}

function keep(journal: Journal, record: HeldRecord): void {
  journal.write(HELD_CALL, 'step', { ...record })
}

function tasksOf({ services }: Call): Tasks {
  const tasks = services.tasks()
  if (tasks === undefined) throw new TypeError('A held call needs the binding of tasks')
  return tasks
}
