/** `server/discover`. @see https://modelcontextprotocol.io/specification/2026-07-28/server/discover */
import { MetaKey } from '../../protocol/meta.ts'
import { MODERN_VERSIONS } from '../../protocol/revisions.ts'
import type { Call } from '../call.ts'
import type { RevisionContext } from './method.ts'

export function discover({ definition, codec, capabilities }: RevisionContext, call: Call): string {
  const { info, instructions, listTtlMs, isPrivate } = definition
  const offered = call.deployment.extensions.offered(capabilities, call)
  const body = {
    supportedVersions: MODERN_VERSIONS,
    capabilities: codec.capabilities(offered),
    ...(instructions === undefined ? undefined : { instructions }),
    _meta: { [MetaKey.serverInfo]: codec.implementation(info) },
  }
  return codec.resultText(body, { ttlMs: listTtlMs, cacheScope: isPrivate ? 'private' : 'public' })
}
