/** Connections with the second generation of the official client: default, negotiating and pinned to the modern revision. */
import {
  auth,
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import type { Connection, ConnectionOptions, Open } from './connection.ts'

export const openV2: Open = (options) => {
  const { sessionId } = options
  const session = sessionId === undefined ? {} : { sessionId, protocolVersion: '2025-11-25' }
  return connectionOf(options, {}, session, (client, uris) => subscribe(client, uris))
}

/** Negotiates the newest common revision. */
export const openNegotiating: Open = (options) =>
  connectionOf(options, { versionNegotiation: { mode: 'auto' } }, {}, listen)

export const openModern: Open = (options) =>
  connectionOf(options, { versionNegotiation: { mode: { pin: '2026-07-28' } } }, {}, listen)

function connectionOf(
  { url, provider, fetch, capabilities }: ConnectionOptions,
  negotiation: ClientOptions,
  session: { readonly sessionId?: string; readonly protocolVersion?: string },
  subscribeTo: (client: Client, uris: readonly string[]) => Promise<void>,
): Connection {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    authProvider: provider,
    fetch,
    ...session,
  })
  const client = new Client({ name: 'edgeway-test', version: '1.0.0' }, {
    capabilities,
    ...negotiation,
  } as ClientOptions)
  return {
    connect: () => client.connect(transport),
    // All parameters, because the client checks the issuer first.
    finishAuth: (callback) => transport.finishAuth(callback.searchParams),
    requestScope: async (scope) => {
      const options = { serverUrl: url, scope, fetchFn: fetch, forceReauthorization: true }
      const result = await auth(provider, options)
      if (result !== 'REDIRECT') throw new Error('There was no redirect')
    },
    call: (name, args) => client.callTool({ name, arguments: { ...args } }),
    readResource: (uri) => client.readResource({ uri }),
    sessionId: () => transport.sessionId,
    listen: async (uris, onUpdated) => {
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        onUpdated(params.uri)
      })
      await subscribeTo(client, uris)
    },
    close: () => client.close(),
  }
}

async function subscribe(client: Client, uris: readonly string[]): Promise<void> {
  for (const uri of uris) await client.subscribeResource({ uri })
}

async function listen(client: Client, uris: readonly string[]): Promise<void> {
  await client.listen({ resourceSubscriptions: [...uris] })
}
