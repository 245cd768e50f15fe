/**
 * The open asks of a session. Each goes to the client as a request with an id of its own, which is
 * valid in this session only, once, and until it expires.
 */
import type { Suspension } from '../../src/dispatch/journal/suspension.ts'
import { randomId } from '../../src/platform/random-token.ts'
import { askParams } from '../../src/protocol/codec/ask-params.ts'
import type { Codec } from '../../src/protocol/codec/codec.ts'
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts'
import { notificationText, type ResponseMessage, requestText } from '../../src/protocol/json-rpc.ts'
import { excerpt } from '../../src/protocol/protocol-error.ts'
import type { AskResponse, WithdrawReason } from '../run/run-state.ts'
import type { WaitRow } from '../run/run-statements.ts'
import { Retention } from './schema.ts'
import type { SessionParts } from './session-parts.ts'

const WITHDRAWN: Readonly<Record<WithdrawReason, string>> = {
  cancelled: 'The request was cancelled',
  ended: 'The request has ended',
}

export class Asks {
  readonly #parts: SessionParts

  constructor(parts: SessionParts) {
    this.#parts = parts
  }

  /**
   * Promises the client the completion of the elicitations of a suspended run, before they are sent.
   * Only an id that the author has chosen can be completed.
   */
  async announce(
    { requests }: Pick<Suspension, 'requests'>,
    subject: string | undefined,
  ): Promise<void> {
    const ids = Object.values(requests).flatMap(({ params }) =>
      isJsonObject(params) && typeof params.elicitationId === 'string'
        ? [params.elicitationId]
        : [],
    )
    try {
      await this.#parts.subscriptions.expectElicitations(ids, subject)
    } catch (error) {
      // Without the hub no completion can be published either, and the person can still answer.
      this.#parts.report(error)
    }
  }

  /** Sends an ask on a stream, and returns its id. */
  send(stream: string, { method, params }: JsonObject, codec: Codec): string {
    const id = `ask-${randomId()}`
    const asked = isJsonObject(params) ? params : {}
    const sent = askParams(codec.revision, String(method), asked, id)
    this.#parts.logs.append(stream, requestText(id, String(method), sent), Retention.always)
    return id
  }

  /** The open ask with this id. */
  find(id: ResponseMessage['id']): WaitRow | undefined {
    return typeof id === 'string' ? this.#parts.storage.existing?.ask(id) : undefined
  }

  /** Tells the client that the response to an ask is not needed any more. */
  withdraw(stream: string, { wire_key }: WaitRow, reason: WithdrawReason): void {
    this.#parts.logs.append(stream, cancelledText(String(wire_key), reason), Retention.prunable)
  }
}

/** The notification that the response to an ask is not needed any more. */
export function cancelledText(askId: string, reason: WithdrawReason, _meta?: JsonObject): string {
  const params = { requestId: askId, reason: WITHDRAWN[reason], _meta }
  return notificationText('notifications/cancelled', params)
}

/** The response to an ask as the journal records it. */
export function responseOf(method: string | null, { result, error }: ResponseMessage): AskResponse {
  if (error === undefined) return { kind: 'fresh', value: result ?? {} }
  const detail = typeof error.message === 'string' ? `: ${excerpt(error.message)}` : ''
  return { kind: 'refusal', value: `The client did not answer ${method}${detail}.` }
}
