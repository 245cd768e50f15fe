/** The durable effects of a decision, applied to the rows of a task within a transaction. */
import type { Suspension } from '../../src/dispatch/journal/suspension.ts'
import type { Answer } from '../../src/dispatch/outcome.ts'
import { textOf } from '../../src/dispatch/response-text.ts'
import type { TaskError } from '../../src/ports/tasks.ts'
import type { Codec } from '../../src/protocol/codec/codec.ts'
import { ErrorCode } from '../../src/protocol/error-codes.ts'
import { jsonText } from '../../src/protocol/json.ts'
import { InsufficientScopeError, ProtocolError } from '../../src/protocol/protocol-error.ts'
import { RUN_FAILURES } from '../run/run-failures.ts'
import type { DurableEffect } from '../run/run-state.ts'
import type { TaskRun } from './task-run.ts'
import { OUTCOME, type TaskStorage } from './task-storage.ts'

export interface TaskEffectsContext {
  readonly storage: TaskStorage
  readonly codec: Codec
  /** Counts a change that clients can see. */
  readonly changed: (message?: string) => void
  /** Called in the transaction that ends the task, before its journal is deleted. */
  readonly ending: () => void
  /** Sets an alarm: at the latest at `by`, and always soon enough to find an interrupted run. */
  readonly schedule: (by?: number) => void
}

export function commitTaskEffect(
  context: TaskEffectsContext,
  run: TaskRun,
  effect: DurableEffect,
): void {
  const { storage, schedule, changed } = context
  switch (effect.type) {
    case 'persist':
      run.insertRow()
      break
    case 'save':
      storage.statements.saveState(effect.state)
      changed()
      break
    case 'send-asks':
      run.sent = effect.suspension.state.sent
      storage.statements.saveSent(JSON.stringify(run.sent))
      openWaits(storage, effect.suspension)
      schedule(storage.statements.nextWake())
      break
    case 'record-response':
      storage.statements.deleteWait(effect.key)
      storage.writeEntry(effect.key, effect.response.kind, effect.response.value)
      changed()
      break
    case 'withdraw-asks':
      storage.statements.deleteWaits()
      break
    case 'answer':
      finish(context, effect.answer)
      changed(effect.answer instanceof ProtocolError ? effect.answer.message : undefined)
      break
    case 'fail': {
      const text = RUN_FAILURES[effect.failure]
      finish(context, new ProtocolError(ErrorCode.internalError, text))
      changed(text)
      break
    }
    case 'finish':
      // Only a cancelled run has no outcome.
      if (run.state.name === 'cancelled') {
        context.ending()
        storage.statements.finish('cancelled', null)
        changed('The task was cancelled.')
      }
      break
    case 'schedule':
      schedule(effect.by)
      break
    case 'notify':
      // A task has no stream: progress is the message of its status.
      break
  }
}

function finish({ storage, codec, ending }: TaskEffectsContext, answer: Answer): void {
  const isError = answer instanceof ProtocolError
  const text = isError ? jsonText(errorOf(answer, codec)) : textOf(answer)
  const row = storage.replace(OUTCOME, text)
  ending()
  storage.statements.finish(isError ? 'failed' : 'completed', row)
}

export function errorOf(error: ProtocolError, codec: Codec): TaskError {
  const { code, message, data } = error
  return {
    code: codec.errorCode(code),
    message,
    ...(data === undefined ? undefined : { data }),
    ...(error instanceof InsufficientScopeError ? { missingScopes: error.scopes } : undefined),
  }
}

/**
 * Writes what the handler waits for. An ask that is open already keeps its key on the wire; any other
 * gets one that this task has never used, also when the same question is asked again.
 */
function openWaits(storage: TaskStorage, { requests, waits }: Suspension): void {
  const { statements } = storage
  const open = new Set([...Object.keys(requests), ...Object.keys(waits)])
  for (const { key } of statements.waits()) if (!open.has(key)) statements.deleteWait(key)
  for (const [key, request] of Object.entries(requests)) {
    const detail = jsonText(request)
    const known = statements.wait(key)
    if (known?.kind === 'ask' && known.detail === detail) continue
    const wireKey = `${key}.${statements.takeAskNumber()}`
    statements.insertWait({ key, kind: 'ask', wire_key: wireKey, detail, until: null })
  }
  for (const [key, wait] of Object.entries(waits)) {
    const detail = wait.kind === 'event' && wait.schema ? JSON.stringify(wait.schema) : null
    const { kind, until = null } = wait
    statements.insertWait({ key, kind, wire_key: null, detail, until })
  }
}
