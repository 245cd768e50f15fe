/** The capabilities that need a hub: list changes and resource subscriptions. */
import type { Call } from '../../dispatch/call.ts'
import type { ServerCapabilities } from '../../protocol/capabilities.ts'

/** Adds them where a hub is bound, and a client has a stream on which it receives changes. */
export function offerChanges(
  capabilities: ServerCapabilities,
  { client, run, services }: Pick<Call, 'client' | 'run' | 'services'>,
): ServerCapabilities {
  const hasStream = client.era === 'modern' || run.opensSession || run.session !== undefined
  return hasStream && services.changes() !== undefined ? withChanges(capabilities) : capabilities
}

function withChanges(capabilities: ServerCapabilities): ServerCapabilities {
  const { tools, prompts, resources, ...rest } = capabilities
  return {
    ...rest,
    ...(tools === undefined ? undefined : { tools: { ...tools, listChanged: true } }),
    ...(prompts === undefined ? undefined : { prompts: { ...prompts, listChanged: true } }),
    ...(resources === undefined
      ? undefined
      : { resources: { ...resources, listChanged: true, subscribe: true } }),
  }
}
