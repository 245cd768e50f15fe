/** A connection with the first generation of the official client. */
import { auth } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import type { Connection, ConnectionOptions, Open } from './connection.ts'

export const openV1: Open = (options) => {
  const { url, provider, fetch, sessionId } = options
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    authProvider: provider,
    fetch,
    ...(sessionId !== undefined && { sessionId }),
  })
  return connectionOf(transport, url, options, () => transport.sessionId)
}

export const openV1OverSse: Open = (options) => {
  const { url, provider, fetch } = options
  const address = new URL('/sse', url)
  const transport = new SSEClientTransport(address, { authProvider: provider, fetch })
  return connectionOf(transport, address.href, options, () => undefined)
}

function connectionOf(
  transport: StreamableHTTPClientTransport | SSEClientTransport,
  serverUrl: string,
  { provider, fetch, capabilities }: ConnectionOptions,
  sessionId: Connection['sessionId'],
): Connection {
  const client = new Client({ name: 'edgeway-v1-test', version: '1.0.0' }, { capabilities })
  return {
    connect: () => client.connect(transport),
    finishAuth: (callback) => transport.finishAuth(callback.searchParams.get('code') ?? ''),
    requestScope: async (scope) => {
      // With a refresh token, the client would refresh instead of requesting the scope.
      const tokens = provider.tokens()
      provider.setTokens(undefined)
      const result = await auth(provider, { serverUrl, scope, fetchFn: fetch })
      provider.setTokens(tokens)
      if (result !== 'REDIRECT') throw new Error('There was no redirect')
    },
    call: (name, args) => client.callTool({ name, arguments: { ...args } }),
    readResource: (uri) => client.readResource({ uri }),
    sessionId,
    listen: async (uris, onUpdated) => {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
        onUpdated(params.uri),
      )
      for (const uri of uris) await client.subscribeResource({ uri })
    },
    close: () => client.close(),
  }
}
