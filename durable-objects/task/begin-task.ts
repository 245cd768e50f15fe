/** Begins a call that may become a task: it answers by itself, asks first, or is created as a task. */
import type { JournalState } from '../../src/dispatch/journal/journal.ts'
import { Suspension } from '../../src/dispatch/journal/suspension.ts'
import type { Outcome } from '../../src/dispatch/outcome.ts'
import { INBOX_NAME } from '../../src/features/asks/journal/held-waits.ts'
import { withDeadline } from '../../src/platform/deadline.ts'
import type { TaskBeginning, TaskSnapshot, TaskStart } from '../../src/ports/tasks.ts'
import type { Codec } from '../../src/protocol/codec/codec.ts'
import { ErrorCode } from '../../src/protocol/error-codes.ts'
import { ProtocolError } from '../../src/protocol/protocol-error.ts'
import { tooManyTasks } from '../../src/protocol/tasks.ts'
import { errorOf } from './task-output.ts'
import type { TaskParts } from './task-parts.ts'
import type { TaskRun } from './task-run.ts'
import { readSnapshot } from './task-state.ts'
import type { TaskStorage } from './task-storage.ts'

/** The answer to a client that does not read it. */
const CANCELLED = new ProtocolError(ErrorCode.internalError, 'The call was cancelled')

export async function beginTask(
  parts: TaskParts,
  run: TaskRun,
  { terms, access, caller, network, follower }: TaskStart,
): Promise<TaskBeginning> {
  const { host, storage, deployment, runner, index, followers, changes, waitUntil } = parts
  const limit = host.limits.perPrincipal
  const codec = parts.codecOf(run)
  const { inlineMs, ttlMs, pollIntervalMs, maxPollIntervalMs, asksBefore } = terms
  const { mayAnswerInline, withoutTaskMs } = terms
  const { driver } = runner
  run.access = access
  driver.keep(run)
  const refused = await driver.identify([run], { auth: caller?.auth, grant: caller?.grant })
  if (refused !== undefined) return { kind: 'error', error: errorOf(refused, codec) }

  /** Writes the rows of the task. False when its principal has too many. */
  const create = async (): Promise<boolean> => {
    const now = Date.now()
    const task = { name: run.request.name, createdAt: now, expiresAt: now + ttlMs }
    const owner = await index.ownerOf({ auth: caller?.auth, network })
    if (owner !== undefined) {
      const isEntered = await index.enter({ owner, auth: caller?.auth, ...task }, limit)
      if (!isEntered) return false
    }
    run.birth = { ttlMs, pollIntervalMs, maxPollIntervalMs, owner }
    driver.apply(run, { type: 'persist' })
    if (run.isHeld) changes.flush()
    deployment.report({ type: 'task-created', subject: `Tool ${String(run.request.params?.name)}` })
    if (follower !== undefined) followers.add(follower)
    return true
  }

  const cancelled = { kind: 'error', error: errorOf(CANCELLED, codec) } as const
  const refusal = () => ({ kind: 'error', error: errorOf(tooManyTasks(limit), codec) }) as const
  if (inlineMs === 0) {
    if (!(await create())) return withoutTaskMs === undefined ? refusal() : { kind: 'full', limit }
    waitUntil(driver.start(run))
    return { kind: 'task', task: snapshotOf(storage) }
  }
  const executed = runner.execute(run)
  const outcome = await withDeadline(inlineMs, Promise.race([executed, run.needsRow.promise]))
  const inline =
    outcome === undefined
      ? undefined
      : inlineBeginning(
          run,
          outcome,
          { asksBefore: asksBefore && !isAwaited(run), mayAnswerInline },
          codec,
        )
  if (inline !== undefined) return inline
  // Its client has left, and would never have the id.
  if (run.cancellation.reason !== undefined) return cancelled
  if (!(await create())) {
    if (withoutTaskMs === undefined) {
      run.cancellation.cancel('cancelled-by-client')
      return refusal()
    }
    // What is delivered meanwhile finds no task, and does not wait for the end of the handler.
    run.begun.resolve(undefined)
    if (outcome === undefined) run.cancellation.limit(withoutTaskMs)
    return withoutTask(run, outcome ?? (await executed), limit, codec)
  }
  const settled = executed.then((ended) => driver.settle(run, ended))
  if (outcome === undefined) waitUntil(settled)
  else await settled
  return { kind: 'task', task: snapshotOf(storage) }
}

/** Whether something may be delivered to a held call while its client is asked, so that it needs its row. */
const isAwaited = ({ isHeld, isNamed }: TaskRun) => isHeld && isNamed

function snapshotOf(storage: TaskStorage): TaskSnapshot {
  const snapshot = readSnapshot(storage)
  if (snapshot === undefined) throw new TypeError('The task has no row')
  return snapshot
}

/** The beginning of a call whose principal has `limit` tasks. One that waits is continued by the Worker. */
function withoutTask(run: TaskRun, outcome: Outcome, limit: number, codec: Codec): TaskBeginning {
  const terms = { asksBefore: true, mayAnswerInline: true }
  const inline = inlineBeginning(run, outcome, terms, codec)
  if (inline !== undefined) return inline
  if (!(outcome instanceof Suspension)) return { kind: 'full', limit }
  return { kind: 'full', limit, state: JSON.stringify(withInbox(run, outcome.state)) }
}

/** Names the object of the run as the inbox of the call: a step may have sent the URL of its webhook, and is not repeated. */
function withInbox({ hasWebhook, request }: TaskRun, state: JournalState): JournalState {
  if (!hasWebhook) return state
  return { ...state, steps: { ...state.steps, [INBOX_NAME]: request.name } }
}

/** The beginning of a call that needs no task; undefined for one that needs it. */
function inlineBeginning(
  { isToolError }: TaskRun,
  outcome: Outcome,
  { asksBefore, mayAnswerInline }: Pick<TaskStart['terms'], 'asksBefore' | 'mayAnswerInline'>,
  codec: Codec,
): TaskBeginning | undefined {
  if (outcome instanceof Suspension) {
    const { requests, waits, state, singleUse } = outcome
    if (!asksBefore || Object.keys(waits).length > 0) return undefined
    return { kind: 'asks', requests, state: JSON.stringify(state), singleUse }
  }
  if (!mayAnswerInline) return undefined
  return outcome instanceof ProtocolError
    ? { kind: 'error', error: errorOf(outcome, codec) }
    : { kind: 'result', text: outcome, isToolError }
}
