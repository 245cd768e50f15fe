/**
 * Serves several messages in one POST, for the revision that has batches. Without a session all
 * answers are items of one JSON array. In a session they may arrive on a stream.
 *
 * @see https://modelcontextprotocol.io/specification/2025-03-26/basic/transports#sending-messages-to-the-server
 */
import type { SessionLimits } from '../../../ports/session-limits.ts'
import { ErrorCode } from '../../../protocol/error-codes.ts'
import { jsonText } from '../../../protocol/json.ts'
import { errorResponse, type Message } from '../../../protocol/json-rpc.ts'
import { REFUSALS } from '../../../protocol/refusals.ts'
import { type Revision, UNDECLARED_SESSION } from '../../../protocol/revisions.ts'
import { JSON_ONLY } from '../../../transport/accept.ts'
import { isBatchable } from '../../../transport/classify.ts'
import type { Exchange } from '../../../transport/exchange.ts'
import { allowLeniency } from '../../../transport/leniency.ts'
import { idOf, readMessage } from '../../../transport/message.ts'
import { batchNotAllowed, Refusal } from '../../../transport/refusal.ts'
import { emptyResponse, jsonResponse, refusalBody } from '../../../transport/respond.ts'
import { serveWithoutSession } from '../../../transport/without-session.ts'
import { findSession } from './find-session.ts'
import { serveInSession } from './in-session.ts'

/**
 * Delivers the valid messages to the session together, and answers the refused ones beside them.
 *
 * @throws {Refusal} when the revision has no batches, and for a malformed batch
 */
export async function serveBatchInSession(
  exchange: Exchange,
  sessionId: string,
  values: readonly unknown[],
): Promise<Response> {
  const session = await findSession(exchange, sessionId, 'streamable-http')
  const { batchItems } = session.sessions.limits
  const items = await readItems(exchange, session.revision, values, batchItems)
  const refused = items.filter((item) => item instanceof Refusal).map(refusalBody)
  const messages = items.flatMap((item) => (item instanceof Refusal ? [] : [item]))
  if (refused.length === 0) return serveInSession(exchange, session, messages, true)
  if (messages.length === 0) return arrayResponse(exchange, refused)
  // The refusals and the answers are items of one array, which cannot be a stream.
  const jsonOnly = { ...exchange, accepted: JSON_ONLY }
  const response = await serveInSession(jsonOnly, session, messages, true)
  const answers = (await response.text()).replace(/^\[|\]$/g, '')
  return arrayResponse(exchange, answers === '' ? refused : [...refused, answers])
}

/** @throws {Refusal} when the revision has no batches, and for a malformed batch */
export async function serveBatchWithoutSession(
  exchange: Exchange,
  revision: Revision | undefined,
  values: readonly unknown[],
  limits: SessionLimits,
): Promise<Response> {
  const items = await readItems(exchange, revision, values, limits.batchItems)
  const jsonOnly = { ...exchange, accepted: JSON_ONLY }
  const answers: string[] = []
  let size = 0
  // One after the other: all answers are in memory until the last one, so their sum is limited.
  for (const item of items) {
    const isFull = size >= limits.batchAnswerBytes
    const answer = await serveItem(jsonOnly, revision ?? UNDECLARED_SESSION, item, isFull)
    size += answer.length
    if (answer !== '') answers.push(answer)
  }
  exchange.recording?.abandon()
  return answers.length === 0
    ? emptyResponse(202, exchange.extraHeaders)
    : arrayResponse(exchange, answers)
}

/** Checks the batch as a whole, and reads each item. A refused item does not refuse the others. */
async function readItems(
  exchange: Exchange,
  revision: Revision | undefined,
  values: readonly unknown[],
  batchItems: number,
): Promise<readonly (Message | Refusal)[]> {
  if (revision?.features.batching !== true) throw batchNotAllowed()
  if (values.length === 0) {
    throw new Refusal('message-malformed', 'A batch must have at least one message')
  }
  if (values.length > batchItems) {
    throw new Refusal('batch-not-allowed', `A batch must have at most ${batchItems} messages`)
  }
  const items = values.map(readMessage)
  const isOf = (kind: Message['kind']) => (item: Message | Refusal) =>
    !(item instanceof Refusal) && item.kind === kind
  if (items.some(isOf('response')) && items.some(isOf('request'))) {
    throw new Refusal('message-malformed', 'A batch must not mix requests and responses')
  }
  const batchable = items.map((item) =>
    item instanceof Refusal || isBatchable(item)
      ? item
      : new Refusal('message-malformed', 'This message must not be part of a batch', {
          id: idOf(item),
        }),
  )
  return exchange.endpoint.extensions.limits?.batch(exchange, batchable) ?? batchable
}

/** Returns the text of one answer; empty for a message that has none. */
async function serveItem(
  exchange: Exchange,
  revision: Revision,
  item: Message | Refusal,
  isFull: boolean,
): Promise<string> {
  if (item instanceof Refusal) return refusalBody(item)
  if (isFull && item.kind === 'request') {
    const text = 'The answers of this batch are too large. Send this request in a POST of its own'
    return jsonText(errorResponse(item.id, ErrorCode.internalError, text))
  }
  const recording = item.kind === 'response' ? undefined : exchange.recording?.forItem(item)
  try {
    if (item.kind === 'response') {
      allowLeniency(exchange, 'unexpected-response', undefined, item.id)
    }
    const response = await serveWithoutSession({ ...exchange, recording }, revision, item)
    recording?.respond(response)
    return await response.text()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    recording?.refused(error.name, REFUSALS[error.name].code)
    recording?.finish(undefined)
    return refusalBody(error)
  }
}

function arrayResponse({ extraHeaders }: Exchange, items: readonly string[]): Response {
  return jsonResponse(`[${items.join(',')}]`, extraHeaders)
}
