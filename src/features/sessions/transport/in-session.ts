/** Delivers the messages of one POST to the session object, and answers with its reply. */
import { textOf } from '../../../dispatch/response-text.ts'
import type { AnswerForm, SessionAnswer, SessionReply } from '../../../ports/sessions.ts'
import { linesWithoutCredentials } from '../../../protocol/credential-headers.ts'
import type { Message, RequestId } from '../../../protocol/json-rpc.ts'
import { isUnavailable } from '../../../protocol/protocol-error.ts'
import type { RefusalName } from '../../../protocol/refusals.ts'
import { sessionForm } from '../../../transport/answer-form.ts'
import { sessionLeniency } from '../../../transport/classify.ts'
import type { Exchange } from '../../../transport/exchange.ts'
import { handlerHeaders } from '../../../transport/handler-headers.ts'
import { allowLeniency } from '../../../transport/leniency.ts'
import { idOf, methodOf } from '../../../transport/message.ts'
import { Refusal } from '../../../transport/refusal.ts'
import {
  emptyResponse,
  jsonResponse,
  missingScopesResponse,
  RETRY_SOON,
} from '../../../transport/respond.ts'
import { type FoundSession, sessionNotFound } from './find-session.ts'
import { streamResponse } from './stream-response.ts'

/** The replies that have an answer. */
type AnsweredReply = Exclude<SessionReply, { readonly kind: 'gone' | 'refused' }>

/**
 * @param batch whether the answers are items of an array
 * @throws {Refusal}
 */
export async function serveInSession(
  exchange: Exchange,
  session: FoundSession,
  messages: readonly Message[],
  batch: boolean,
): Promise<Response> {
  const leniency = sessionLeniency(exchange.versionHeader, session.revision)
  if (leniency !== undefined) {
    const [first] = messages
    allowLeniency(exchange, leniency, first && methodOf(first), idOfOne(messages))
  }
  const form = sessionForm(exchange.accepted, session.claims.clientCapabilities, messages)
  const reply = await deliver(exchange, session, messages, form)
  const { extraHeaders } = exchange
  if (isBody(reply)) {
    return jsonResponse(batch ? `[${textOf(reply)}]` : reply, extraHeaders)
  }
  switch (reply.kind) {
    case 'accepted':
      return emptyResponse(202, extraHeaders)
    case 'answers':
      return answersResponse(exchange, reply.answers, batch)
    case 'stream':
      return streamResponse(exchange, session, reply.stream)
  }
}

/**
 * Posts messages to the session object, and reports the responses that it did not expect.
 *
 * @throws {Refusal} `session-unavailable` when the object cannot be reached or fails, and for a session
 *   that has ended or refuses the messages
 */
export async function deliver(
  exchange: Exchange,
  { id, claims, sessions }: FoundSession,
  messages: readonly Message[],
  form: AnswerForm,
): Promise<AnsweredReply> {
  const { request, auth, grant, endpoint, recording } = exchange
  const headers = linesWithoutCredentials(handlerHeaders(request, endpoint))
  // Before the try: a malformed configured origin is no failure of the session.
  const origin = endpoint.originOf(request, exchange.env)
  let reply: SessionReply
  try {
    const recorded = recording && { recorded: recording.start }
    const post = { sessionId: id, claims, messages, auth, grant, headers, origin, form }
    reply = await sessions.post({ ...post, ...recorded })
  } catch (error) {
    endpoint.report({ type: 'internal-error', error })
    const failed = 'The session failed while it served this POST. Send it again'
    const text = isUnavailable(error) ? error.message : failed
    throw new Refusal('session-unavailable', text, { id: idOfOne(messages), headers: RETRY_SOON })
  }
  if (isBody(reply) || reply.kind === 'answers' || reply.kind === 'stream') {
    // The session object reports each request at its end.
    recording?.abandon()
    return reply
  }
  if (reply.kind === 'gone') throw sessionNotFound(idOfOne(messages))
  if (reply.kind === 'refused') throw refusedBySession(reply, idOfOne(messages))
  switch (reply.kind) {
    case 'accepted':
      for (let count = 0; count < reply.unexpected; count++) {
        allowLeniency(exchange, 'unexpected-response', undefined, idOfOne(messages))
      }
      return reply
    default:
      throw ofNewerVersion(idOfOne(messages))
  }
}

function answersResponse(
  exchange: Exchange,
  answers: readonly SessionAnswer[],
  batch: boolean,
): Response {
  const { extraHeaders } = exchange
  const [first] = answers
  if (!batch && first !== undefined) {
    const { body, missingScopes } = first
    return missingScopes === undefined
      ? jsonResponse(body, extraHeaders)
      : missingScopesResponse(exchange, textOf(body), missingScopes)
  }
  return jsonResponse(`[${answers.map(({ body }) => textOf(body)).join(',')}]`, extraHeaders)
}

type RefusedReply = Extract<SessionReply, { readonly kind: 'refused' }>

const REFUSED: Readonly<
  Record<RefusedReply['why'], readonly [RefusalName, string, Readonly<Record<string, string>>?]>
> = {
  'id-in-use': [
    'request-id-in-use',
    'This id belongs to a request that is not finished. Use another id',
  ],
  'too-many-requests': [
    'too-many-requests',
    'This session has reached its limit of unfinished requests. Wait for one to finish',
    RETRY_SOON,
  ],
  'no-reader': [
    'session-not-found',
    'The stream of this session is closed. Open a stream, and POST to its endpoint',
  ],
}

function refusedBySession({ why }: RefusedReply, id: RequestId | undefined): Refusal {
  if (!Object.hasOwn(REFUSED, why)) return ofNewerVersion(id)
  const [name, text, headers] = REFUSED[why]
  return new Refusal(name, text, { id, headers })
}

/** The object runs a newer version than this Worker and answers with what only a newer one knows. */
function ofNewerVersion(id: RequestId | undefined): Refusal {
  const text = 'The session runs a newer version than this Worker. Send the request again'
  return new Refusal('session-unavailable', text, { id, headers: RETRY_SOON })
}

function isBody(reply: SessionReply): reply is string | Uint8Array {
  return typeof reply === 'string' || reply instanceof Uint8Array
}

/** Returns the id for an error about all messages: that of a single request or response. */
function idOfOne(messages: readonly Message[]): RequestId | undefined {
  const [message] = messages
  return messages.length === 1 && message !== undefined ? idOf(message) : undefined
}
