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
  collectNotices,
  ofSession,
  RECONNECTION,
} from './client.ts'

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

export const connectV1: Connect = (options, wire) => connect(createV1(options, wire.fetch))

export const connectV1OverSse: Connect = (options, wire) =>
  connect(createV1OverSse(options, wire.fetch))

async function connect({ client, transport, adapted }: V1): Promise<AdaptedClient> {
  await client.connect(transport as Transport)
  return adapted
}

export interface V1 {
  readonly client: Client
  readonly transport: StreamableHTTPClientTransport | SSEClientTransport
  readonly adapted: AdaptedClient
}

export function createV1(options: ConnectOptions, fetchWith: typeof fetch): V1 {
  const transport = new StreamableHTTPClientTransport(new URL(options.url), {
    ...transportOptions(options, fetchWith),
    ...(options.sessionId !== undefined && { sessionId: options.sessionId }),
    reconnectionOptions: RECONNECTION,
  })
  return create(transport, options, {
    sessionId: () => transport.sessionId,
    terminate: () => transport.terminateSession(),
  })
}

export function createV1OverSse(options: ConnectOptions, fetchWith: typeof fetch): V1 {
  const url = new URL('/sse', options.url)
  const transport = new OnceDelivering(url, transportOptions(options, fetchWith))
  return create(transport, options, {
    sessionId: () => undefined,
    terminate: () => Promise.reject(new TypeError('The HTTP+SSE transport cannot end a session')),
  })
}

/** In workerd, `dispatchEvent` calls `onmessage` too, which the package `eventsource` has called before: each message comes twice. */
class OnceDelivering extends SSEClientTransport {
  constructor(...parameters: ConstructorParameters<typeof SSEClientTransport>) {
    super(...parameters)
    if (navigator.userAgent !== 'Cloudflare-Workers') return
    let once: SSEClientTransport['onmessage']
    let isRepeated = true
    Object.defineProperty(this, 'onmessage', {
      get: () => once,
      set: (receive: NonNullable<typeof once>) => {
        once = (message) => {
          isRepeated = !isRepeated
          if (!isRepeated) receive(message)
        }
      },
    })
  }
}

function transportOptions({ version, authProvider }: ConnectOptions, fetchWith: typeof fetch) {
  return { fetch: offerVersion(version, fetchWith), ...(authProvider && { authProvider }) }
}

function create(
  transport: V1['transport'],
  { capabilities = {} }: ConnectOptions,
  rest: Pick<AdaptedClient, 'sessionId' | 'terminate'>,
): V1 {
  const client = new Client({ name: 'edgeway-v1-test', version: '1.0.0' }, { capabilities })
  const adapted: AdaptedClient = {
    ...rest,
    ...ofSession(client),
    client,
    call: (name, args = {}, options) =>
      client.callTool({ name, arguments: { ...args } }, undefined, options),
    complete: (params) => client.complete(params as Parameters<Client['complete']>[0]),
    notices: collectNotices((method, receive) =>
      client.setNotificationHandler(NOTIFICATIONS[method], ({ params }) => receive(params)),
    ),
    onAsked: (method, respond) =>
      client.setRequestHandler(REQUESTS[method], async ({ params }) => respond(params) as never),
  }
  return { client, transport, adapted }
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
