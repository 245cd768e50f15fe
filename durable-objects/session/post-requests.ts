/**
 * The requests of one POST. Their answers return with the call while all of them are quick, and go to
 * the log of a stream otherwise.
 */
import { beforeWaiting } from '../../src/dispatch/settle.ts'
import { withDeadline } from '../../src/platform/deadline.ts'
import { MAIN_STREAM, type SessionPost, type SessionReply } from '../../src/ports/sessions.ts'
import { ErrorCode } from '../../src/protocol/error-codes.ts'
import {
  isRequestId,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
} from '../../src/protocol/json-rpc.ts'
import { ProtocolError } from '../../src/protocol/protocol-error.ts'
import type { RunCaller } from '../run/caller-records.ts'
import { isOver } from '../run/decide-run.ts'
import { Delivery } from './delivery.ts'
import { replyOf } from './run-answer.ts'
import type { SessionParts } from './session-parts.ts'
import { requestIdText, type SessionRun } from './session-run.ts'

type Post = Omit<SessionPost, 'claims'>

export class PostRequests {
  readonly #parts: SessionParts

  constructor(parts: SessionParts) {
    this.#parts = parts
  }

  /** Takes the messages of a POST in their order, and then serves its requests. */
  async receive(post: Post): Promise<SessionReply> {
    const { runs, tasks, lifetime } = this.#parts
    const requests: RequestMessage[] = []
    /** Ids of requests that this POST both sends and cancels. */
    const cancelled = new Set<RequestId>()
    let unexpected = 0
    for (const message of post.messages) {
      if (message.kind === 'request') requests.push(message)
      else if (message.kind === 'notification') {
        const requestId = cancelledBy(message)
        if (requestId === undefined) continue
        if (requests.some(({ id }) => id === requestId)) cancelled.add(requestId)
        else runs.cancel(requestId)
      } else if (!(runs.respond(message) || (await tasks?.respond(message)))) unexpected++
    }
    if (requests.length === 0) return { kind: 'accepted', unexpected }
    if (!(await this.#hasReader())) return { kind: 'refused', why: 'no-reader' }
    if (lifetime.hasEnded === true) return { kind: 'gone' }
    const reply = await this.#serve(post, requests, cancelled)
    lifetime.count(post.auth)
    return reply
  }

  /**
   * Whether the answer of a request can be read. The client of 2024-11-05 may never open this stream
   * again, so its request waits until the client should have reconnected, and is not run without it.
   */
  #hasReader(): boolean | Promise<boolean> {
    const { client, sockets, reconnectMs } = this.#parts
    return !client.hasOneStream || sockets.waitForReader(MAIN_STREAM, reconnectMs)
  }

  /** @param cancelled ids of requests that the same POST cancels */
  async #serve(
    { sessionId, auth, grant, headers, origin, recorded, form }: Post,
    requests: readonly RequestMessage[],
    cancelled: ReadonlySet<RequestId>,
  ): Promise<SessionReply> {
    const { client, limits } = this.#parts
    const why = this.#refusal(requests)
    if (why !== undefined) return { kind: 'refused', why }
    const delivery = new Delivery(client.hasOneStream ? MAIN_STREAM : undefined, form)
    const runs = requests.map(({ kind: _, ...request }) =>
      this.#parts.runs.create({ ...request, sessionId, headers, origin, recorded }, delivery),
    )
    for (const run of runs) {
      if (cancelled.has(run.request.id)) this.#parts.runs.driver.apply(run, { type: 'cancel' })
    }
    const settled = this.#startAll(runs, { auth, grant }, delivery)
    await beforeWaiting(settled, runs)
    if (!runs.every(isComplete)) {
      if (form === 'json') await settled
      else await withDeadline(limits.streamAfterMs, Promise.race([settled, delivery.opened]))
    }
    if (form !== 'sse' && !delivery.isOpen && runs.every(isComplete)) return this.#replyOf(runs)
    this.#parts.runs.open(delivery)
    return { kind: 'stream', stream: delivery.stream }
  }

  #refusal(requests: readonly RequestMessage[]): 'id-in-use' | 'too-many-requests' | undefined {
    const ids = new Set(requests.map(requestIdText))
    if (ids.size < requests.length || [...ids].some((id) => this.#parts.runs.isInUse(id))) {
      return 'id-in-use'
    }
    // A client must be able to ping a session that is at its limit.
    const counted = requests.filter(({ method }) => method !== 'ping').length
    if (counted === 0) return undefined
    return this.#parts.runs.inFlight + counted > this.#parts.limits.requestsInFlight
      ? 'too-many-requests'
      : undefined
  }

  /**
   * Runs the requests in sequence: their answers are in memory, or in one log, until the last one is
   * there, so their total size is bounded. A request that asks does not delay the next one.
   */
  async #startAll(
    runs: readonly SessionRun[],
    caller: RunCaller,
    delivery: Delivery,
  ): Promise<void> {
    await this.#parts.runs.identify(runs, caller)
    for (const run of runs) {
      if (isComplete(run)) continue
      if (runs.length > 1 && delivery.answerLength >= this.#parts.limits.batchAnswerBytes) {
        this.#parts.runs.driver.apply(run, { type: 'settle', answer: BATCH_TOO_LARGE })
      } else {
        await this.#parts.runs.driver.start(run)
      }
    }
  }

  #replyOf(runs: readonly SessionRun[]): SessionReply {
    const { codec } = this.#parts
    const answers = runs.map(({ reply, request }) => reply ?? replyOf(request.id, CANCELLED, codec))
    const [first] = answers
    const isPlain = answers.length === 1 && first?.missingScopes === undefined
    return first !== undefined && isPlain ? first.body : { kind: 'answers', answers }
  }
}

function isComplete({ state }: SessionRun): boolean {
  return isOver(state)
}

/** The request that a notification cancels. Other notifications of clients have no effect here. */
function cancelledBy({ method, params }: NotificationMessage): RequestId | undefined {
  const requestId = params?.requestId
  return method === 'notifications/cancelled' && isRequestId(requestId) ? requestId : undefined
}

/** A call without a stream must return one response for each request, cancelled ones included. */
const CANCELLED = new ProtocolError(ErrorCode.internalError, 'The request was cancelled')

const BATCH_TOO_LARGE = new ProtocolError(
  ErrorCode.internalError,
  'The answers of this batch are too large: send this request by itself',
)
