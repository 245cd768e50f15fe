/**
 * Answers one request with one JSON object while the call is quick and sends no notification. Other
 * calls continue in `answer-slow-call.ts`. Nearly all requests take only this path, so it creates
 * nothing that they do not need.
 */
import type { Call, CallRun } from '../dispatch/call.ts'
import { Cancellation } from '../dispatch/cancellation.ts'
import { Suspension } from '../dispatch/journal/suspension.ts'
import { settleCall } from '../dispatch/outcome.ts'
import { beforeWaiting } from '../dispatch/settle.ts'
import type { Target } from '../dispatch/target.ts'
import type { CancelReason } from '../ports/cancel-reason.ts'
import { ASKING_METHODS } from '../protocol/asking-methods.ts'
import { notificationText, type RequestMessage } from '../protocol/json-rpc.ts'
import type { RequestMeta } from '../protocol/meta.ts'
import { ProtocolError } from '../protocol/protocol-error.ts'
import { callForm, sendsEvents, startsAsJson } from './answer-form.ts'
import { answerSlowCall } from './answer-slow-call.ts'
import type { DefinedExchange, Exchange } from './exchange.ts'
import { handlerHeaders } from './handler-headers.ts'
import { outcomeResponse } from './respond.ts'
import { EVENTS, PADDED_JSON, recordedFrames } from './sse/frames.ts'
import { ResponseStream } from './sse/response-stream.ts'

export async function answer(
  exchange: DefinedExchange,
  target: Target,
  message: RequestMessage,
  meta: RequestMeta,
  opensSession = false,
): Promise<Response> {
  const { endpoint } = exchange
  const { revision } = target.dispatcher.codec
  const form = callForm(exchange.accepted, revision.era, message.method)
  const cancellation = new Cancellation()
  let stream: ResponseStream | undefined
  const streamOf = () => {
    const onLost = (reason: CancelReason) => {
      // In the session eras the call continues without its client; in the modern era it is cancelled.
      if (revision.era === 'modern') cancellation.cancel(reason)
    }
    const frames = form === 'padded-json' ? PADDED_JSON : EVENTS
    stream ??= new ResponseStream(endpoint.limits, onLost, recordedFrames(frames, exchange))
    return stream
  }
  const notify: CallRun['notify'] = async (name, notification) => {
    if (sendsEvents(form)) await streamOf().send(notificationText(name, notification))
  }
  exchange.recording?.identify(target, revision, meta.clientInfo)
  const call = createCall(exchange, target, message, meta, opensSession, cancellation, notify)
  const outcome = settleCall(call)
  const settled = outcome instanceof Promise ? await beforeWaiting(outcome, [call.run]) : outcome
  if (settled !== undefined && stream === undefined) {
    // An error before the stream has opened has its own HTTP status, regardless of the form.
    const isJson = startsAsJson(form) || settled instanceof ProtocolError
    if (isJson && !(settled instanceof Suspension)) {
      exchange.recording?.settle(settled)
      return outcomeResponse(exchange, revision, message.id, settled)
    }
  }
  cancellation.beginWaiting()
  return answerSlowCall(exchange, message, {
    call,
    outcome: Promise.resolve(outcome),
    form,
    stream: form === 'json' ? undefined : streamOf(),
  })
}

function createCall(
  { endpoint, request, env, services, auth, grant, factoryParams, waitUntil, recording }: Exchange,
  target: Target,
  { id, method }: RequestMessage,
  { clientInfo, clientCapabilities, logLevel, progressToken }: RequestMeta,
  opensSession: boolean,
  cancellation: Cancellation,
  notify: CallRun['notify'],
): Call {
  const { era } = target.dispatcher.codec.revision
  const canAsk = era === 'modern' && ASKING_METHODS.has(method)
  return {
    target,
    request: {
      id,
      method,
      params: target.params,
      auth,
      grant,
      factoryParams,
      headers: handlerHeaders(request, endpoint),
      origin: () => endpoint.originOf(request, env),
      progressToken,
    },
    client: { era, info: clientInfo, capabilities: clientCapabilities, logLevel },
    deployment: endpoint.deploymentOf(env),
    services,
    run: {
      id: undefined,
      cancellation,
      notify,
      waitUntil,
      canAsk,
      canWait: false,
      holdsWaits: canAsk,
      webhookUrl: undefined,
      task: undefined,
      session: undefined,
      continues: false,
      opensSession,
      journal: undefined,
      recording,
    },
  }
}
