/** The kinds of change that a server can publish. */
import type { ChangeKind } from '../ports/change-bus.ts'
import type { ServerCapabilities } from '../protocol/capabilities.ts'

/** Returns the kinds of change that a server with these capabilities can publish. */
export function changeKinds(capabilities: ServerCapabilities): readonly ChangeKind[] {
  const { tools, prompts, resources, events } = capabilities
  return [
    ...(tools === undefined ? [] : (['tools_list_changed'] as const)),
    ...(prompts === undefined ? [] : (['prompts_list_changed'] as const)),
    ...(events === undefined ? [] : (['events_list_changed'] as const)),
    ...(resources === undefined ? [] : (['resources_list_changed', 'resource_updated'] as const)),
  ]
}
