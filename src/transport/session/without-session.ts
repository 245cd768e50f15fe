/**
 * A message of the session eras that names no session: served from the Worker alone, each request
 * by itself. Several hosted clients never send back a session id, so this must be enough for them.
 */

import { readRequestedVersion } from '../../dispatch/methods/initialize.ts'
import { NO_CAPABILITIES } from '../../protocol/capabilities.ts'
import { isJsonObject } from '../../protocol/json.ts'
import type { Message, RequestMessage } from '../../protocol/json-rpc.ts'
import {
  metaOf,
  type RequestMeta,
  readImplementation,
  readProgressToken,
} from '../../protocol/meta.ts'
import { ProtocolError } from '../../protocol/protocol-error.ts'
import { negotiateSession, type Revision } from '../../protocol/revisions.ts'
import { answer } from '../answer.ts'
import { allowLeniency, type Exchange } from '../exchange.ts'
import { Refusal } from '../refusals.ts'
import { acceptedResponse, protocolErrorResponse } from '../respond.ts'
import { openSession } from './open-session.ts'

/** Without a session there is nowhere to keep a client's choice; see the protocol's `logging/setLevel`. */
const DEFAULT_LOG_LEVEL = 'info'

/** @throws {Refusal} */
export async function serveWithoutSession(
  exchange: Exchange,
  revision: Revision,
  message: Message,
): Promise<Response> {
  if (message.kind === 'notification') return acceptedResponse(exchange.extraHeaders)
  if (message.kind === 'response') {
    allowLeniency(
      exchange,
      'response-to-nothing',
      undefined,
      () => new Refusal('response-not-expected', 'Nothing was asked', { id: message.id }),
    )
    return acceptedResponse(exchange.extraHeaders)
  }
  try {
    if (message.method === 'initialize') return await serveInitialize(exchange, message)
    return await answer(exchange, revision, message, readMeta(message))
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    const codec = exchange.endpoint.dispatcher.codec(revision)
    return protocolErrorResponse(exchange, message.id, error, codec)
  }
}

/** The handshake, and a session where one can be kept. */
async function serveInitialize(exchange: Exchange, message: RequestMessage): Promise<Response> {
  const revision = negotiateSession(readRequestedVersion(message.params))
  const id = await openSession(exchange, message)
  if (id === undefined) return answer(exchange, revision, message, readMeta(message))
  const extraHeaders = { ...exchange.extraHeaders, 'mcp-session-id': id }
  return answer({ ...exchange, extraHeaders }, revision, message, readMeta(message), true)
}

/** Identity and capabilities are known only while a client is introducing itself. */
function readMeta({ method, params }: RequestMessage): RequestMeta {
  const capabilities = method === 'initialize' ? params?.capabilities : undefined
  return {
    clientInfo: method === 'initialize' ? readImplementation(params?.clientInfo) : undefined,
    clientCapabilities: isJsonObject(capabilities) ? capabilities : NO_CAPABILITIES,
    logLevel: DEFAULT_LOG_LEVEL,
    progressToken: readProgressToken(metaOf(params)),
  }
}
