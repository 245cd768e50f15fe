/** Where the row, the asks and the answer of a task go: all are rows, which its clients ask for. */
import { textOf } from '../../src/dispatch/response-text.ts'
import type { TaskError } from '../../src/ports/tasks.ts'
import type { Codec } from '../../src/protocol/codec/codec.ts'
import { ErrorCode } from '../../src/protocol/error-codes.ts'
import { jsonText } from '../../src/protocol/json.ts'
import { ProtocolError } from '../../src/protocol/protocol-error.ts'
import { RUN_FAILURES } from '../run/run-failures.ts'
import type { RunOwner } from '../run/run-owner.ts'
import type { RunColumns } from '../run/run-statements.ts'
import { type FinalState, TASK_RUN } from './schema.ts'
import type { TaskParts } from './task-parts.ts'
import type { TaskRun } from './task-run.ts'

export function createTaskOutput(parts: TaskParts) {
  const { storage, changes, jobs, ends, alarm, followers } = parts
  /** Keeps what the client may still ask for, and nothing else. */
  const end = (
    run: TaskRun,
    state: FinalState,
    outcome: string | null,
    message: string | undefined,
  ): RunColumns => {
    const { endsAt } = storage
    const next = Math.min(jobs.plan(run) ?? endsAt, ends?.plan() ?? endsAt, endsAt)
    // No handler is left that a heartbeat would find, but a session that was not reached is notified by it.
    if (followers.any) alarm.wakeAt(next)
    else alarm.moveTo(next)
    storage.deleteJournal(TASK_RUN)
    return {
      state,
      outcome,
      caller: null,
      ...(message !== undefined && { status_message: message }),
    }
  }
  return {
    insert: (run) => {
      const { request, callerRecord, birth, access, sent } = run
      if (birth === undefined || access === undefined)
        throw new TypeError('The terms of the task are not known')
      const { ttlMs, pollIntervalMs, maxPollIntervalMs, owner = null } = birth
      storage.statements.insertTask({
        request: storage.writeRequest(run.id, request),
        task_id: request.taskId,
        sent: JSON.stringify(sent),
        caller: callerRecord,
        owner,
        created_at: Date.now(),
        ttl_ms: ttlMs,
        poll_interval_ms: pollIntervalMs,
        max_poll_interval_ms: maxPollIntervalMs,
        access: JSON.stringify(access),
      })
      run.storeJournal()
    },
    noteOf: jsonText,
    /** A number that this task has never used, also when the same question is asked again. */
    ask: (_, key) => `${key}.${storage.statements.takeAskNumber()}`,
    answer: (run, answer) => {
      if (!(answer instanceof ProtocolError)) {
        return end(run, 'completed', storage.writeOutcome(textOf(answer)), undefined)
      }
      const text = jsonText(errorOf(answer, parts.codecOf(run)))
      return end(run, 'failed', storage.writeOutcome(text), answer.message)
    },
    failure: (_, failure) => new ProtocolError(ErrorCode.internalError, RUN_FAILURES[failure]),
    // Only a cancelled run has no outcome.
    finish: (run) =>
      run.state.name === 'cancelled' ? end(run, 'cancelled', null, 'The task was cancelled.') : {},
    save: (_, columns) => changes.save(columns),
  } satisfies Partial<RunOwner<TaskRun>>
}

export function errorOf(error: ProtocolError, codec: Codec): TaskError {
  const { code, message, data, missingScopes } = error
  return {
    code: codec.errorCode(code),
    message,
    ...(data === undefined ? undefined : { data }),
    ...(missingScopes && { missingScopes }),
  }
}
