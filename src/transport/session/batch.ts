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
import { Refusal } from '../refusals.ts'
import { acceptedResponse, jsonResponse } from '../respond.ts'
import { serveWithoutSession } from './serve.ts'

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
  const answers = await Promise.all(items.map((item) => serveItem(exchange, revision, item)))
  const texts = answers.filter((text) => text !== '')
  return texts.length === 0
    ? acceptedResponse(extraHeaders)
    : jsonResponse(`[${texts.join(',')}]`, extraHeaders)
}

async function serveItem(exchange: Exchange, revision: Revision, item: unknown): Promise<string> {
  const message = parseMessage(item)
  if (message.kind === 'invalid') {
    return JSON.stringify(errorResponse(message.id, ErrorCode.invalidRequest, message.reason))
  }
  // One element that claims another era would be served under rules its batch does not have.
  if (classify(message, null).era === 'modern' || isInitialize(message)) {
    const id = message.kind === 'request' ? message.id : undefined
    const why = 'This message must not be part of a batch'
    return JSON.stringify(errorResponse(id, ErrorCode.invalidRequest, why))
  }
  // Every answer is a part of one JSON array, so none of them can become a stream.
  const accepted = { json: true, sse: false, complete: true }
  const response = await serveWithoutSession({ ...exchange, accepted }, revision, message)
  return response.text()
}

function isInitialize(message: { readonly kind: string; readonly method?: string }): boolean {
  return message.kind === 'request' && message.method === 'initialize'
}
