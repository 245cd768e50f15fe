/** The views of tools (MCP Apps): the addresses that tools name, each read once. */
import { RESOURCE_URI_META, UI_META } from '../../../../../src/protocol/apps.ts'
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { textOf } from '../../../../text/src/quoted.ts'
import type { RpcReply, Send } from '../mcp/rpc.ts'

export interface ViewObservation {
  /** The first tool that names the view. */
  readonly tool: string
  /** Unchecked. */
  readonly uri: unknown
  /** Undefined for an address that cannot be read, because it is not a string. */
  readonly reply: RpcReply | undefined
}

/** Views beyond these are not read. */
const MAX_VIEWS = 10

export async function probeViews(
  send: Send,
  tools: readonly unknown[],
): Promise<readonly ViewObservation[]> {
  const named = new Map<unknown, string>()
  for (const tool of tools) {
    const uri = viewOf(tool)
    if (uri !== undefined && !named.has(uri)) named.set(uri, nameOf(tool))
  }
  const views: ViewObservation[] = []
  for (const [uri, tool] of [...named].slice(0, MAX_VIEWS)) {
    const reply = typeof uri === 'string' ? await send('resources/read', { uri }) : undefined
    views.push({ tool, uri, reply })
  }
  return views
}

const nameOf = (tool: unknown) => (isJsonObject(tool) ? textOf(tool.name) : '')

/** The address that a tool names, in the present form or in the deprecated one. */
function viewOf(tool: unknown): unknown {
  if (!isJsonObject(tool) || !isJsonObject(tool._meta)) return undefined
  const ui = tool._meta[UI_META]
  const uri = isJsonObject(ui) ? ui.resourceUri : undefined
  return uri ?? tool._meta[RESOURCE_URI_META]
}
