/** A modern client that answers server requests and records them; and single rounds of a call. */
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

export interface AskHandlers {
  readonly elicit?: (params: ElicitRequestParams) => ElicitResult | Promise<ElicitResult>
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
  /** Every server request so far, in order of arrival. */
  readonly asked: readonly Asked[]
}

export const ALL_CAPABILITIES = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: {},
} satisfies ClientCapabilities

export async function connectAnswering(
  { elicit, sample, roots }: AskHandlers,
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

export interface Round {
  readonly name: string
  readonly arguments?: Record<string, unknown>
  readonly inputResponses?: Record<string, unknown>
  readonly requestState?: string | undefined
}

/** Sends one round of a call and returns its result, or its input requests. */
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

/** Calls a tool that asks, and returns its request state. */
export async function stateOf(client: Client, params: Round): Promise<string> {
  const result = await callRound(client, params)
  if (!('requestState' in result) || typeof result.requestState !== 'string') {
    throw new Error(`The call did not ask: ${JSON.stringify(result)}`)
  }
  return result.requestState
}

/** Reads a durable counter of the fixture server. */
export async function readCount(client: Client, name: string): Promise<number> {
  const result = await client.callTool({ name: 'read_count', arguments: { name } })
  return (result.structuredContent as { value: number }).value
}
