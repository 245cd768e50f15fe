/** Where the rows, asks, notifications and answers of a session's runs go: most of it to the log of their stream. */
import { failureOutcome } from '../../src/dispatch/failure.ts'
import { MAIN_STREAM } from '../../src/ports/sessions.ts'
import type { Codec } from '../../src/protocol/codec/codec.ts'
import { RUN_FAILURES } from '../run/run-failures.ts'
import type { RunOwner } from '../run/run-owner.ts'
import type { Asks } from './asks.ts'
import type { ClientState } from './client-state.ts'
import { answerText, replyOf } from './run-answer.ts'
import { Retention } from './schema.ts'
import type { SessionHost } from './session-host.ts'
import type { SessionRequest, SessionRun } from './session-run.ts'
import type { SessionStorage } from './session-storage.ts'
import type { StreamLogs } from './stream-logs.ts'

export interface RunOutputContext {
  readonly storage: SessionStorage
  readonly logs: StreamLogs
  readonly asks: Asks
  readonly client: ClientState
  readonly host: SessionHost
  /** Sets an alarm: at the latest at `by`, and always soon enough to find an interrupted run. */
  readonly schedule: (by?: number) => void
}

type Output =
  | 'insert'
  | 'notify'
  | 'noteOf'
  | 'ask'
  | 'withdraw'
  | 'answer'
  | 'failure'
  | 'finish'
  | 'save'
  | 'reply'

export function createRunOutput(context: RunOutputContext): Pick<RunOwner<SessionRun>, Output> {
  const { storage, logs, asks, host, schedule } = context
  return {
    insert: (run) => {
      const { id, delivery, request, callerRecord } = run
      const isRepeatable = run.isRepeatable === true
      storage.statements.insertRun({
        id,
        stream_id: delivery.stream,
        request_id: run.requestId,
        request: storage.writeRequest<SessionRequest>(id, { ...request, isRepeatable }),
        sent: JSON.stringify(run.sent),
        caller: callerRecord,
      })
      run.storeJournal()
    },
    notify: (run, message) => logs.append(run.delivery.stream, message, Retention.prunable, run.id),
    noteOf: ({ method }) => String(method),
    ask: (run, _, request) => asks.send(run.delivery.stream, request, codecOf(context)),
    withdraw: (run, ask, reason) => asks.withdraw(run.delivery.stream, ask, reason),
    answer: ({ request, delivery }, answer) => {
      const text = answerText(request.id, answer, codecOf(context))
      delivery.answerLength += text.length
      appendAnswer(context, delivery.stream, text)
    },
    failure: ({ request }, failure) =>
      failureOutcome(codecOf(context), request.method, RUN_FAILURES[failure]),
    finish: ({ id, delivery }) => {
      storage.deleteRun(id)
      schedule(Date.now() + host.limits.logRetentionMs)
      endIfComplete(context, delivery.stream)
    },
    save: ({ id }, columns) => {
      if (Object.keys(columns).length > 0) storage.statements.saveRun(id, columns)
    },
    reply: (run, answer) => {
      run.reply = replyOf(run.request.id, answer, codecOf(context))
      run.delivery.held.push(run.reply)
      run.delivery.answerLength += run.reply.body.length
    },
  }
}

/** The answers of a stream that ends stay as long as its log. Those of the main stream expire. */
export function appendAnswer(
  { logs }: Pick<RunOutputContext, 'logs'>,
  stream: string,
  text: string,
): void {
  logs.append(stream, text, stream === MAIN_STREAM ? Retention.timed : Retention.always)
}

/** The stream of a POST ends with the last of its runs. */
export function endIfComplete(
  { storage, logs }: Pick<RunOutputContext, 'storage' | 'logs'>,
  stream: string,
): void {
  if (stream !== MAIN_STREAM && storage.statements.runsOfStream(stream) === 0) logs.end(stream)
}

export function codecOf({ host, client }: Pick<RunOutputContext, 'host' | 'client'>): Codec {
  return host.codecOf(client.revision)
}
