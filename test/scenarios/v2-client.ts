/** Adapts the second generation of the official client, in its default mode and pinned to 2026-07-28. */
// features: auth
import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import {
  type AdaptedClient,
  type Connect,
  type ConnectOptions,
  collectNotices,
  type List,
  ofSession,
  RECONNECTION,
} from './client.ts'

const INFO = { name: 'edgeway-test', version: '1.0.0' }

const PINNED: ClientOptions = { versionNegotiation: { mode: { pin: '2026-07-28' } } }

const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel'

export const connectV2: Connect = (options, wire) => connect(createV2(options, wire.fetch))

export const connectModern: Connect = (options, wire) => connect(createModern(options, wire.fetch))

async function connect({ client, transport, adapted }: V2): Promise<AdaptedClient> {
  await client.connect(transport)
  return adapted
}

export interface V2 {
  readonly client: Client
  readonly transport: StreamableHTTPClientTransport
  readonly adapted: AdaptedClient
}

export function createV2(options: ConnectOptions, fetchWith: typeof fetch): V2 {
  const { version } = options
  const rest = version === undefined ? {} : { supportedProtocolVersions: [version] }
  const created = create(options, fetchWith, rest as ClientOptions)
  return { ...created, adapted: { ...created.adapted, ...ofSession(created.client) } }
}

/** @param negotiation default: pinned to 2026-07-28 */
export function createModern(
  options: ConnectOptions,
  fetchWith: typeof fetch,
  negotiation: ClientOptions = PINNED,
): V2 {
  const created = create(options, fetchWith, negotiation)
  const { client } = created
  let _meta = {}
  const adapted: AdaptedClient = {
    ...created.adapted,
    call: (name, args = {}, more) => client.callTool({ name, arguments: { ...args }, _meta }, more),
    setLogLevel: async (level) => {
      _meta = { [LOG_LEVEL_KEY]: level }
    },
    subscribe: async (uris, lists = []) => {
      const filter = Object.fromEntries(lists.map((list: List) => [`${list}ListChanged`, true]))
      const { close } = await client.listen({ ...filter, resourceSubscriptions: [...uris] })
      return close
    },
  }
  return { ...created, adapted }
}

function create(
  { url, version, capabilities = {}, sessionId, authProvider }: ConnectOptions,
  fetchWith: typeof fetch,
  options: ClientOptions,
) {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: fetchWith,
    ...(sessionId !== undefined && { sessionId, protocolVersion: version ?? '2025-11-25' }),
    ...(authProvider && { authProvider }),
    reconnectionOptions: RECONNECTION,
  })
  const client = new Client(INFO, { ...options, capabilities } as ClientOptions)
  const adapted = {
    client,
    sessionId: () => transport.sessionId,
    terminate: () => transport.terminateSession(),
    call: (name, args = {}, more) => client.callTool({ name, arguments: { ...args } }, more),
    complete: (params) => client.complete(params as Parameters<Client['complete']>[0]),
    notices: collectNotices((method, receive) =>
      client.setNotificationHandler(method as 'notifications/message', ({ params }) =>
        receive(params),
      ),
    ),
    onAsked: (method, respond) =>
      client.setRequestHandler(
        method as 'roots/list',
        async ({ params }) => (await respond(params)) as never,
      ),
  } satisfies Partial<AdaptedClient>
  return { client, transport, adapted }
}
