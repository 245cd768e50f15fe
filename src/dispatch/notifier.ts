/** Telling listeners what has changed, for handlers and for whatever else runs beside them. */
import type { Change, ChangeBus } from '../ports/change-bus.ts'
import type { Notify } from '../server/context.ts'
import { MAX_URI_LENGTH } from '../server/uri-template/match.ts'
import { checkElicitationId } from '../server/url-elicitation-required-error.ts'

/** @param changes undefined where no hub is bound: then every call rejects and says so */
export function createNotify(changes: () => ChangeBus | undefined): Notify {
  const publish = async (change: Change) => {
    checkChange(change)
    const bus = changes()
    if (bus === undefined) {
      throw new TypeError('Notifying needs the hub: bind MCP_HUB to the class McpHub')
    }
    await bus.publish(change)
  }
  return {
    toolsChanged: () => publish({ kind: 'tools_list_changed' }),
    promptsChanged: () => publish({ kind: 'prompts_list_changed' }),
    resourcesChanged: (to) => publish({ kind: 'resources_list_changed', subject: to?.subject }),
    resourceUpdated: (uri, to) => publish({ kind: 'resource_updated', uri, subject: to?.subject }),
    elicitationComplete: (elicitationId, to) =>
      publish({ kind: 'elicitation_complete', elicitationId, subject: to?.subject }),
  }
}

/** @throws {TypeError} for news that nobody could ever hear */
function checkChange(change: Change): void {
  const { subject } = change
  if (subject !== undefined && typeof subject !== 'string') {
    throw new TypeError('The subject of news is that of an access token: a string')
  }
  if (change.kind === 'resource_updated') checkUri(change.uri)
  if (change.kind === 'elicitation_complete') checkElicitationId(change.elicitationId)
}

function checkUri(uri: unknown): void {
  if (typeof uri !== 'string' || uri.length > MAX_URI_LENGTH || !URL.canParse(uri)) {
    throw new TypeError(
      `resourceUpdated takes an absolute URI of at most ${MAX_URI_LENGTH} characters`,
    )
  }
}
