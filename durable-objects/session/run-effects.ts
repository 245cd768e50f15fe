/** The durable effects of a decision, applied to a session's rows and logs within a transaction. */
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
    case 'send-asks':
      storage.statements.saveSent(id, JSON.stringify(effect.suspension.state.sent))
      asks.send(id, stream, effect.suspension, codec, effect.expiresAt)
      break
    case 'record-response':
      asks.record(id, effect.key, effect.response)
      break
    case 'withdraw-asks':
      asks.withdraw(id, stream, effect.reason)
      break
    case 'answer': {
      const text = answerText(request.id, effect.answer, codec)
      run.delivery.answerLength += text.length
      appendAnswer(context, stream, text)
      break
    }
    case 'fail': {
      const answer = failureAnswer(request, effect.failure, codec)
      appendAnswer(context, stream, answerText(request.id, answer, codec))
      break
    }
    case 'finish':
      storage.statements.deleteRun(id)
      schedule(Date.now() + host.limits.logRetentionMs)
      endIfComplete(context, stream)
      break
    case 'schedule':
      schedule(effect.by)
      break
  }
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
