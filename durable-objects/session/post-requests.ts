/**
 * The requests of one POST. Their answers return with the call while all of them are quick, and go to
 * the log of a stream otherwise.
 */
import { beforeWaiting } from '../../src/dispatch/settle.ts'
import { withDeadline } from '../../src/platform/deadline.ts'
import { MAIN_STREAM, type SessionPost, type SessionReply } from '../../src/ports/sessions.ts'
import { ErrorCode } from '../../src/protocol/error-codes.ts'
import type { RequestId, RequestMessage } from '../../src/protocol/json-rpc.ts'
import { ProtocolError } from '../../src/protocol/protocol-error.ts'
import type { RunCaller } from '../run/caller-records.ts'
import { isOver } from '../run/decide-run.ts'
import type { ClientState } from './client-state.ts'
import { Delivery } from './delivery.ts'
import { cancelledReply } from './run-answer.ts'
import type { Runs } from './runs.ts'
import type { HostLimits } from './session-host.ts'
import { requestIdText, type SessionRun } from './session-run.ts'

export class PostRequests {
  readonly #runs: Runs
  readonly #client: ClientState
  readonly #limits: HostLimits

  constructor(runs: Runs, client: ClientState, limits: HostLimits) {
    this.#runs = runs
    this.#client = client
    this.#limits = limits
  }

  /** @param cancelled ids of requests that the same POST cancels */
  async serve(
    { sessionId, auth, grant, headers, origin, recorded, form }: Omit<SessionPost, 'claims'>,
    requests: readonly RequestMessage[],
    cancelled: ReadonlySet<RequestId>,
  ): Promise<SessionReply> {
    const why = this.#refusal(requests)
    if (why !== undefined) return { kind: 'refused', why }
    const delivery =
      this.#client.claims.transport === 'http-sse'
        ? new Delivery(MAIN_STREAM, 'main', form)
        : new Delivery(undefined, 'answer', form)
    const runs = requests.map(({ kind: _, ...request }) =>
      this.#runs.create({ ...request, sessionId, headers, origin, recorded }, delivery),
    )
    for (const run of runs) {
      if (cancelled.has(run.request.id)) this.#runs.driver.apply(run, { type: 'cancel' })
    }
    const settled = this.#startAll(runs, { auth, grant }, delivery)
    await beforeWaiting(settled, runs)
    if (!runs.every(isComplete)) {
      if (form === 'json') await settled
      else await withDeadline(this.#limits.streamAfterMs, Promise.race([settled, delivery.opened]))
    }
    if (form !== 'sse' && !delivery.isOpen && runs.every(isComplete)) return this.#replyOf(runs)
    this.#runs.open(delivery)
    return { kind: 'stream', stream: delivery.stream }
  }

  #refusal(requests: readonly RequestMessage[]): 'id-in-use' | 'too-many-requests' | undefined {
    const ids = new Set(requests.map(requestIdText))
    if (ids.size < requests.length || [...ids].some((id) => this.#runs.isInUse(id))) {
      return 'id-in-use'
    }
    // A client must be able to ping a session that is at its limit.
    const counted = requests.filter(({ method }) => method !== 'ping').length
    if (counted === 0) return undefined
    return this.#runs.inFlight + counted > this.#limits.requestsInFlight
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
    await this.#runs.identify(runs, caller)
    for (const run of runs) {
      if (isComplete(run)) continue
      if (runs.length > 1 && delivery.answerLength >= this.#limits.batchAnswerBytes) {
        this.#runs.driver.apply(run, { type: 'settle', answer: batchTooLarge() })
      } else {
        await this.#runs.driver.start(run)
      }
    }
  }

  #replyOf(runs: readonly SessionRun[]): SessionReply {
    const { codec } = this.#runs
    const answers = runs.map(({ reply, request }) => reply ?? cancelledReply(request, codec))
    const [first] = answers
    const isPlain = answers.length === 1 && first?.missingScopes === undefined
    return first !== undefined && isPlain ? first.body : { kind: 'answers', answers }
  }
}

function isComplete({ state }: SessionRun): boolean {
  return isOver(state)
}

function batchTooLarge(): ProtocolError {
  const text = 'The answers of this batch are too large: send this request by itself'
  return new ProtocolError(ErrorCode.internalError, text)
}
