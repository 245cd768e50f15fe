/** The lists of tools, prompts and resources, page by page, and one call. The era is a parameter. */

import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { listIn, type Members } from '../../../../text/src/json/members.ts'
import type { RpcReply, Send } from '../mcp/rpc.ts'
import { probeViews, type ViewObservation } from './views.ts'

export interface ListObservation {
  readonly method: string
  /** The member of the result that has the entries. */
  readonly member: string
  readonly pages: readonly RpcReply[]
  /** The list was given up: a cursor came again, or there were too many pages. */
  readonly isEndless: boolean
}

export interface CallObservation {
  readonly tool: string
  readonly outputSchema: Members | undefined
  readonly reply: RpcReply
}

export interface DefinitionsObservation {
  readonly capabilities: Members
  readonly lists: readonly ListObservation[]
  /** The first page of the tools once more, where there are several tools. */
  readonly repeated?: RpcReply
  /** The views of the tools. */
  readonly views: readonly ViewObservation[]
  /** A call of a read-only tool without required arguments, if there is one. */
  readonly call?: CallObservation | undefined
}

const MAX_PAGES = 100
/** Of all pages of a list together. */
const MAX_LIST_CHARACTERS = 32 * 1024 * 1024

const LISTS = [
  { capability: 'tools', method: 'tools/list', member: 'tools' },
  { capability: 'prompts', method: 'prompts/list', member: 'prompts' },
  { capability: 'resources', method: 'resources/list', member: 'resources' },
  { capability: 'resources', method: 'resources/templates/list', member: 'resourceTemplates' },
] as const

export async function probeDefinitions(
  send: Send,
  capabilities: Members,
): Promise<DefinitionsObservation> {
  const lists = await readLists(send, capabilities)
  const tools = entriesOf(lists[0])
  const repeated = tools.length > 1 ? { repeated: await send('tools/list', {}) } : {}
  const views = await probeViews(send, tools)
  return { capabilities, lists, ...repeated, views, call: await callReadOnlyTool(send, tools) }
}

/** The lists of the capabilities, in the order of the table. */
export async function readLists(
  send: Send,
  capabilities: Members,
): Promise<readonly ListObservation[]> {
  const lists: ListObservation[] = []
  for (const { capability, method, member } of LISTS) {
    // Tools are requested in any case: a server that does not declare them may have some.
    if (capability !== 'tools' && !isJsonObject(capabilities[capability])) continue
    lists.push({ method, member, ...(await readPages(send, method)) })
  }
  return lists
}

/** Undefined without a tool that may be called. */
export async function callReadOnlyTool(
  send: Send,
  tools: readonly unknown[],
): Promise<CallObservation | undefined> {
  const [call] = await callReadOnlyTools(send, tools, 1)
  return call
}

/** Calls the first tools that may be called. */
export async function callReadOnlyTools(
  send: Send,
  tools: readonly unknown[],
  max: number,
): Promise<readonly CallObservation[]> {
  const calls: CallObservation[] = []
  for (const tool of tools.filter(isCallable).slice(0, max)) {
    const { name, outputSchema } = tool
    const reply = await send('tools/call', { name, arguments: {} })
    calls.push({
      tool: name,
      outputSchema: isJsonObject(outputSchema) ? outputSchema : undefined,
      reply,
    })
  }
  return calls
}

export async function readPages(send: Send, method: string) {
  const pages: RpcReply[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  let characters = 0
  do {
    const page = await send(method, cursor === undefined ? {} : { cursor })
    pages.push(page)
    const next =
      page.kind === 'result' && isJsonObject(page.result) ? page.result.nextCursor : undefined
    characters += page.kind === 'result' ? page.http.text.length : 0
    const isTooLong = pages.length === MAX_PAGES || characters > MAX_LIST_CHARACTERS
    if (typeof next === 'string' && next !== '' && (seen.has(next) || isTooLong)) {
      return { pages, isEndless: true }
    }
    // Clients end at an empty cursor.
    cursor = typeof next === 'string' && next !== '' ? next : undefined
    if (cursor !== undefined) seen.add(cursor)
  } while (cursor !== undefined)
  return { pages, isEndless: false }
}

/** The entries of all pages, unchecked. */
export function entriesOf(list: ListObservation | undefined): readonly unknown[] {
  return (list?.pages ?? []).flatMap((page) => {
    return page.kind === 'result' ? listIn(page.result, list?.member ?? '') : []
  })
}

/** Only a tool that says that it changes nothing is called, and none that runs as a task alone. */
function isCallable(tool: unknown): tool is Members & { readonly name: string } {
  if (!isJsonObject(tool) || !isJsonObject(tool.annotations) || !isJsonObject(tool.inputSchema))
    return false
  const { required = [] } = tool.inputSchema
  const { execution } = tool
  return (
    typeof tool.name === 'string' &&
    tool.annotations.readOnlyHint === true &&
    !(isJsonObject(execution) && execution.taskSupport === 'required') &&
    Array.isArray(required) &&
    required.length === 0
  )
}
