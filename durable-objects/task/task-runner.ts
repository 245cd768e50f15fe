/** Runs the handler of a task, and gives it what it waits for: answers of the client, events of the author, times. */
import type { Call, CallRun } from '../../src/dispatch/call.ts'
import { type Outcome, settleCall } from '../../src/dispatch/outcome.ts'
import type { Target } from '../../src/dispatch/target.ts'
import { webhookUrl } from '../../src/features/asks/webhook-secrets.ts'
import { hashKey } from '../../src/platform/fnv.ts'
import type { TaskEvent } from '../../src/ports/request-event.ts'
import { ASKING_METHODS } from '../../src/protocol/asking-methods.ts'
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts'
import { ProtocolError } from '../../src/protocol/protocol-error.ts'
import type { TaskStatus } from '../../src/protocol/tasks.ts'
import { callRequestOf } from '../run/call-request.ts'
import { isOver } from '../run/decide-run.ts'
import type { Recipient } from '../run/deliver.ts'
import { RunDriver } from '../run/run-driver.ts'
import type { AskResponse, RunEvent, RunLimits } from '../run/run-state.ts'
import { readState } from '../run/run-storage.ts'
import { isFinalState, TASK_RUN } from './schema.ts'
import { createTaskOutput } from './task-output.ts'
import type { TaskParts } from './task-parts.ts'
import { TaskRun } from './task-run.ts'
import { accessOf } from './task-state.ts'

/**
 * A task may wait ten thousand times. Its interruptions are counted anew after each step, so a long task
 * survives any number of them, and one that ends its object by itself does not run forever.
 */
const TASK_LIMITS: RunLimits = { rounds: 10_000, interruptions: 10 }

export class TaskRunner {
  readonly driver: RunDriver<TaskRun>
  readonly #parts: TaskParts

  constructor(parts: TaskParts) {
    this.#parts = parts
    const { storage, deployment } = parts
    this.driver = new RunDriver<TaskRun>(
      {
        ...createTaskOutput(parts),
        limits: TASK_LIMITS,
        // A task has no session: it is terminated at the end of its lifetime.
        endReason: 'timeout',
        load: () => this.#load(),
        interruptedRuns: () => [TASK_RUN],
        // What a handler repeats is in its steps, so every task may run again.
        isRepeatable: () => true,
        dispatcherOf: async (run, auth) => {
          const params = run.request.factoryParams
          const dispatchers = await deployment.definitions.of({ auth, params })
          return dispatchers.under(parts.codecOf(run).revision)
        },
        execute: (run) => this.execute(run),
        expiryOf: () => storage.endsAt,
        moved: (run, before, event) => {
          const { recorder, env } = deployment
          // A call that has answered by itself was never a task.
          if (recorder === undefined || (before.name === 'quick' && isOver(run.state))) return
          recorder.reportInObject(taskEvent(parts, run, event), env, parts.waitUntil)
        },
      },
      parts,
    )
  }

  /** The run, read from its rows if no handler is in memory; undefined without a task, and after its end. */
  get run(): TaskRun | undefined {
    return this.driver.find(TASK_RUN)
  }

