/**
 * Questions on their way to a client and back. Each goes out as a request with an id of its own; an
 * answer is taken once, from this session alone, and only while its question is open.
 */
import type { Suspension } from '../../src/dispatch/journal/suspension.ts'
import type { Codec } from '../../src/protocol/codec/codec.ts'
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts'
import { notificationText, type ResponseMessage, requestText } from '../../src/protocol/json-rpc.ts'
import { excerpt } from '../../src/protocol/protocol-error.ts'
import { createId } from './create-id.ts'
import { writeEntry } from './run.ts'
import { type AskRow, Retention } from './schema.ts'
import type { SessionStorage } from './session-storage.ts'
import type { StreamLogs } from './stream-logs.ts'
import type { SessionSubscriptions } from './subscriptions.ts'

export class Asks {
  readonly #storage: SessionStorage
  readonly #logs: StreamLogs
  readonly #news: SessionSubscriptions

  constructor(storage: SessionStorage, logs: StreamLogs, news: SessionSubscriptions) {
    this.#storage = storage
    this.#logs = logs
    this.#news = news
  }

  /** Sends the questions of a suspended run on its stream. */
  send(
    runId: string,
    stream: string,
    { requests }: Suspension,
    codec: Codec,
    expiresAt: number,
  ): void {
    for (const [key, { method, params }] of Object.entries(requests)) {
      const id = `ask-${createId()}`
      const asked = isJsonObject(params) ? params : {}
      const sent = codec.askParams(String(method), asked, id)
      const row = { id, run_id: runId, key, method: String(method), expires_at: expiresAt }
      this.#storage.statements.insertAsk(row)
      if (typeof sent.elicitationId === 'string') this.#news.expectElicitation(sent.elicitationId)
      this.#logs.append(stream, requestText(id, row.method, sent), Retention.always)
    }
  }

  /**
   * Takes an answer.
   *
   * @returns the run that has all its answers now, `undefined` where it still waits for others, and
   *   `unknown` for an answer to nothing that is being asked
   */
  take({ id, result, error }: ResponseMessage): { readonly runId: string } | undefined | 'unknown' {
    const { existing } = this.#storage
    const ask = typeof id === 'string' ? existing?.ask(id) : undefined
    if (existing === undefined || ask === undefined || ask.expires_at <= Date.now())
      return 'unknown'
    const { run_id: runId, key, method } = ask
    return this.#storage.transaction(() => {
      existing.deleteAsk(ask.id)
      if (error === undefined) writeEntry(this.#storage, runId, key, 'fresh', result ?? {})
      else writeEntry(this.#storage, runId, key, 'refusal', describeError(method, error))
      if (existing.asksOf(runId).length > 0) return undefined
      existing.setRunRunning(runId)
      return { runId }
    })
  }

  /** Takes back the questions of a run that has ended without their answers. */
  withdraw(runId: string, stream: string, reason: string): void {
    for (const { id } of this.#storage.existing?.asksOf(runId) ?? []) {
      this.#storage.statements.deleteAsk(id)
      const params = { requestId: id, reason }
      const text = notificationText('notifications/cancelled', params)
      this.#logs.append(stream, text, Retention.prunable)
    }
  }

  expired(now: number): readonly AskRow[] {
    return this.#storage.existing?.expiredAsks(now) ?? []
  }
}

function describeError(method: string, { message }: JsonObject): string {
  const said = typeof message === 'string' ? `: ${excerpt(message)}` : ''
  return `The client did not answer ${method}${said}.`
}
