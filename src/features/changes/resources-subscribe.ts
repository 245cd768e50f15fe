/**
 * `resources/subscribe` and `resources/unsubscribe`. They exist if the request has a session, which stores
 * the subscriptions, and the hub is bound, which publishes the changes.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions
 */

import { checkScopes } from '../../dispatch/access.ts'
import type { Call } from '../../dispatch/call.ts'
import type { CallSession } from '../../dispatch/call-session.ts'
import type { Method } from '../../dispatch/methods/method.ts'
import { findReadable, readUri } from '../../dispatch/methods/resources-read.ts'
import { ErrorCode } from '../../protocol/error-codes.ts'
import { ProtocolError, resourceNotFound } from '../../protocol/protocol-error.ts'

/** @throws {ProtocolError} if the caller may not read the resource, or the session has too many subscriptions */
export const subscribe: Method = async ({ definition, codec }, call) => {
  const session = sessionOf(call)
  const uri = readUri(call)
  if (!definition.handlers.has('resources/read')) {
    const readable = findReadable(definition, uri, call.request.auth)
    if (readable === undefined) throw resourceNotFound(uri)
    checkScopes(readable, call.request.auth)
  }
  await call.run.cancellation.waitFor(session.subscribe(uri))
  return codec.resultText({})
}

/** Unsubscribing from a resource without a subscription succeeds. */
export const unsubscribe: Method = ({ codec }, call) => {
  sessionOf(call).unsubscribe(readUri(call))
  return codec.resultText({})
}

function sessionOf({ request, services, run }: Call): CallSession {
  const { session } = run
  if (session === undefined || services.changes() === undefined) {
    throw new ProtocolError(ErrorCode.methodNotFound, `Method not found: ${request.method}`)
  }
  return session
}
