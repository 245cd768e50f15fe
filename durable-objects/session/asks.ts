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
    { requests }: Pick<Suspension, 'requests'>,
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

  /**
   * Sends the asks of a suspended run on its stream. One that is open already, because the handler has run
   * again for another reason, is not sent again; one that was answered meanwhile neither.
   */
  send(
    runId: string,
    stream: string,
    { requests }: Suspension,
    codec: Codec,
    expiresAt: number,
  ): void {
    const { statements } = this.#storage
    const open = new Set(statements.asksOf(runId).map(({ key }) => key))
    for (const key of open) {
      if (!Object.hasOwn(requests, key)) this.withdraw(runId, stream, 'ended', key)
    }
    for (const [key, { method, params }] of Object.entries(requests)) {
      if (open.has(key) || statements.journalEntry(runId, key)?.kind === 'fresh') continue
      const id = `ask-${createId()}`
      const asked = isJsonObject(params) ? params : {}
      const sent = codec.askParams(String(method), asked, id)
      const row = { id, run_id: runId, key, method: String(method), expires_at: expiresAt }
      statements.insertAsk(row)
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
    this.#storage.statements.deleteWait(runId, key)
    writeEntry(this.#storage, runId, key, kind, value)
  }

  /** Withdraws the open asks of a run, or the one with a key, without responses to them. */
  withdraw(runId: string, stream: string, reason: WithdrawReason, only?: string): void {
    for (const { id, key } of this.#storage.existing?.asksOf(runId) ?? []) {
      if (only !== undefined && only !== key) continue
      const text = cancelledText(id, reason)
      this.#logs.append(stream, text, Retention.prunable)
      this.#storage.statements.deleteAsk(runId, key)
    }
  }

  /** The runs with expired asks. */
  expiredRuns(now: number): ReadonlySet<string> {
    return new Set(this.#storage.existing?.expiredAsks(now).map(({ run_id }) => run_id))
  }
}

/** The notification that the response to an ask is not needed any more. */
export function cancelledText(askId: string, reason: WithdrawReason): string {
  const params = { requestId: askId, reason: WITHDRAWN[reason] }
  return notificationText('notifications/cancelled', params)
}

/** The response to an ask as the journal records it. */
export function responseOf(
  { method }: Pick<AskRow, 'method'>,
  { result, error }: ResponseMessage,
): AskResponse {
  if (error === undefined) return { kind: 'fresh', value: result ?? {} }
  const detail = typeof error.message === 'string' ? `: ${excerpt(error.message)}` : ''
  return { kind: 'refusal', value: `The client did not answer ${method}${detail}.` }
}
