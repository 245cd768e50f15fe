/** `ctx.client`: what a handler may know of its client, with the asks that the client can answer. */
import { showsViews } from '../protocol/apps.ts'
import type { Codec } from '../protocol/codec/codec.ts'
import type { ClientContext } from '../server/context.ts'
import type { Call } from './call.ts'

export function clientContext(call: Call, { revision }: Codec): ClientContext {
  const { info, capabilities, era } = call.client
  const { rounds } = call.deployment.extensions
  return {
    info,
    capabilities,
    protocolVersion: revision.id,
    era,
    can: (kind) => rounds?.canAsk(call, kind) === true,
    showsViews: showsViews(capabilities),
  }
}
