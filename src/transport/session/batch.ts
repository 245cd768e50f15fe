/**
 * Several messages in one POST, where the revision has that. Every answer comes in one JSON array.
 *
 * @see https://modelcontextprotocol.io/specification/2025-03-26/basic/transports#sending-messages-to-the-server
 */

import { ErrorCode } from '../../protocol/error-codes.ts'
import { errorResponse, parseMessage } from '../../protocol/json-rpc.ts'
import { findRevision, type Revision, UNDECLARED_SESSION } from '../../protocol/revisions.ts'
import { classify } from '../classify.ts'
import type { Exchange } from '../exchange.ts'
import { REFUSALS, Refusal } from '../refusals.ts'
import { acceptedResponse, jsonResponse } from '../respond.ts'
import { serveWithoutSession } from './without-session.ts'

/** @throws {Refusal} where the revision has no batches, or for an empty or overlong one */
export async function serveBatch(exchange: Exchange, items: readonly unknown[]): Promise<Response> {
  const { endpoint, versionHeader: header, extraHeaders } = exchange
  const revision = header === null ? UNDECLARED_SESSION : findRevision(header)
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

async function serveItem(
  exchange: Exchange,
  revision: Revision,
  item: unknown,
  full: boolean,
): Promise<string> {
  const message = parseMessage(item)
  if (message.kind === 'invalid') {
    const code = message.fault === 'params' ? ErrorCode.invalidParams : ErrorCode.invalidRequest
    return JSON.stringify(errorResponse(message.id, code, message.reason))
  }
  const { id } = message.kind === 'notification' ? { id: undefined } : message
  // One element that claims another era would be served under rules its batch does not have.
  if (classify(message, null).era === 'modern' || isInitialize(message)) {
    const why = 'This message must not be part of a batch'
    return JSON.stringify(errorResponse(id, ErrorCode.invalidRequest, why))
  }
  if (full && message.kind === 'request') {
    const why = 'The answers of this batch are too large: send this request by itself'
    return JSON.stringify(errorResponse(id, ErrorCode.internalError, why))
  }
  // Every answer is a part of one JSON array, so none of them can become a stream.
  const accepted = { json: true, sse: false, complete: true }
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
