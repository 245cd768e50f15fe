/** Adapts the first generation of the official client, over both of its transports. */
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
import {
  type AdaptedClient,
  type Connect,
  type ConnectOptions,
  ofSession,
  RECONNECTION,
} from './client-interface.ts'

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
    fetch: offerVersion(options.version, wire.fetch),
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
    fetch: offerVersion(options.version, wire.fetch),
  })
  return connect(transport, options, {
    sessionId: () => undefined,
    terminate: () => Promise.reject(new TypeError('The HTTP+SSE transport cannot end a session')),
  })
}

async function connect(
  transport: Transport,
  { capabilities = {} }: ConnectOptions,
  rest: Pick<AdaptedClient, 'sessionId' | 'terminate'>,
): Promise<AdaptedClient> {
  const client = new Client({ name: 'edgeway-v1-test', version: '1.0.0' }, { capabilities })
  await client.connect(transport)
  return {
    ...rest,
    ...ofSession(client),
    client,
    call: (name, args = {}, options) =>
      client.callTool({ name, arguments: { ...args } }, undefined, options),
    complete: (params) => client.complete(params as Parameters<Client['complete']>[0]),
    on: (method, handler) =>
      client.setNotificationHandler(NOTIFICATIONS[method], ({ params }) => handler(params)),
    onAsked: (method, respond) =>
      client.setRequestHandler(REQUESTS[method], async ({ params }) => respond(params) as never),
  }
}

/** Replaces the revision that the client offers, for which it has no option. */
function offerVersion(version: string | undefined, fetchWith: typeof fetch): typeof fetch {
  if (version === undefined) return fetchWith
  return (input, init) => {
    const body = String(init?.body ?? '')
    if (!body.includes('"method":"initialize"')) return fetchWith(input, init)
    const message = JSON.parse(body)
    message.params.protocolVersion = version
    return fetchWith(input, { ...init, body: JSON.stringify(message) })
  }
}
