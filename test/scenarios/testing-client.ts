/** Adapts `edgeway/testing` over each of its four channels: modern, session, HTTP+SSE, and requests without a session. */
import type { ChannelOptions } from '../../packages/testing/src/channel.ts'
import { openHttpSse } from '../../packages/testing/src/http-sse-channel.ts'
import { openModern } from '../../packages/testing/src/modern-channel.ts'
import { openSession } from '../../packages/testing/src/session-channel.ts'
import { TestClient } from '../../packages/testing/src/test-client.ts'
import { Uploads } from '../../packages/testing/src/uploads.ts'
import { findRevision, type Revision } from '../../src/protocol/revisions.ts'
import {
  type AdaptedClient,
  type AskingMethod,
  type Client,
  type Connect,
  LISTS,
  type List,
  NOTICES,
  type Notice,
  type NoticeMethod,
  type Received,
} from './client.ts'

type Respond = (params: Received) => object | Promise<object>

const OPENERS = {
  modern: openModern,
  session: openSession,
  'http-sse': (options: ChannelOptions) =>
    openHttpSse({ ...options, url: new URL('/sse', options.url).href }),
}

export const connectTesting: Connect = (options, wire) => connect(options, wire, false)

/** Leaves out the session id of every request, as several hosted clients do. */
export const connectWithoutSession: Connect = (options, wire) => connect(options, wire, true)

async function connect(
  { url, version = '2026-07-28', capabilities = {} }: Parameters<Connect>[0],
  wire: Parameters<Connect>[1],
  dropsSessionId: boolean,
): Promise<AdaptedClient> {
  const revision = findRevision(version) as Revision
  const isModern = revision.era === 'modern'
  const responders = new Map<string, Respond>()
  const notices: Notice[] = []
  const notice = ({ method = '', params = {} }: { readonly method?: string; params?: object }) => {
    const show = NOTICES[method as NoticeMethod] as ((shown: Received) => Notice) | undefined
    if (show !== undefined) notices.push(show(params))
  }
  let connected: TestClient | undefined
  const send = (request: Request) => wire.fetch(request)
  const channel = await OPENERS[revision.era]({
    send,
    url,
    revision,
    clientInfo: { name: 'edgeway-testing', version: '1.0.0' },
    capabilities,
    dropsSessionId,
    logLevel: isModern ? 'info' : undefined,
    answer: async (_, { method, params }) => {
      if (method === 'ping') return {}
      return (await responders.get(method)?.(params)) as Record<string, unknown>
    },
    onNotification: (message) => {
      connected?.receive(message)
      notice(message)
    },
  })
  const client = new TestClient(channel, {
    records: { asks: [], progress: [], logs: [] },
    uploads: new Uploads(send),
    settled: async () => undefined,
    isModern,
  })
  connected = client
  return {
    client: namedAsInSdk(client),
    sessionId: () => undefined,
    call: (name, args, { onprogress, signal } = {}) =>
      client.callTool(name, args, {
        ...(onprogress && { onProgress: onprogress }),
        ...(signal && { signal }),
      }),
    complete: (params) => client.request('completion/complete', params as Record<string, unknown>),
    notices: () => notices,
    onAsked: (method: AskingMethod, respond) => void responders.set(method, respond),
    setLogLevel: async (level) => void (await client.request('logging/setLevel', { level })),
    subscribe: async (uris, lists = LISTS) => {
      const ofLists = lists.map((list: List) => [`${list}ListChanged`, true])
      const filter = { ...Object.fromEntries(ofLists), resourceSubscriptions: uris }
      // In a session, the channel reports each change as a notification too.
      const end = await channel.listen(filter, isModern ? notice : () => undefined)
      return async () => {
        if (isModern) return end()
        for (const uri of uris) await client.request('resources/unsubscribe', { uri })
      }
    },
    terminate: () => client.close(),
  }
}

function namedAsInSdk(client: TestClient): Client {
  return {
    ping: () => client.request('ping'),
    listTools: async () => ({ tools: await client.listTools() }),
    listResources: async () => ({ resources: await client.listResources() }),
    listResourceTemplates: async () => ({
      resourceTemplates: await client.listResourceTemplates(),
    }),
    listPrompts: async () => ({ prompts: await client.listPrompts() }),
    readResource: ({ uri }) => client.readResource(uri),
    getPrompt: ({ name, arguments: args }) => client.getPrompt(name, args),
    subscribeResource: (params) => client.request('resources/subscribe', params),
    unsubscribeResource: (params) => client.request('resources/unsubscribe', params),
    setLoggingLevel: (level) => client.request('logging/setLevel', { level }),
    getServerCapabilities: () => client.serverCapabilities,
    getServerVersion: () => client.serverInfo,
    getInstructions: () => client.instructions,
    close: () => client.close(),
  }
}
