/**
 * `initialize`, the handshake of the session eras. A known version is echoed; anything else is
 * answered with the newest of them, and never with an error.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation
 */
import type { JsonObject } from '../../protocol/json.ts'
import { invalidParams } from '../../protocol/protocol-error.ts'
import type { Call } from '../call.ts'
import { withChanges } from '../capabilities.ts'
import type { RevisionContext } from './method.ts'

/** @throws {ProtocolError} invalidParams, when there is no version to negotiate from */
export function readRequestedVersion(params: JsonObject | undefined): string {
  const version = params?.protocolVersion
  if (typeof version !== 'string') throw invalidParams('params.protocolVersion must be a string')
  return version
}

/** Answered under the negotiated revision, which is the vocabulary's own. */
export function initialize(
  { definition, codec, capabilities }: RevisionContext,
  call: Call,
): string {
  const { info, instructions } = definition
  // News needs a session to be told to, and a hub to come from.
  const { run, deployment } = call
  const hasSession = run.opensSession || run.session !== undefined
  const hears = hasSession && deployment.services.changes() !== undefined
  return codec.resultText({
    protocolVersion: codec.revision.id,
    capabilities: codec.capabilities(hears ? withChanges(capabilities) : capabilities),
    serverInfo: codec.implementation(info),
    ...(instructions === undefined ? undefined : { instructions }),
  })
}
