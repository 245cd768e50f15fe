/** A hub of a test's own, and listeners that remember what they heard. */
import { env } from 'cloudflare:workers'
import {
  type ChangeBusOptions,
  createChangeBus,
  type HubNamespace,
} from '../../../durable-objects/hub/change-bus.ts'
import type { McpHub } from '../../../durable-objects/hub/hub-object.ts'
import type { Change, ChangeBus, ChangeFeed, ChangeKind } from '../../../src/ports/change-bus.ts'

export const ALL: readonly ChangeKind[] = ['tools', 'prompts', 'resources', 'updated']

/** Objects that no other test knows. */
export function freshHub(): HubNamespace {
  const prefix = crypto.randomUUID()
  return { getByName: (name) => env.MCP_HUB.getByName(`${prefix}/${name}`) }
}

export function shard(hub: HubNamespace, index = 0): DurableObjectStub<McpHub> {
  return hub.getByName(`hub-${index}`)
}

export function freshBus(options?: ChangeBusOptions) {
  const hub = freshHub()
  return { hub, bus: createChangeBus(hub, options) }
}

export interface Listener {
  readonly heard: readonly Change[]
  /** How often its line broke. */
  readonly losses: () => number
  readonly feed: ChangeFeed
}

export async function listen(
  bus: ChangeBus,
  { kinds = ALL, subject }: { kinds?: readonly ChangeKind[]; subject?: string } = {},
): Promise<Listener> {
  const heard: Change[] = []
  let lost = 0
  const onChange = (change: Change) => heard.push(change)
  const feed = await bus.listen(kinds, subject, onChange, () => lost++)
  return { heard, losses: () => lost, feed }
}
