/** Serves a message of the modern era: the ladder of checks, and then the method. */
import type { Message, RequestId, RequestMessage } from '../../protocol/json-rpc.ts'
import {
  claimedVersion,
  MetaKey,
  metaOf,
  type RequestMeta,
  readModernMeta,
} from '../../protocol/meta.ts'
import { excerpt, ProtocolError } from '../../protocol/protocol-error.ts'
import {
  findRevision,
  MODERN,
  MODERN_VERSIONS,
  type Revision,
  SESSION_VERSIONS,
  UNDECLARED_SESSION,
} from '../../protocol/revisions.ts'
import { answer } from '../answer.ts'
import { declaredRevision, namesModern } from '../classify.ts'
import type { DefinedExchange, Exchange } from '../exchange.ts'
import { allowLeniency } from '../leniency.ts'
import { idOf } from '../message.ts'
import { batchNotAllowed, Refusal } from '../refusal.ts'
import { emptyResponse } from '../respond.ts'
import {
  checkMethodHeader,
  checkNameHeader,
  checkParamHeaders,
  mismatch,
} from './mirrored-headers.ts'

/** @throws {Refusal} */
export function serveModern(
  exchange: DefinedExchange,
  message: Message,
): Response | Promise<Response> {
  if (message.kind === 'response') {
    const text =
      'This revision has no responses from clients. Repeat the request with inputResponses'
    throw new Refusal('unexpected-response', text, { id: message.id })
  }
  // The revision defines no notifications from clients over HTTP.
  if (message.kind === 'notification') return emptyResponse(202, exchange.extraHeaders)
  const { request, dispatchers, auth } = exchange
  const revision = checkVersion(exchange, message)
  const meta = readMeta(exchange, message)
  checkMethodHeader(message, request.headers)
  const target = dispatchers.under(revision).resolve(message, auth)
  const { streams, absentMethods } = exchange.endpoint.extensions
  if (Object.hasOwn(streams, message.method)) {
    const stream = streams[message.method]?.(exchange, target, message)
    if (stream !== undefined) return stream
  }
  if (target.entry === undefined) {
    const { method } = message
    const needs = Object.hasOwn(absentMethods, method)
      ? ` needs features: [${absentMethods[method]}()]`
      : ''
    const text = `Method not found: ${excerpt(method)}${needs}`
    throw new Refusal('method-not-found', text, { id: message.id })
  }
  checkNameHeader(message, target.entry, request.headers)
  checkParamHeaders(message, request.headers, target.mirroredParams)
  return answer(exchange, target, message, meta)
}

/** Compares the header with the body first, and then the version with the revisions served here. */
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
    if (!mayTrustBody(exchange, header, claim)) {
      const text = `MCP-Protocol-Version "${excerpt(header)}" must be the version in params._meta`
      throw mismatch(message, text)
    }
    exchange.endpoint.report({
      type: 'leniency',
      name: 'protocol-version-header-mismatch',
      method,
    })
  }
  const revision = findRevision(claim)
  if (revision?.era !== 'modern') throw unsupported(MODERN_VERSIONS, claim, id)
  return revision
}

/** The refusal of a modern message where only sessions are served: its client opens one instead. */
export function modernNotServed(message: Message): Refusal {
  const claim = message.kind === 'response' ? undefined : claimedVersion(message.params)
  const requested = typeof claim === 'string' ? claim : MODERN.id
  return unsupported(SESSION_VERSIONS, requested, idOf(message))
}

/** The refusal of anything else where only the modern revision is served. No message: a batch. */
export function sessionsNotServed(versionHeader: string | null, message?: Message): Refusal {
  // Its version is served, so an error about it would have the client repeat the batch.
  if (message === undefined && namesModern(versionHeader)) return batchNotAllowed()
  const params = message?.kind === 'request' ? message.params : undefined
  const asked = params?.protocolVersion
  const requested = typeof asked === 'string' ? asked : (versionHeader ?? UNDECLARED_SESSION.id)
  return unsupported(MODERN_VERSIONS, requested, message && idOf(message))
}

function unsupported(
  supported: readonly string[],
  requested: string,
  id: RequestId | undefined,
): Refusal {
  return new Refusal('protocol-version-unsupported', 'Unsupported protocol version', {
    id,
    data: { supported, requested: excerpt(requested) },
  })
}

/** Only if configured, and only for a header with a known older version over a valid modern body. */
function mayTrustBody({ endpoint }: Exchange, header: string, claim: string): boolean {
  return (
    endpoint.headerMismatch === 'trust-body' &&
    !endpoint.strict &&
    declaredRevision(header) !== undefined &&
    findRevision(claim)?.era === 'modern'
  )
}

function readMeta(exchange: Exchange, { id, method, params }: RequestMessage): RequestMeta {
  const meta = metaOf(params)
  let read: RequestMeta
  try {
    read = readModernMeta(meta)
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    throw new Refusal('meta-malformed', error.message, { id })
  }
  if (read.clientInfo === undefined && meta?.[MetaKey.clientInfo] !== undefined) {
    allowLeniency(exchange, 'client-info-malformed', method, id)
  }
  return read
}
