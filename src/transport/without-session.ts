/**
 * Serves a message of the session eras without a session: each request on its own, in the Worker.
 * Several hosted clients never send the session id that they received.
 */
import { readRequestedVersion } from '../dispatch/methods/initialize.ts'
import { NO_CAPABILITIES } from '../protocol/capabilities.ts'
import { isJsonObject } from '../protocol/json.ts'
import type { Message, RequestMessage } from '../protocol/json-rpc.ts'
import {
  metaOf,
  type RequestMeta,
  readImplementation,
  readProgressToken,
} from '../protocol/meta.ts'
import { ProtocolError } from '../protocol/protocol-error.ts'
import { negotiateSession, type Revision } from '../protocol/revisions.ts'
import { answer } from './answer.ts'
import { defineExchange } from './define-exchange.ts'
import type { DefinedExchange, Exchange } from './exchange.ts'
import { emptyResponse, outcomeResponse } from './respond.ts'

/** Without a session, `logging/setLevel` has nowhere to store the client's choice. */
const DEFAULT_LOG_LEVEL = 'info'

/** @throws {Refusal} */
export async function serveWithoutSession(
  exchange: Exchange,
  revision: Revision,
  message: Message,
): Promise<Response> {
  if (message.kind !== 'request') return emptyResponse(202, exchange.extraHeaders)
  const found = defineExchange(exchange, message.id)
  const defined = found instanceof Promise ? await found : found
  try {
    if (message.method === 'initialize') return await serveInitialize(defined, message)
    return await answer(defined, targetOf(defined, revision, message), message, readMeta(message))
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    exchange.recording?.settle(error)
    return outcomeResponse(exchange, revision, message.id, error)
  }
}

/** Serves the handshake, and opens a session if sessions are bound. */
async function serveInitialize(
  exchange: DefinedExchange,
  message: RequestMessage,
): Promise<Response> {
  const revision = negotiateSession(readRequestedVersion(message.params))
  const id = await exchange.endpoint.extensions.sessions?.open(exchange, message)
  const target = targetOf(exchange, revision, message)
  if (id === undefined) return answer(exchange, target, message, readMeta(message))
  const extraHeaders = { ...exchange.extraHeaders, 'mcp-session-id': id }
  return answer({ ...exchange, extraHeaders }, target, message, readMeta(message), true)
}

const targetOf = (
  { dispatchers, auth }: DefinedExchange,
  revision: Revision,
  message: RequestMessage,
) => dispatchers.under(revision).resolve(message, auth)

/** Without a session, identity and capabilities are known only during `initialize`. */
function readMeta({ method, params }: RequestMessage): RequestMeta {
  const capabilities = method === 'initialize' ? params?.capabilities : undefined
  return {
    clientInfo: method === 'initialize' ? readImplementation(params?.clientInfo) : undefined,
    clientCapabilities: isJsonObject(capabilities) ? capabilities : NO_CAPABILITIES,
    logLevel: DEFAULT_LOG_LEVEL,
    progressToken: readProgressToken(metaOf(params)),
  }
}
