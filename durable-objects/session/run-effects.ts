/** The durable effects of a decision, applied to a session's rows and logs within a transaction. */
import type { Wait } from '../../src/dispatch/journal/wait.ts'
import { MAIN_STREAM } from '../../src/ports/sessions.ts'
import type { Codec } from '../../src/protocol/codec/codec.ts'
import type { DurableEffect } from '../run/run-state.ts'
import type { Asks } from './asks.ts'
import type { ClientState } from './client-state.ts'
import type { Run } from './run.ts'
import { answerText, failureAnswer } from './run-answer.ts'
import { Retention } from './schema.ts'
import type { SessionHost } from './session-host.ts'
import type { SessionStorage } from './session-storage.ts'
import type { StreamLogs } from './stream-logs.ts'

export interface EffectsContext {
  readonly storage: SessionStorage
  readonly logs: StreamLogs
  readonly asks: Asks
  readonly client: ClientState
  readonly host: SessionHost
  /** Sets an alarm: at the latest at `by`, and always soon enough to find an interrupted run. */
  readonly schedule: (by?: number) => void
}

export function commitEffect(context: EffectsContext, run: Run, effect: DurableEffect): void {
  const { storage, logs, asks, host, schedule } = context
  const { id, request } = run
  const { stream } = run.delivery
  const codec = codecOf(context)
  switch (effect.type) {
    case 'persist':
      run.insertRow()
      break
    case 'save':
      storage.statements.saveRunState(id, effect.state)
      break
    case 'notify':
      logs.append(stream, effect.message, Retention.prunable, id)
      break
    case 'send-asks': {
      const { suspension, expiresAt } = effect
      run.sent = suspension.state.sent
      storage.statements.saveSent(id, JSON.stringify(run.sent))
      openWaits(storage, id, suspension.waits)
      asks.send(id, stream, suspension, codec, expiresAt)
      schedule(storage.statements.nextWake())
      break
    }
    case 'record-response':
      asks.record(id, effect.key, effect.response)
      break
    case 'withdraw-asks':
      asks.withdraw(id, stream, effect.reason)
      break
    case 'answer': {
      // A handler that has raced its asks may have ended before their answers.
      asks.withdraw(id, stream, 'ended')
      const text = answerText(request.id, effect.answer, codec)
      run.delivery.answerLength += text.length
      appendAnswer(context, stream, text)
      break
    }
    case 'fail': {
      asks.withdraw(id, stream, 'ended')
      const answer = failureAnswer(request, effect.failure, codec)
      appendAnswer(context, stream, answerText(request.id, answer, codec))
      break
    }
    case 'finish':
      asks.withdraw(id, stream, 'cancelled')
      storage.statements.deleteRun(id)
      schedule(Date.now() + host.limits.logRetentionMs)
      endIfComplete(context, stream)
      break
    case 'schedule':
      schedule(effect.by)
      break
  }
}

/** Writes what the handler waits for besides asks. */
function openWaits(
  storage: SessionStorage,
  runId: string,
  waits: Readonly<Record<string, Wait>>,
): void {
  const { statements } = storage
  statements.deleteWaits(runId)
  for (const [key, wait] of Object.entries(waits)) {
    const { kind, until = Number.MAX_SAFE_INTEGER } = wait
    statements.insertWait({ run_id: runId, key, kind, detail: detailOf(wait), until })
  }
}

function detailOf(wait: Wait): string | null {
  if (wait.kind === 'task') return wait.taskId
  return wait.kind === 'event' && wait.schema ? JSON.stringify(wait.schema) : null
}

/** The answers of a stream that ends stay as long as its log. Those of the main stream expire. */
export function appendAnswer({ logs }: EffectsContext, stream: string, text: string): void {
  logs.append(stream, text, stream === MAIN_STREAM ? Retention.timed : Retention.always)
}

/** The stream of a POST ends with the last of its runs. */
export function endIfComplete({ storage, logs }: EffectsContext, stream: string): void {
  if (stream !== MAIN_STREAM && storage.statements.runsOfStream(stream) === 0) logs.end(stream)
}

export function codecOf({ host, client }: EffectsContext): Codec {
  return host.codecOf(client.revision)
}
