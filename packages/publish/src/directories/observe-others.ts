/** Whether a server behaves otherwise for the clients of directories, by the name in `clientInfo` alone. */
import { isJsonObject } from '../../../../src/protocol/json.ts'
import type { ServerConnection } from '../../../doctor/src/definition/connect-server.ts'
import { inNewestEra } from '../../../doctor/src/definition/read-lists.ts'
import type { RpcReply } from '../../../doctor/src/doctor/mcp/rpc.ts'
import { callReadOnlyTool, readPages } from '../../../doctor/src/doctor/probes/lists.ts'
import { jsonOf } from '../../../text/src/json/json-text.ts'
import { listIn } from '../../../text/src/json/members.ts'
import { quoted } from '../../../text/src/quoted.ts'
import type { OtherClient } from './input.ts'

/** What the clients call themselves, and the names of their products: servers look for one or the other. */
const NAMES = ['claude-ai', 'Anthropic/ClaudeAI', 'openai-mcp', 'ChatGPT'] as const

/**
 * The list of tools and the end of a call may change by themselves, so a difference counts only if the doctor sees
 * afterwards what it saw before.
 */
export async function observeAsOthers({
  endpoint,
  lists,
}: ServerConnection): Promise<readonly OtherClient[]> {
  // A list without an end is a fault of its own, and reading it again takes as long.
  if (lists?.malformed.some(({ kind }) => kind === 'list')) return []
  let own = await observeAs(endpoint)
  const found: OtherClient[] = []
  for (const name of NAMES) {
    const other = await observeAs({ ...endpoint, clientName: name })
    if (own === undefined || other === undefined) continue
    if (differingTools(own, other).length === 0 && !endsOtherwise(own, other)) continue
    const again = await observeAs(endpoint)
    if (again === undefined) continue
    const isListSteady = differingTools(own, again).length === 0
    const isCallSteady = !endsOtherwise(own, again)
    own = again
    const tools = isListSteady ? differingTools(own, other) : []
    const call =
      isCallSteady && endsOtherwise(own, other) && own.call !== undefined
        ? {
            tool: own.call.tool,
            seen: `a call of ${quoted(own.call.tool)} ends with ${other.call?.end}, and to the doctor with ${own.call.end}`,
          }
        : undefined
    if (tools.length > 0 || call !== undefined) found.push({ name, tools, ...(call && { call }) })
  }
  return found
}

interface Seen {
  /** The definitions by the names of tools. */
  readonly tools: ReadonlyMap<string, string>
  readonly call: { readonly tool: string; readonly end: string } | undefined
}

/** Undefined where the tools are not listed to the end. */
async function observeAs(endpoint: ServerConnection['endpoint']): Promise<Seen | undefined> {
  const seen = await inNewestEra(endpoint, async (send) => {
    const { pages } = await readPages(send, 'tools/list')
    if (!pages.every(({ kind }) => kind === 'result')) return undefined
    const tools = pages
      .flatMap((page) => (page.kind === 'result' ? listIn(page.result, 'tools') : []))
      .filter(isTool)
    const call = await callReadOnlyTool(send, tools)
    return {
      tools: new Map(tools.map((tool) => [tool.name, definitionOf(tool)])),
      call: call && { tool: call.tool, end: endOf(call.reply) },
    }
  })
  return typeof seen === 'string' ? undefined : seen
}

interface ListedTool {
  readonly name: string
  readonly inputSchema: object
}

const isTool = (tool: unknown): tool is ListedTool =>
  isJsonObject(tool) && typeof tool.name === 'string' && isJsonObject(tool.inputSchema)

/** What a model and a person see of it. `_meta` is for hosts. */
const definitionOf = (tool: ListedTool): string => jsonOf({ ...tool, _meta: undefined }) ?? ''

/** As a part of a sentence. The content of a result may change with each call. */
function endOf(reply: RpcReply): string {
  if (reply.kind === 'error') return `error ${reply.code}`
  if (reply.kind === 'result') {
    return isJsonObject(reply.result) && reply.result.isError === true ? 'isError' : 'a result'
  }
  return reply.kind === 'failed' ? 'no response' : `status ${reply.http.status}`
}

function differingTools({ tools: own }: Seen, { tools: other }: Seen): readonly string[] {
  const names = new Set([...own.keys(), ...other.keys()])
  return [...names].filter((name) => own.get(name) !== other.get(name))
}

const endsOtherwise = ({ call: own }: Seen, { call: other }: Seen) =>
  own !== undefined && other !== undefined && own.tool === other.tool && own.end !== other.end
