/** Telling listeners what has changed, for handlers and for whatever else runs beside them. */
import type { Change, ChangeBus } from '../ports/change-bus.ts'
import type { Notify } from '../server/context.ts'

/** @param changes undefined where no hub is bound: then every call rejects and says so */
export function createNotify(changes: () => ChangeBus | undefined): Notify {
  const publish = async (change: Change) => {
    const bus = changes()
    if (bus === undefined) {
      throw new TypeError('Notifying needs the hub: bind MCP_HUB to the class McpHub')
    }
    await bus.publish(change)
  }
  return {
    toolsChanged: () => publish({ kind: 'tools' }),
    promptsChanged: () => publish({ kind: 'prompts' }),
    resourcesChanged: (to) => publish({ kind: 'resources', subject: to?.subject }),
    resourceUpdated: (uri, to) => publish({ kind: 'updated', uri, subject: to?.subject }),
  }
}
