/** One request in a session: where its answer goes, and what is recorded of it. */
import type { Recording } from '../../src/dispatch/recording.ts'
import type { SessionAnswer, SessionPost } from '../../src/ports/sessions.ts'
import type { RequestMessage } from '../../src/protocol/json-rpc.ts'
import { Run, type RunRequest, type StoredRun } from '../run/run.ts'
import type { Delivery } from './delivery.ts'
import type { SessionStorage } from './session-storage.ts'

export interface SessionRequest extends RunRequest {
  readonly sessionId: string
  readonly recorded?: SessionPost['recorded']
  /** Whether it may run again after an interruption. Absent: the definition says so. */
  readonly isRepeatable?: boolean
}

export class SessionRun extends Run<SessionRequest> {
  readonly delivery: Delivery
  /** The answer of a run without a row. */
  reply: SessionAnswer | undefined
  /** Whether the run may be repeated after an interruption; undefined before its handler starts. */
  isRepeatable: boolean | undefined
  /** Made when the handler starts; undefined when no sink receives the events of requests. */
  recording: Recording | undefined

  constructor(
    storage: SessionStorage,
    request: SessionRequest,
    delivery: Delivery,
    stored?: StoredRun,
  ) {
    super(storage, request, stored)
    this.delivery = delivery
    this.isRepeatable = request.isRepeatable
  }

  get requestId(): string {
    return requestIdText(this.request)
  }
}

/** The id of a request as JSON, because one session distinguishes `1` from `"1"`. */
export function requestIdText({ id }: Pick<RequestMessage, 'id'>): string {
  return JSON.stringify(id)
}
