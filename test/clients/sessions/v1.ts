/** The first generation of the official client, as most programs in the field still embed it. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CreateMessageRequestSchema,
  ElicitationCompleteNotificationSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { Connect, ConnectSessionOptions, Face } from './session-client.ts'

const NOTIFICATIONS = {
  'notifications/message': LoggingMessageNotificationSchema,
  'notifications/tools/list_changed': ToolListChangedNotificationSchema,
  'notifications/prompts/list_changed': PromptListChangedNotificationSchema,
  'notifications/resources/list_changed': ResourceListChangedNotificationSchema,
  'notifications/resources/updated': ResourceUpdatedNotificationSchema,
  'notifications/elicitation/complete': ElicitationCompleteNotificationSchema,
}

const REQUESTS = {
  'elicitation/create': ElicitRequestSchema,
  'sampling/createMessage': CreateMessageRequestSchema,
  'roots/list': ListRootsRequestSchema,
}

export const connectV1: Connect = (options, wire) => {
  const transport = new StreamableHTTPClientTransport(new URL(options.url), {
    fetch: offering(options.version, wire.fetch),
    ...(options.sessionId !== undefined && { sessionId: options.sessionId }),
    reconnectionOptions: RECONNECTION,
  })
  return connect(transport, options, {
    sessionId: () => transport.sessionId,
    terminate: () => transport.terminateSession(),
  })
}

export const connectV1OverSse: Connect = (options, wire) => {
  const transport = new SSEClientTransport(new URL('/sse', options.url), {
    fetch: offering(options.version, wire.fetch),
  })
  return connect(transport, options, {
    sessionId: () => undefined,
    terminate: () => Promise.reject(new TypeError('The older transport ends no session')),
  })
}

/** As by default, but more patient: a server that is started again takes some seconds. */
export const RECONNECTION = {
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 20,
}

async function connect(
  transport: Transport,
  { capabilities = {} }: ConnectSessionOptions,
  rest: Pick<Face, 'sessionId' | 'terminate'>,
): Promise<Face> {
  const client = new Client({ name: 'edgeway-v1-test', version: '1.0.0' }, { capabilities })
  await client.connect(transport)
  return {
    ...rest,
    client,
    call: (name, args = {}, options) =>
      client.callTool({ name, arguments: { ...args } }, undefined, options),
    complete: (params) => client.complete(params as Parameters<Client['complete']>[0]),
    on: (method, take) =>
      client.setNotificationHandler(NOTIFICATIONS[method], ({ params }) => take(params)),
    onAsked: (method, give) =>
      client.setRequestHandler(REQUESTS[method], async ({ params }) => give(params) as never),
  }
}

/** The client has no option for it: what it offers is changed on its way. */
function offering(version: string | undefined, fetchWith: typeof fetch): typeof fetch {
  if (version === undefined) return fetchWith
  return (input, init) => {
    const body = String(init?.body ?? '')
    if (!body.includes('"method":"initialize"')) return fetchWith(input, init)
    const message = JSON.parse(body)
    message.params.protocolVersion = version
    return fetchWith(input, { ...init, body: JSON.stringify(message) })
  }
}
