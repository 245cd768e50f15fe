/**
 * `initialize`, the handshake of the session eras. A known revision is accepted; any other request is
 * answered with the newest revision of these eras, never with an error.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation
 */
import { abridgeClient } from '../../protocol/abridge-client.ts'
import { NO_CAPABILITIES } from '../../protocol/capabilities.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import { readImplementation } from '../../protocol/meta.ts'
import { invalidParams } from '../../protocol/protocol-error.ts'
import { negotiateSession } from '../../protocol/revisions.ts'
import type { Call } from '../call.ts'
import { withOfferedExtensions } from '../capabilities.ts'
import { instructionsFor } from './instructions.ts'
import type { RevisionContext } from './method.ts'

/** @throws {ProtocolError} invalidParams, if the version is missing or not a string */
export function readRequestedVersion(params: JsonObject | undefined): string {
  const version = params?.protocolVersion
  if (typeof version !== 'string') throw invalidParams('params.protocolVersion must be a string')
  return version
}

/**
 * What `initialize` says of the client, in a size that can be stored, and the negotiated revision. A client that
 * declares tasks has none in a revision without them.
 *
 * @throws {ProtocolError} invalidParams, if the version is missing or not a string
 */
export function readHandshake(params: JsonObject | undefined) {
  const { id: revision, features } = negotiateSession(readRequestedVersion(params))
  const { clientInfo, capabilities } = params ?? {}
  const { tasks, ...others } = isJsonObject(capabilities) ? capabilities : NO_CAPABILITIES
  const declared = tasks === undefined || !features.tasks ? others : { ...others, tasks }
  return { revision, ...abridgeClient(readImplementation(clientInfo), declared) }
}

/** Answers under the negotiated revision: that of the revision context. */
export function initialize(context: RevisionContext, call: Call): string {
  const { definition, codec, capabilities } = context
  const instructions = instructionsFor(context, call).text
  const { extensions } = call.deployment
  const offered = withOfferedExtensions(
    extensions.offered(capabilities, call),
    call.request.params?.capabilities,
    extensions.declared,
  )
  return codec.resultText({
    protocolVersion: codec.revision.id,
    capabilities: codec.capabilities(offered),
    serverInfo: codec.implementation(definition.info),
    ...(instructions === undefined ? undefined : { instructions }),
  })
}
