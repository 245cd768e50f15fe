/** Begins a call that may become a task: it answers by itself, asks first, or is created as a task. */
import { Suspension } from '../../src/dispatch/journal/suspension.ts'
import type { Outcome } from '../../src/dispatch/outcome.ts'
import { withDeadline } from '../../src/platform/deadline.ts'
import type { TaskBeginning, TaskFollower, TaskSnapshot, TaskStart } from '../../src/ports/tasks.ts'
import type { TelemetrySink } from '../../src/ports/telemetry.ts'
import type { Codec } from '../../src/protocol/codec/codec.ts'
import { ErrorCode } from '../../src/protocol/error-codes.ts'
import { ProtocolError } from '../../src/protocol/protocol-error.ts'
import { errorOf } from './task-effects.ts'
import type { TaskIndex } from './task-index.ts'
import type { TaskRun } from './task-run.ts'
import type { TaskRunner } from './task-runner.ts'

export interface BeginContext {
  readonly runner: TaskRunner
  readonly index: TaskIndex
  /** Tasks of one principal. */
  readonly limit: number
  readonly codec: Codec
  readonly snapshot: () => TaskSnapshot
  /** Notifies a session of the changes of the task. */
  readonly follow: (follower: TaskFollower) => void
  readonly waitUntil: (promise: Promise<unknown>) => void
  readonly report: TelemetrySink
}

/** The default of `maxPollIntervalMs`. */
const MAX_POLL_INTERVAL_MS = 30_000

const TOO_MANY = new ProtocolError(
  ErrorCode.internalError,
  'You have too many tasks. Wait until some of them have expired.',
)

export async function beginTask(
  context: BeginContext,
  run: TaskRun,
  { terms, caller, network, follower }: TaskStart,
): Promise<TaskBeginning> {
  const { runner, index, limit, codec, snapshot, follow, waitUntil, report } = context
  const { inlineMs, ttlMs, pollIntervalMs, asksBefore, mayAnswerInline } = terms
  // A Worker of an earlier version does not send it.
  const { maxPollIntervalMs = Math.max(pollIntervalMs, MAX_POLL_INTERVAL_MS) } = terms
  const refused = await runner.identify(run, { auth: caller?.auth, grant: caller?.grant })
  if (refused !== undefined) return { kind: 'error', error: errorOf(refused, codec) }

  /** Writes the rows of the task. False when its principal has too many. */
  const create = async (): Promise<boolean> => {
    const now = Date.now()
    const task = { name: run.request.name, createdAt: now, expiresAt: now + ttlMs }
    if (!(await index.enter({ auth: caller?.auth, network }, task, limit))) return false
    run.birth = { ttlMs, pollIntervalMs, maxPollIntervalMs }
    runner.apply(run, { type: 'persist' })
    report({ type: 'task-created', subject: `Tool ${String(run.request.params?.name)}` })
    if (follower !== undefined) follow(follower)
    return true
  }

  if (inlineMs === 0) {
    if (!(await create())) return { kind: 'error', error: errorOf(TOO_MANY, codec) }
    waitUntil(runner.start(run))
    return { kind: 'task', task: snapshot() }
  }
  const executed = runner.execute(run)
  const outcome = await withDeadline(inlineMs, executed)
  const inline =
    outcome === undefined
      ? undefined
      : inlineBeginning(outcome, { asksBefore, mayAnswerInline }, codec)
  if (inline !== undefined) return inline
  if (!(await create())) {
    run.cancellation.cancel('cancelled-by-client')
    return { kind: 'error', error: errorOf(TOO_MANY, codec) }
  }
  const settled = executed.then((ended) => runner.settle(run, ended))
  if (outcome === undefined) waitUntil(settled)
  else await settled
  return { kind: 'task', task: snapshot() }
}

/** The beginning of a call that needs no task; undefined for one that needs it. */
function inlineBeginning(
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
    : { kind: 'result', text: outcome }
}
