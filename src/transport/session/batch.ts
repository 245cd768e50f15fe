/**
 * Several messages in one POST, where the revision has that. Without a session every answer comes in
 * one JSON array; with one, they may come as a stream.
 *
 * @see https://modelcontextprotocol.io/specification/2025-03-26/basic/transports#sending-messages-to-the-server
 */

import { ErrorCode } from '../../protocol/error-codes.ts'
import {
  errorResponse,
  type InvalidMessage,
  type Message,
  parseMessage,
} from '../../protocol/json-rpc.ts'
import { findRevision, type Revision, UNDECLARED_SESSION } from '../../protocol/revisions.ts'
import { classify } from '../classify.ts'
import type { Exchange } from '../exchange.ts'
import { REFUSALS, Refusal } from '../refusals.ts'
import { acceptedResponse, jsonResponse } from '../respond.ts'
import { type FoundSession, findSession } from './find-session.ts'
import { serveInSession } from './in-session.ts'
import { serveWithoutSession } from './without-session.ts'

/** @throws {Refusal} where the revision has no batches, or for a batch that is none */
export async function serveBatch(exchange: Exchange, items: readonly unknown[]): Promise<Response> {
  const { versionHeader: header, request, services } = exchange
  const sessionId = request.headers.get('mcp-session-id')
  if (sessionId !== null && services.sessions() !== undefined) {
    const session = await findSession(exchange, sessionId, 'streamable-http')
    checkBatch(exchange, session.revision, items)
    return serveBatchInSession(exchange, session, items)
  }
  const revision = header === null ? UNDECLARED_SESSION : findRevision(header)
  checkBatch(exchange, revision, items)
  return serveBatchWithoutSession(exchange, revision ?? UNDECLARED_SESSION, items)
}

function checkBatch(
  { endpoint }: Exchange,
  revision: Revision | undefined,
  items: readonly unknown[],
): void {
  if (revision?.features.batching !== true) {
    throw new Refusal('batch-not-allowed', 'The body must be a single JSON-RPC message')
  }
  if (items.length === 0) throw new Refusal('message-malformed', 'The batch is empty')
  if (items.length > endpoint.limits.batchItems) {
    throw new Refusal(
      'batch-not-allowed',
      `A batch may hold ${endpoint.limits.batchItems} messages`,
    )
  }
  const kinds = new Set(items.map((item) => parseMessage(item).kind))
  if (kinds.has('response') && kinds.has('request')) {
    throw new Refusal('message-malformed', 'A batch holds requests or responses, not both')
  }
}

/** All that is well formed goes to the session at once; what is not is answered beside it. */
async function serveBatchInSession(
  exchange: Exchange,
  session: FoundSession,
  items: readonly unknown[],
): Promise<Response> {
  const parsed = items.map(parseMessage)
  const refused = parsed.flatMap((message) => refusalText(message) ?? [])
  const served = parsed.filter((message): message is Message => refusalText(message) === undefined)
  if (refused.length === 0) return serveInSession(exchange, session, served, true)
  if (served.length === 0) return jsonResponse(`[${refused.join(',')}]`, exchange.extraHeaders)
  // Answers that stand beside others in one array cannot become a stream.
  const accepted = { json: true, sse: false, sseIfNeeded: false, complete: true }
  const response = await serveInSession({ ...exchange, accepted }, session, served, true)
  const rest = (await response.text()).replace(/^\[|\]$/g, '')
  const texts = rest === '' ? refused : [...refused, rest]
  return jsonResponse(`[${texts.join(',')}]`, exchange.extraHeaders)
}

async function serveBatchWithoutSession(
  exchange: Exchange,
  revision: Revision,
  items: readonly unknown[],
): Promise<Response> {
  const { endpoint, extraHeaders } = exchange
  const texts: string[] = []
  let size = 0
  // One after the other: all answers are held until the last is there, so their sum is bounded.
  for (const item of items) {
    const text = await serveItem(exchange, revision, item, size >= endpoint.limits.batchAnswerBytes)
    size += text.length
    if (text !== '') texts.push(text)
  }
  return texts.length === 0
    ? acceptedResponse(extraHeaders)
    : jsonResponse(`[${texts.join(',')}]`, extraHeaders)
}

/** The answer to an element that is not served; undefined for one that is. */
function refusalText(message: Message | InvalidMessage): string | undefined {
  if (message.kind === 'invalid') {
    const code = message.fault === 'params' ? ErrorCode.invalidParams : ErrorCode.invalidRequest
    return JSON.stringify(errorResponse(message.id, code, message.reason))
  }
  // One element that claims another era would be served under rules its batch does not have.
  if (classify(message, null).era !== 'modern' && !isInitialize(message)) return undefined
  const { id } = message.kind === 'notification' ? { id: undefined } : message
  const why = 'This message must not be part of a batch'
  return JSON.stringify(errorResponse(id, ErrorCode.invalidRequest, why))
}

async function serveItem(
  exchange: Exchange,
  revision: Revision,
  item: unknown,
  full: boolean,
): Promise<string> {
  const message = parseMessage(item)
  const refused = refusalText(message)
  if (refused !== undefined || message.kind === 'invalid') return refused ?? ''
  const { id } = message.kind === 'notification' ? { id: undefined } : message
  if (full && message.kind === 'request') {
    const why = 'The answers of this batch are too large: send this request by itself'
    return JSON.stringify(errorResponse(id, ErrorCode.internalError, why))
  }
  // Every answer is a part of one JSON array, so none of them can become a stream.
  const accepted = { json: true, sse: false, sseIfNeeded: false, complete: true }
  try {
    const response = await serveWithoutSession({ ...exchange, accepted }, revision, message)
    return await response.text()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return JSON.stringify(errorResponse(id, REFUSALS[error.name].code, error.message))
  }
}

function isInitialize(message: { readonly kind: string; readonly method?: string }): boolean {
  return message.kind === 'request' && message.method === 'initialize'
}
