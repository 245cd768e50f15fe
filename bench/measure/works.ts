/** What is asked of a server, and what a right answer to it is. */
import type { Definition, Lane } from '../lanes/lanes.ts'
import {
  initialize,
  type JsonRpcRequest,
  modernCall,
  modernList,
  statelessCall,
} from '../load/request.ts'
import { parseAnswer } from './answer.ts'

export type WorkName = 'call' | 'call-100' | 'stateless-call' | 'initialize' | 'list'

export interface Work {
  readonly name: WorkName
  readonly title: string
  readonly definition: Definition
  readonly request: (lane: Lane) => JsonRpcRequest
  /** Whether the result is what was asked for. */
  readonly isRight: (result: Readonly<Record<string, unknown>>, lane: Lane) => boolean
}

export const WORKS: readonly Work[] = [
  {
    name: 'call',
    title: 'modern `tools/call`, 1 tool',
    definition: 'one-tool',
    request: () => modernCall,
    isRight: saysHello,
  },
  {
    name: 'call-100',
    title: 'modern `tools/call`, 100 tools',
    definition: 'hundred-tools',
    request: () => modernCall,
    isRight: saysHello,
  },
  {
    name: 'stateless-call',
    title: '2025 `tools/call`, no session, 1 tool',
    definition: 'one-tool',
    request: ({ sessionRevision }) => statelessCall(sessionRevision),
    isRight: saysHello,
  },
  {
    name: 'initialize',
    title: '`initialize`, 1 tool',
    definition: 'one-tool',
    request: ({ sessionRevision }) => initialize(sessionRevision),
    isRight: ({ protocolVersion, serverInfo }, { sessionRevision }) =>
      protocolVersion === sessionRevision && JSON.stringify(serverInfo)?.includes('"bench"'),
  },
  {
    name: 'list',
    title: 'modern `tools/list`, 100 tools',
    definition: 'hundred-tools',
    request: () => modernList,
    isRight: ({ tools }) => Array.isArray(tools) && tools.length === 100 && tools.every(isComplete),
  },
]

/** Asks once. @throws {Error} unless the answer is right */
export async function checkAnswer(work: Work, lane: Lane, url: string): Promise<string> {
  const { headers, body } = work.request(lane)
  const response = await fetch(url, { method: 'POST', headers: { ...headers }, body })
  const text = await response.text()
  const result = response.status === 200 ? parseAnswer(text) : undefined
  if (result === undefined || !work.isRight(result, lane)) {
    throw new Error(
      `${lane.name} answers ${work.name} with ${response.status}: ${text.slice(0, 400)}`,
    )
  }
  return text
}

function saysHello({ content, isError }: Readonly<Record<string, unknown>>): boolean {
  return isError !== true && JSON.stringify(content) === '[{"type":"text","text":"hello"}]'
}

function isComplete(tool: Readonly<Record<string, unknown>>): boolean {
  const schema = tool.inputSchema as { type?: unknown; properties?: object } | undefined
  return (
    typeof tool.name === 'string' &&
    typeof tool.description === 'string' &&
    schema?.type === 'object' &&
    Object.keys(schema.properties ?? {}).length > 0
  )
}
