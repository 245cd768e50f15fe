/** Publishes changes for handlers (`ctx.notify`) and for the author's other code (`edgeway.notify`). */
import type { Change, ChangeBus } from '../ports/change-bus.ts'
import type { Notify } from '../server/context.ts'
import { MAX_URI_LENGTH } from '../server/uri-template/match.ts'
import { checkElicitationId } from '../server/url-elicitation-required-error.ts'

/** @param changes returns undefined if no hub is bound; then every method rejects with a `TypeError` */
export function createNotify(changes: () => ChangeBus | undefined): Notify {
  const publish = async (change: Change) => {
    checkChange(change)
    const bus = changes()
    if (bus === undefined) {
      throw new TypeError(
        'ctx.notify and edgeway.notify need the hub: bind MCP_HUB to the class McpHub',
      )
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

/** @throws {TypeError} for a change that no listener could receive */
function checkChange(change: Change): void {
  const { subject } = change
  if (subject !== undefined && typeof subject !== 'string') {
    throw new TypeError('The subject of a change must be a string: the subject of an access token')
  }
  if (change.kind === 'resource_updated') checkUri(change.uri)
  if (change.kind === 'elicitation_complete') checkElicitationId(change.elicitationId)
}

function checkUri(uri: unknown): void {
  if (typeof uri !== 'string' || uri.length > MAX_URI_LENGTH || !URL.canParse(uri)) {
    throw new TypeError(
      `resourceUpdated needs an absolute URI of at most ${MAX_URI_LENGTH} characters`,
    )
  }
}
