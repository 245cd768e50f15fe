/**
 * Answering one request: as one JSON object while it is quick and has nothing to say on the way. What
 * is not goes on in `answer-later.ts`; this is the path of nearly all requests, and makes nothing
 * that they do not need.
 */
import type { Call, CallRun } from '../dispatch/call.ts'
import { Cancellation } from '../dispatch/cancellation.ts'
import { Suspension } from '../dispatch/journal/suspension.ts'
import { settleCall } from '../dispatch/outcome.ts'
import { beforeWaiting } from '../dispatch/settle.ts'
import type { CancelReason } from '../ports/telemetry.ts'
import { ASKING_METHODS } from '../protocol/asking-methods.ts'
import type { RequestMessage } from '../protocol/json-rpc.ts'
import { notificationText } from '../protocol/json-rpc.ts'
import type { RequestMeta } from '../protocol/meta.ts'
import { ProtocolError } from '../protocol/protocol-error.ts'
import type { Revision } from '../protocol/revisions.ts'
import { answerLater, jsonAnswer } from './answer-later.ts'
import type { Exchange } from './exchange.ts'
import { EVENTS, JSON_TEXT } from './sse/frames.ts'
import { ResponseStream } from './sse/response-stream.ts'

export async function answer(
  exchange: Exchange,
  revision: Revision,
  message: RequestMessage,
  meta: RequestMeta,
  opensSession = false,
): Promise<Response> {
  const { endpoint, accepted } = exchange
  const cancellation = new Cancellation()
  let stream: ResponseStream | undefined
  const streamOf = () => {
    const onLost = (reason: CancelReason) => {
      // In the session eras a client may leave and the work goes on; in the modern one it may not.
      if (revision.era === 'modern') cancellation.cancel(reason)
    }
    stream ??= new ResponseStream(endpoint.limits, onLost, accepted.sse ? EVENTS : JSON_TEXT)
    return stream
  }
  const notify: CallRun['notify'] = async (name, notification) => {
    if (accepted.sse) await streamOf().send(notificationText(name, notification))
  }
  const call = createCall(exchange, revision, message, meta, opensSession, cancellation, notify)
  const outcome = settleCall(endpoint.dispatcher, revision, call)
  const settled = outcome instanceof Promise ? await beforeWaiting(outcome, [call.run]) : outcome
  if (settled !== undefined && stream === undefined) {
    // An error that comes before any stream has its status, whatever form of answer was asked for.
    const isPlain = accepted.json || settled instanceof ProtocolError
    if (isPlain && !(settled instanceof Suspension)) {
      return jsonAnswer(exchange, revision, message, settled)
    }
  }
  cancellation.beginWaiting()
  return answerLater(exchange, revision, message, {
    call,
    outcome: Promise.resolve(outcome),
    // Only of a response that has begun it is noticed that the client leaves.
    stream: accepted.sse || revision.era === 'modern' ? streamOf() : undefined,
  })
}

function createCall(
  { endpoint, request, env, auth, waitUntil }: Exchange,
  { era }: Revision,
  { id, method, params }: RequestMessage,
  { clientInfo, clientCapabilities, logLevel, progressToken }: RequestMeta,
  opensSession: boolean,
  cancellation: Cancellation,
  notify: CallRun['notify'],
): Call {
  return {
    request: { id, method, params, auth, headers: request.headers, progressToken },
    client: { era, info: clientInfo, capabilities: clientCapabilities, logLevel },
    deployment: endpoint.deploymentOf(env),
    run: {
      cancellation,
      notify,
      waitUntil,
      canAsk: era === 'modern' && ASKING_METHODS.has(method),
      session: undefined,
      opensSession,
      journal: undefined,
    },
  }
}
