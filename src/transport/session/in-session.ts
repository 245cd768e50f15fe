/** The messages of one POST in a session: given to its object, and answered as it says. */
import type {
  AnswerForm,
  SessionAnswer,
  SessionClaims,
  SessionReply,
} from '../../ports/sessions.ts'
import type { Message, RequestId } from '../../protocol/json-rpc.ts'
import { findRevision } from '../../protocol/revisions.ts'
import type { Accepted } from '../accept.ts'
import { allowLeniency, type Exchange } from '../exchange.ts'
import { Refusal } from '../refusals.ts'
import { acceptedResponse, jsonResponse, missingScopesResponse } from '../respond.ts'
import { type FoundSession, sessionNotFound } from './find-session.ts'
import { streamResponse } from './stream-response.ts'

/** What is nobody's business beyond the request that carried it, and is never kept. */
const SECRET_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization'])

/**
 * @param batch whether the answers belong into an array
 * @throws {Refusal}
 */
export async function serveInSession(
  exchange: Exchange,
  session: FoundSession,
  messages: readonly Message[],
  batch: boolean,
): Promise<Response> {
  checkVersionHeader(exchange, session, messages)
  const reply = await deliver(exchange, session, messages)
  const { extraHeaders } = exchange
  if (typeof reply === 'string' || reply instanceof Uint8Array) {
    return batch
      ? answersResponse(exchange, [{ body: reply }], batch)
      : jsonResponse(reply, extraHeaders)
  }
  switch (reply.kind) {
    case 'gone':
      throw sessionNotFound(idOf(messages))
    case 'refused':
      throw refusedBySession(reply.why, idOf(messages))
    case 'accepted':
      for (let count = 0; count < reply.unexpected; count++) allowStray(exchange, messages)
      return acceptedResponse(extraHeaders)
    case 'answers':
      return answersResponse(exchange, reply.answers, batch)
    case 'stream':
      return streamResponse(exchange, session, reply.stream)
  }
}

/** @throws {Refusal} `session-unavailable`, when the object cannot be reached or broke off */
export async function deliver(
  { request, auth, accepted, endpoint }: Exchange,
  { id, claims, sessions }: FoundSession,
  messages: readonly Message[],
  form: AnswerForm = formOf(accepted, claims),
): Promise<SessionReply> {
  let headers = ''
  request.headers.forEach((value, name) => {
    if (!SECRET_HEADERS.has(name)) headers += `${name}: ${value}\n`
  })
  try {
    return await sessions.post({ sessionId: id, claims, messages, auth, headers, form })
  } catch (error) {
    endpoint.report({ type: 'internal-error', error })
    const text = 'The session broke off while this was being served'
    throw new Refusal('session-unavailable', text, { id: idOf(messages) })
  }
}

/** A header that names another version than the session speaks changes nothing, and is counted. */
function checkVersionHeader(
  exchange: Exchange,
  { revision }: FoundSession,
  messages: readonly Message[],
): void {
  const { versionHeader } = exchange
  // Older clients do not send it at all.
  if (versionHeader === null || versionHeader === revision.id) return
  const leniency =
    findRevision(versionHeader) !== undefined
      ? 'protocol-version-header-mismatch'
      : versionHeader.includes(',')
        ? 'protocol-version-header-repeated'
        : 'protocol-version-header-unknown'
  const [first] = messages
  const method = first === undefined || first.kind === 'response' ? undefined : first.method
  const text = `MCP-Protocol-Version must be ${revision.id} in this session`
  allowLeniency(exchange, leniency, method, () => {
    return new Refusal('message-malformed', text, { id: idOf(messages) })
  })
}

function allowStray(exchange: Exchange, messages: readonly Message[]): void {
  const refuse = () =>
    new Refusal('response-not-expected', 'This was not asked', { id: idOf(messages) })
  allowLeniency(exchange, 'response-to-nothing', undefined, refuse)
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
      : missingScopesResponse(exchange, String(body), missingScopes)
  }
  const decoder = new TextDecoder()
  const texts = answers.map(({ body }) => (typeof body === 'string' ? body : decoder.decode(body)))
  return jsonResponse(`[${texts.join(',')}]`, extraHeaders)
}

export function refusedBySession(
  why: 'id-in-use' | 'too-many-requests',
  id: RequestId | undefined,
): Refusal {
  return why === 'id-in-use'
    ? new Refusal('request-id-in-use', 'This id belongs to a request that is not finished', { id })
    : new Refusal('too-many-requests', 'This session has as many requests as it may', {
        id,
        headers: { 'retry-after': '1' },
      })
}

function formOf({ json, sse, sseIfNeeded }: Accepted, claims: SessionClaims): AnswerForm {
  if (!(sse || (sseIfNeeded && canBeAsked(claims)))) return 'json'
  return json ? 'either' : 'sse'
}

/** Questions come on a stream: whoever says that they can be asked, and rules none out, reads one. */
function canBeAsked({ clientCapabilities }: SessionClaims): boolean {
  const { elicitation, sampling, roots } = clientCapabilities
  return elicitation !== undefined || sampling !== undefined || roots !== undefined
}

/** The id that an error about all of them can carry: that of the one request there is. */
function idOf(messages: readonly Message[]): RequestId | undefined {
  const [message] = messages
  return messages.length === 1 && message !== undefined && message.kind !== 'notification'
    ? message.id
    : undefined
}
