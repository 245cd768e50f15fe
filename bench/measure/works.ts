/** What is asked of a server, and what a right answer to it is. */
import type { Definition, Lane } from '../lanes/lanes.ts'
import {
  initialize,
  type JsonRpcRequest,
  modernAsk,
  modernAskAnswered,
  modernCall,
  modernList,
  RETRY_ID,
  statelessCall,
} from '../load/request.ts'
import { parseAnswer } from './answer.ts'

export type WorkName = 'ask' | 'call' | 'call-100' | 'stateless-call' | 'initialize' | 'list'

export interface Work {
  readonly name: WorkName
  readonly title: string
  readonly definition: Definition
  readonly request: (lane: Lane) => JsonRpcRequest
  /** The second round of a work that is asked something: both are one unit. */
  readonly retry?: (requestState: string) => JsonRpcRequest
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
    name: 'ask',
    title: 'modern `tools/call` that asks once, both rounds',
    definition: 'asking',
    request: () => modernAsk,
    retry: modernAskAnswered,
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

/** Asks once, in as many rounds as it takes. @throws {Error} unless every answer is right */
export async function checkAnswer(work: Work, lane: Lane, url: string): Promise<string> {
  const fail = ({ status, text }: Answer) => {
    throw new Error(`${lane.name} answers ${work.name} with ${status}: ${text.slice(0, 400)}`)
  }
  const first = await post(url, work.request(lane))
  if (work.retry === undefined) {
    if (first.result === undefined || !work.isRight(first.result, lane)) fail(first)
    return first.text
  }
  const state = first.result?.requestState
  if (typeof state !== 'string' || !isQuestion(first.result)) return fail(first)
  const last = await post(url, work.retry(state), RETRY_ID)
  if (last.result === undefined || !work.isRight(last.result, lane)) fail(last)
  // A state that is not checked would cost nothing, and be worth nothing.
  const forged = await post(url, work.retry(forge(state)), RETRY_ID)
  if (forged.result !== undefined) fail(forged)
  return last.text
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly result: Readonly<Record<string, unknown>> | undefined
}

async function post(url: string, { headers, body }: JsonRpcRequest, id?: number): Promise<Answer> {
  const response = await fetch(url, { method: 'POST', headers: { ...headers }, body })
  const text = await response.text()
  const result = response.status === 200 ? parseAnswer(text, id) : undefined
  return { status: response.status, text, result }
}

function isQuestion(result: Readonly<Record<string, unknown>> | undefined): boolean {
  const asked = JSON.stringify(result?.inputRequests)
  return (
    result?.resultType === 'input_required' &&
    asked?.startsWith('{"confirm":{"method":"elicitation/create"') &&
    asked.includes('"Return hello?"')
  )
}

/** The same state with one character in its middle replaced. */
function forge(state: string): string {
  const middle = Math.floor(state.length / 2)
  return `${state.slice(0, middle)}${state[middle] === 'A' ? 'B' : 'A'}${state.slice(middle + 1)}`
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
