/** Adapts the second generation of the official client in its default mode, which keeps a session. */
import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { type Connect, RECONNECTION } from './client-interface.ts'

export const connectV2: Connect = async (
  { url, version, capabilities = {}, sessionId },
  { fetch: fetchWith },
) => {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: fetchWith,
    ...(sessionId !== undefined && { sessionId, protocolVersion: version ?? '2025-11-25' }),
    reconnectionOptions: RECONNECTION,
  })
  const client = new Client({ name: 'edgeway-test', version: '1.0.0' }, {
    capabilities,
    ...(version !== undefined && { supportedProtocolVersions: [version] }),
  } as ClientOptions)
  await client.connect(transport)
  return {
    client,
    sessionId: () => transport.sessionId,
    terminate: () => transport.terminateSession(),
    call: (name, args = {}, options) => client.callTool({ name, arguments: { ...args } }, options),
    complete: (params) => client.complete(params as Parameters<Client['complete']>[0]),
    on: (method, handler) =>
      client.setNotificationHandler(method as 'notifications/message', ({ params }) =>
        handler(params),
      ),
    onAsked: (method, respond) =>
      client.setRequestHandler(
        method as 'roots/list',
        async ({ params }) => (await respond(params)) as never,
      ),
  }
}
