/** A modern client that is asked: who answers in its place, and what it was asked. */
import {
  type CallToolResult,
  type Client,
  type ClientCapabilities,
  type CreateMessageRequestParams,
  type ElicitRequestParams,
  type ElicitResult,
  type HandlerResultTypeMap,
  type InputRequiredResult,
  type ListRootsResult,
  specTypeSchemas,
  withInputRequired,
} from '@modelcontextprotocol/client'
import { type ConnectOptions, connect } from './connect.ts'

export interface Answers {
  readonly elicit?: (params: ElicitRequestParams) => ElicitResult
  readonly sample?: (
    params: CreateMessageRequestParams,
  ) => HandlerResultTypeMap['sampling/createMessage']
  readonly roots?: () => ListRootsResult
}

export interface Asked {
  readonly method: string
  readonly params: unknown
}

export interface AnsweringClient {
  readonly client: Client
  /** Every question so far, in the order they came. */
  readonly asked: readonly Asked[]
}

export const ALL_CAPABILITIES = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: {},
} satisfies ClientCapabilities

export async function connectAnswering(
  { elicit, sample, roots }: Answers,
  { client: options, ...connection }: ConnectOptions = {},
): Promise<AnsweringClient> {
  const client = await connect('modern', {
    ...connection,
    client: { capabilities: ALL_CAPABILITIES, ...options },
  })
  const asked: Asked[] = []
  const record = (request: Asked) => {
    const { method, params = {} } = request
    asked.push({ method, params })
  }
  if (elicit !== undefined) {
    client.setRequestHandler('elicitation/create', (request) => {
      record(request as Asked)
      return elicit(request.params)
    })
  }
  if (sample !== undefined) {
    client.setRequestHandler('sampling/createMessage', (request) => {
      record(request as Asked)
      return sample(request.params)
    })
  }
  if (roots !== undefined) {
    client.setRequestHandler('roots/list', (request) => {
      record(request as Asked)
      return roots()
    })
  }
  return { client, asked }
}

export function accept(content: ElicitResult['content']): ElicitResult {
  return { action: 'accept', content }
}

export interface Round {
  readonly name: string
  readonly arguments?: Record<string, unknown>
  readonly inputResponses?: Record<string, unknown>
  readonly requestState?: string | undefined
}

/** One round of a call, by hand: a result, or questions. */
export function callRound(
  client: Client,
  params: Round,
): Promise<CallToolResult | InputRequiredResult> {
  return client.request(
    { method: 'tools/call', params: { ...params } },
    withInputRequired(specTypeSchemas.CallToolResult),
    { allowInputRequired: true },
  )
}

/** The state of a call that has got as far as its first questions. */
export async function stateOf(client: Client, params: Round): Promise<string> {
  const result = await callRound(client, params)
  if (!('requestState' in result) || typeof result.requestState !== 'string') {
    throw new Error(`Asked nothing: ${JSON.stringify(result)}`)
  }
  return result.requestState
}

/** The value of a durable counter. */
export async function readCount(client: Client, name: string): Promise<number> {
  const result = await client.callTool({ name: 'read_count', arguments: { name } })
  return (result.structuredContent as { value: number }).value
}
