/**
 * The open asks of a session. Each goes to the client as a request with an id of its own, which is
 * valid in this session only, once, and until it expires.
 */
import type { Deployment } from '../../src/dispatch/call.ts'
import type { Suspension } from '../../src/dispatch/journal/suspension.ts'
import type { Codec } from '../../src/protocol/codec/codec.ts'
import { isJsonObject } from '../../src/protocol/json.ts'
import { notificationText, type ResponseMessage, requestText } from '../../src/protocol/json-rpc.ts'
import { excerpt } from '../../src/protocol/protocol-error.ts'
import type { AskResponse, WithdrawReason } from '../run/run-state.ts'
import { createId } from './create-id.ts'
import { writeEntry } from './run-rows.ts'
import { type AskRow, Retention } from './schema.ts'
import type { SessionStorage } from './session-storage.ts'
import type { StreamLogs } from './stream-logs.ts'
import type { SessionSubscriptions } from './subscriptions.ts'

const WITHDRAWN: Readonly<Record<WithdrawReason, string>> = {
  cancelled: 'The request was cancelled',
  ended: 'The request has ended',
}

export class Asks {
  readonly #storage: SessionStorage
  readonly #logs: StreamLogs
  readonly #subscriptions: SessionSubscriptions

  constructor(storage: SessionStorage, logs: StreamLogs, subscriptions: SessionSubscriptions) {
    this.#storage = storage
    this.#logs = logs
    this.#subscriptions = subscriptions
  }

  /**
   * Promises the client the completion of the elicitations of a suspended run, before they are sent.
   * Only an id that the author has chosen can be completed.
   */
  async announce(
    { requests }: Suspension,
    subject: string | undefined,
    { services, report }: Deployment,
  ): Promise<void> {
    const bus = services.changes()
    if (bus === undefined) return
    const ids = Object.values(requests).flatMap(({ params }) =>
      isJsonObject(params) && typeof params.elicitationId === 'string'
        ? [params.elicitationId]
        : [],
    )
    try {
      await this.#subscriptions.expectElicitations(ids, subject, bus)
    } catch (error) {
      // Without the hub no completion can be published either, and the person can still answer.
      report({ type: 'internal-error', error })
    }
  }

  /** Sends the asks of a suspended run on its stream. */
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
      this.#logs.append(stream, requestText(id, row.method, sent), Retention.always)
    }
  }

  /** The open ask with this id. */
  find(id: ResponseMessage['id']): AskRow | undefined {
    return typeof id === 'string' ? this.#storage.existing?.ask(id) : undefined
  }

  /** Writes a response to the journal and closes its ask. */
  record(runId: string, key: string, { kind, value }: AskResponse): void {
    this.#storage.statements.deleteAsk(runId, key)
    writeEntry(this.#storage, runId, key, kind, value)
  }

  /** Withdraws the open asks of a run that ends without responses to them. */
  withdraw(runId: string, stream: string, reason: WithdrawReason): void {
    for (const { id } of this.#storage.existing?.asksOf(runId) ?? []) {
      const params = { requestId: id, reason: WITHDRAWN[reason] }
      const text = notificationText('notifications/cancelled', params)
      this.#logs.append(stream, text, Retention.prunable)
    }
    this.#storage.statements.deleteAsks(runId)
  }

  /** The runs with expired asks. */
  expiredRuns(now: number): ReadonlySet<string> {
    return new Set(this.#storage.existing?.expiredAsks(now).map(({ run_id }) => run_id))
  }
}

/** The response to an ask as the journal records it. */
export function responseOf({ method }: AskRow, { result, error }: ResponseMessage): AskResponse {
  if (error === undefined) return { kind: 'fresh', value: result ?? {} }
  const detail = typeof error.message === 'string' ? `: ${excerpt(error.message)}` : ''
  return { kind: 'refusal', value: `The client did not answer ${method}${detail}.` }
}