  /** The run as the recipient of what the author delivers. */
  get recipient(): Recipient | 'unknown' | 'over' {
    if (this.#parts.storage.existing?.task() === undefined) return 'unknown'
    const { run } = this
    return run === undefined ? 'over' : this.driver.recipient(run)
  }

  /** Waits until a held call that begins has its row, which it then needs, or has ended. */
  async untilBegun(): Promise<void> {
    for (const run of this.driver.live) {
      if (!run.isHeld || run.isStored) continue
      run.needsRow.resolve(undefined)
      await run.begun.promise
    }
  }

  get isLive(): boolean {
    return this.driver.live.size > 0
  }

  /** Runs the handler until it settles or waits, and returns how it ended. */
  async execute(run: TaskRun): Promise<Outcome> {
    const { deployment, waitUntil } = this.#parts
    const { target } = run
    if (target === undefined) throw new TypeError('The task has no target')
    if (target instanceof ProtocolError) return target
    run.onStep = () => this.driver.apply(run, { type: 'advance' })
    const { recorder, env } = deployment
    const recording = recorder?.resumeTask(run.request, env, waitUntil)
    return settleCall(createTaskCall(run, target, this.#parts, recording))
  }

  /**
   * Answers open asks by their keys on the wire. A key that is unknown or was answered is ignored.
   *
   * @param refusals why the client does not answer, by key
   */
  answer(responses: JsonObject, refusals: Readonly<Record<string, string>>): void {
    const waits = this.#parts.storage.existing?.waitsOf(TASK_RUN) ?? []
    const asks = waits.filter(({ kind }) => kind === 'ask')
    const given = asks.flatMap(({ key, wire_key }) => {
      const response = responseTo(wire_key ?? '', responses, refusals)
      return response === undefined ? [] : [{ key, response }]
    })
    for (const [index, { key, response }] of given.entries()) {
      // A handler goes on when all its asks are answered, because the client answers them together. It
      // may race them with other waits.
      const isLast = given.length === asks.length && index === given.length - 1
      const { run } = this
      if (run !== undefined) this.driver.give(run, key, response, isLast)
    }
  }

  #load(): TaskRun | undefined {
    const { storage } = this.#parts
    const { existing } = storage
    const row = existing?.task()
    if (existing === undefined || row === undefined || isFinalState(row.state)) return undefined
    const state = readState(row, existing.waitsOf(TASK_RUN), storage.endsAt)
    const run = new TaskRun(storage, storage.readRequest(), {
      id: TASK_RUN,
      state,
      sent: row.sent,
      callerRecord: row.caller,
    })
    run.access = accessOf(row)
    return run
  }
}

function responseTo(
  wireKey: string,
  responses: JsonObject,
  refusals: Readonly<Record<string, string>>,
): AskResponse | undefined {
  if (Object.hasOwn(refusals, wireKey)) {
    return { kind: 'refusal', value: refusals[wireKey] ?? '' }
  }
  const value = Object.hasOwn(responses, wireKey) ? responses[wireKey] : undefined
  return value === undefined ? undefined : { kind: 'fresh', value }
}

/** A stay in memory ends by itself only when the platform ends it; so the limit of plain calls does not apply. */
const NO_TIMEOUT_MS = 2 ** 31 - 1

/** The call of a task for the dispatcher. */
function createTaskCall(
  run: TaskRun,
  target: Target,
  { deployment, waitUntil, callTaskOf, report }: TaskParts,
  recording: CallRun['recording'],
): Call {
  const { name, method, era, clientInfo, capabilities, factoryParams, held } = run.request
  const limits = { ...deployment.limits, handlerTimeoutMs: NO_TIMEOUT_MS }
  return {
    target,
    // Progress is the message of the status: a task has no stream.
    request: callRequestOf(run, factoryParams, undefined),
    client: { era, info: clientInfo, capabilities, logLevel: held?.logLevel },
    deployment: { ...deployment, limits },
    services: deployment.services,
    run: {
      id: name,
      cancellation: run.cancellation,
      // Progress is not sent this way, because the call has no progress token.
      notify: async (_, params) => report(run, { kind: 'log', params }),
      waitUntil,
      canAsk: ASKING_METHODS.has(method),
      throughModel: held?.throughModel,
      canWait: true,
      holdsWaits: false,
      task: callTaskOf(run),
      session: undefined,
      webhookUrl: (key) => {
        run.hasWebhook = true
        run.isNamed = true
        return webhookUrl(deployment, run.request.origin, { name, key })
      },
      continues: true,
      opensSession: false,
      journal: run.journal,
      recording,
    },
  }
}

/** What telemetry learns of a task: its status when it changes. */
function taskEvent({ storage }: TaskParts, run: TaskRun, event: RunEvent): TaskEvent {
  const createdAt = storage.existing?.task()?.created_at
  return {
    type: 'task',
    status: statusOf(run, event),
    isWaiting: run.state.name === 'waiting',
    name: toolOf(run),
    task: hashKey(run.request.name),
    ageMs: createdAt === undefined ? 0 : Math.max(0, Date.now() - createdAt),
    ...(isFromModel(event) && { via: 'model' }),
  }
}

function isFromModel(event: RunEvent): boolean {
  if (event.type !== 'respond' || event.response.kind !== 'fresh') return false
  const { value } = event.response
  return isJsonObject(value) && value.via === 'model'
}

function statusOf({ state }: TaskRun, event: RunEvent): TaskStatus {
  if (state.name === 'cancelled') return 'cancelled'
  if (event.type === 'ask' && Object.keys(event.suspension.requests).length > 0) {
    return 'input_required'
  }
  if (!isOver(state)) return 'working'
  return event.type === 'settle' && !(event.answer instanceof ProtocolError)
    ? 'completed'
    : 'failed'
}

function toolOf({ target }: TaskRun): string | undefined {
  return target instanceof ProtocolError ? undefined : target?.name
}
