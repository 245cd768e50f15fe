/** Where the rows, asks, notifications and answers of a session's runs go: most of it to the log of their stream. */
import { failureOutcome } from '../../src/dispatch/failure.ts'
import { textOf } from '../../src/dispatch/response-text.ts'
import { RUN_FAILURES } from '../run/run-failures.ts'
import type { RunOwner } from '../run/run-owner.ts'
import { replyOf } from './run-answer.ts'
import { Retention } from './schema.ts'
import type { SessionParts } from './session-parts.ts'
import type { SessionRequest, SessionRun } from './session-run.ts'

export function createRunOutput(parts: SessionParts) {
  const { storage, logs, asks, limits, schedule } = parts
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
    ask: (run, _, request) => asks.send(run.delivery.stream, request, parts.codec),
    withdraw: (run, ask, reason) => asks.withdraw(run.delivery.stream, ask, reason),
    answer: ({ request, delivery }, answer) => {
      const text = textOf(replyOf(request.id, answer, parts.codec).body)
      delivery.answerLength += text.length
      logs.appendAnswer(delivery.stream, text)
    },
    failure: ({ id, request }, failure) => {
      parts.tasks?.abandon(id)
      return failureOutcome(parts.codec, request.method, RUN_FAILURES[failure])
    },
    finish: ({ id, delivery, state }) => {
      if (state.name === 'cancelled') parts.tasks?.abandon(id)
      storage.deleteRun(id)
      schedule(Date.now() + limits.logRetentionMs)
      logs.endIfComplete(delivery.stream)
    },
    save: ({ id }, columns) => {
      if (Object.keys(columns).length > 0) storage.statements.saveRun(id, columns)
    },
    reply: (run, answer) => {
      run.reply = replyOf(run.request.id, answer, parts.codec)
      run.delivery.held.push(run.reply)
      run.delivery.answerLength += run.reply.body.length
    },
  } satisfies Partial<RunOwner<SessionRun>>
}
