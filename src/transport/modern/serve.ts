/**
 * A message of the modern era: the ladder from its envelope to its method, rung by rung, each with
 * one refusal.
 */

import type { ChangeBus } from '../../ports/change-bus.ts'
import type { Message, RequestMessage } from '../../protocol/json-rpc.ts'
import {
  claimedVersion,
  MetaKey,
  metaOf,
  type RequestMeta,
  readModernMeta,
} from '../../protocol/meta.ts'
import { excerpt, ProtocolError } from '../../protocol/protocol-error.ts'
import { findRevision, MODERN_VERSIONS, type Revision } from '../../protocol/revisions.ts'
import { answer } from '../answer.ts'
import { allowLeniency, type Exchange } from '../exchange.ts'
import { Refusal } from '../refusals.ts'
import { acceptedResponse } from '../respond.ts'
import { serveListen } from './listen.ts'
import {
  checkMethodHeader,
  checkNameHeader,
  checkParamHeaders,
  mismatch,
} from './mirrored-headers.ts'

/** @throws {Refusal} */
export function serveModern(exchange: Exchange, message: Message): Response | Promise<Response> {
  if (message.kind === 'response') {
    throw new Refusal('response-not-expected', 'This revision has no responses from clients', {
      id: message.id,
    })
  }
  if (message.kind === 'notification') {
    // None is defined over HTTP: closing the stream is how a client cancels. Nothing depends on it.
    allowLeniency(
      exchange,
      'notification-in-modern-era',
      message.method,
      () => new Refusal('message-malformed', 'This revision has no notifications from clients'),
    )
    return acceptedResponse(exchange.extraHeaders)
  }
  const { request, endpoint } = exchange
  const revision = checkVersion(exchange, message)
  const meta = readMeta(message)
  checkMethodHeader(message, request.headers)
  if (message.method === 'subscriptions/listen') {
    const bus = exchange.services.changes()
    if (bus !== undefined) return listen(exchange, revision, message, bus)
  }
  if (!endpoint.dispatcher.has(revision, message.method)) {
    throw new Refusal('method-not-found', `Method not found: ${excerpt(message.method)}`, {
      id: message.id,
    })
  }
  checkNameHeader(message, request.headers)
  if (message.method === 'tools/call') {
    const mirrored = endpoint.dispatcher.mirroredParams(message.params?.name, exchange.auth)
    checkParamHeaders(message, request.headers, mirrored)
  }
  return answer(exchange, revision, message, meta)
}

function listen(
  exchange: Exchange,
  revision: Revision,
  message: RequestMessage,
  bus: ChangeBus,
): Promise<Response> {
  const { auth, endpoint } = exchange
  const { dispatcher, limits } = endpoint
  return serveListen(exchange, revision, message, {
    bus,
    offered: dispatcher.changeKinds(revision),
    mayRead: (uri) => dispatcher.mayRead(uri, auth),
    maxLifetimeMs: limits.listenLifetimeMs,
  })
}

/** The header against the body first, then the body against what is spoken here. */
function checkVersion(exchange: Exchange, message: RequestMessage): Revision {
  const { id, method, params } = message
  const claim = claimedVersion(params)
  const header = exchange.versionHeader
  if (typeof claim !== 'string') {
    const text = `params._meta must have ${MetaKey.protocolVersion}, a string`
    throw new Refusal('meta-malformed', text, { id })
  }
  if (header === null) throw mismatch(message, 'MCP-Protocol-Version is required')
  if (header !== claim) {
    const refuse = () =>
      mismatch(message, `MCP-Protocol-Version "${excerpt(header)}" is not the version of the body`)
    if (!mayTrustBody(exchange, header, claim)) throw refuse()
    allowLeniency(exchange, 'protocol-version-header-mismatch', method, refuse)
  }
  const revision = findRevision(claim)
  if (revision?.era !== 'modern') {
    throw new Refusal('protocol-version-unsupported', 'Unsupported protocol version', {
      id,
      data: { supported: MODERN_VERSIONS, requested: excerpt(claim) },
    })
  }
  return revision
}

/** By configuration only: an older header that is known, above a body that is valid by itself. */
function mayTrustBody({ endpoint }: Exchange, header: string, claim: string): boolean {
  const named = findRevision(header)
  return (
    endpoint.headerMismatch === 'trust-body' &&
    named !== undefined &&
    named.era !== 'modern' &&
    findRevision(claim)?.era === 'modern'
  )
}

function readMeta({ id, params }: RequestMessage): RequestMeta {
  try {
    return readModernMeta(metaOf(params))
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    throw new Refusal('meta-malformed', error.message, { id })
  }
}
